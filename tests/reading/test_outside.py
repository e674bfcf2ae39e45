"""What a function reads around it has the value of the call: globals, variables of enclosing functions, attributes of objects."""

from __future__ import annotations

import types
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs

SCALE = 2.0
TABLE = np.array([1.0, 2.0, 3.0])
POWERS = [1, 2]
BY_NAME = {"a": 2.0}
SETTINGS = types.SimpleNamespace(rate=0.5, table=np.array([1.0, 2.0]))
PAIR = (np.array([1.0, 2.0]), 3.0)


def scaled(x: float) -> float:
    return SCALE * x * x


def helper(x: float) -> float:
    return x * x


def through_helper(x: float) -> float:
    return helper(x)


def weighted(x: Any) -> float:
    return np.sum(TABLE * x)


def by_items(x: float) -> float:
    return x ** POWERS[1] + BY_NAME["a"] * x


def by_attributes(x: float) -> float:
    return SETTINGS.rate * x * SETTINGS.table[0]


def by_a_pair(x: float) -> float:
    return PAIR[0][1] * x


both = pytest.mark.parametrize("jit", [False, True])


@both
def test_a_number(monkeypatch: pytest.MonkeyPatch, jit: bool) -> None:
    slope = bs.grad(scaled, jit=jit)
    assert slope(3.0) == 12.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert slope(3.0) == 30.0
    assert "5.0" in slope.source(3.0)
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    assert slope(3.0) == 12.0


def test_an_equal_number_keeps_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    slope = bs.grad(scaled, jit=False)
    assert slope(3.0) == 12.0
    before = slope._emitted
    kept = dict(before)
    monkeypatch.setitem(globals(), "SCALE", float("2.0"))
    assert slope(3.0) == 12.0
    assert dict(slope._emitted) == kept


@pytest.mark.compiles_many("each content has code of its own")
@both
def test_contents_of_an_array(jit: bool) -> None:
    slope, x = bs.grad(weighted, jit=jit), np.ones(3)
    assert slope(x).tolist() == [1.0, 2.0, 3.0]
    TABLE[1] = 7.0
    try:
        assert slope(x).tolist() == [1.0, 7.0, 3.0]
        assert bs.grad(weighted, jit=jit)(x).tolist() == [1.0, 7.0, 3.0]
    finally:
        TABLE[1] = 2.0
    assert slope(x).tolist() == [1.0, 2.0, 3.0]


@both
def test_contents_of_a_large_array(monkeypatch: pytest.MonkeyPatch, jit: bool) -> None:
    large = np.ones(200_000)
    monkeypatch.setitem(globals(), "TABLE", large)
    slope, x = bs.grad(weighted, jit=jit), np.ones(200_000)
    assert slope(x)[5] == 1.0
    large[5] = 7.0
    assert slope(x)[5] == 7.0
    assert bs.grad(weighted, jit=jit)(x)[5] == 7.0
    monkeypatch.setitem(globals(), "TABLE", 3.0 * large)
    assert slope(x)[5] == 21.0


@pytest.mark.parametrize("count", [3, 200_000])
def test_contents_of_a_strided_array(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    wide = np.ones((count, 2))
    monkeypatch.setitem(globals(), "TABLE", wide[:, 0])
    slope, x = bs.grad(weighted), np.ones(count)
    assert slope(x)[:3].tolist() == [1.0, 1.0, 1.0]
    wide[1] = 7.0
    assert slope(x)[:3].tolist() == [1.0, 7.0, 1.0]


def test_an_array_of_another_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    slope, x = bs.grad(weighted), np.ones(3)
    assert slope(x).tolist() == [1.0, 2.0, 3.0]
    monkeypatch.setitem(globals(), "TABLE", np.array([4, 5, 6]))
    assert slope(x).tolist() == [4.0, 5.0, 6.0]
    monkeypatch.setitem(globals(), "TABLE", 2.0)
    assert slope(x).tolist() == [2.0, 2.0, 2.0]


def test_a_helper_that_is_defined_again(monkeypatch: pytest.MonkeyPatch) -> None:
    slope = bs.grad(through_helper, jit=False)
    assert slope(3.0) == 6.0
    monkeypatch.setitem(globals(), "helper", lambda x: x * x * x)
    assert slope(3.0) == 27.0


def test_items_of_lists_and_dicts() -> None:
    slope = bs.grad(by_items, jit=False)
    assert slope(3.0) == 8.0
    POWERS[1], BY_NAME["a"] = 3, 5.0
    try:
        assert slope(3.0) == 32.0
    finally:
        POWERS[1], BY_NAME["a"] = 2, 2.0


def test_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    slope = bs.grad(by_attributes, jit=False)
    assert slope(3.0) == 0.5
    monkeypatch.setattr(SETTINGS, "rate", 2.0)
    assert slope(3.0) == 2.0
    SETTINGS.table[0] = 4.0
    try:
        assert slope(3.0) == 8.0
    finally:
        SETTINGS.table[0] = 1.0


def test_an_array_in_a_tuple() -> None:
    slope = bs.grad(by_a_pair, jit=False)
    assert slope(3.0) == 2.0
    PAIR[0][1] = 5.0
    try:
        assert slope(3.0) == 5.0
    finally:
        PAIR[0][1] = 2.0


def test_a_variable_of_an_enclosing_function() -> None:
    rate = 2.0

    def times(x: float) -> float:
        return rate * x

    slope = bs.grad(times, jit=False)
    assert slope(3.0) == 2.0
    rate = 5.0
    assert slope(3.0) == 5.0


class Spring:
    def __init__(self, stiffness: float) -> None:
        self.stiffness = stiffness

    def energy(self, x: float) -> float:
        return 0.5 * self.stiffness * x * x


def test_the_object_of_a_method() -> None:
    spring = Spring(2.0)
    slope = bs.grad(spring.energy, jit=False)
    assert slope(3.0) == 6.0
    spring.stiffness = 4.0
    assert slope(3.0) == 12.0


def test_transformations_of_transformations(monkeypatch: pytest.MonkeyPatch) -> None:
    slope = bs.grad(scaled, jit=False)
    curvature = bs.grad(slope, jit=False)
    assert curvature(3.0) == 4.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert curvature(3.0) == 10.0
    assert slope(3.0) == 30.0
    assert bs.hessian(scaled, jit=False)(3.0) == 10.0


@pytest.mark.compiles_many("every transformation notices the change")
def test_every_transformation(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (2.0, 5.0):
        monkeypatch.setitem(globals(), "SCALE", value)
        assert bs.vjp(scaled, 3.0)[1](1.0) == 6.0 * value
        assert bs.jvp(scaled, (3.0,), (1.0,))[1] == 6.0 * value
        assert bs.trace(scaled)(3.0)["x"][0].adjoint == 6.0 * value


def test_compiled_functions_keep_their_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = numba.njit(scaled)
    slope = bs.grad(compiled)
    assert slope(3.0) == 12.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert slope(3.0) == 12.0


def by_defaults(x: float, weights: Any = np.array([1.0, 2.0]), powers: Any = [2, 3]) -> float:  # noqa: B006, B008
    return np.sum(weights) * x ** powers[0]


def by_a_named_default(x: float, *, rate: float = 2.0) -> float:
    return rate * x


def by_defaults_of_a_helper(x: float) -> float:
    return by_defaults(x) + by_a_named_default(x)


@both
@pytest.mark.parametrize("function", [by_defaults, by_defaults_of_a_helper])
def test_a_default_that_changes_in_place(function: Any, jit: bool) -> None:
    slope = bs.grad(function, jit=jit)
    weights, powers = by_defaults.__defaults__ or ()
    more = 0.0 if function is by_defaults else 2.0
    assert slope(3.0) == 18.0 + more
    weights[0] = 3.0
    powers[0] = 1
    try:
        assert slope(3.0) == 5.0 + more
        assert bs.vjp(function, 3.0)[1](1.0) == 5.0 + more
        assert bs.jvp(function, (3.0,), (1.0,))[1] == 5.0 + more
    finally:
        weights[0], powers[0] = 1.0, 2


@both
def test_defaults_that_are_replaced(monkeypatch: pytest.MonkeyPatch, jit: bool) -> None:
    slopes = [bs.grad(each, jit=jit) for each in (by_a_named_default, by_defaults_of_a_helper)]
    assert [slope(3.0) for slope in slopes] == [2.0, 20.0]
    monkeypatch.setattr(by_a_named_default, "__kwdefaults__", {"rate": 4.0})
    monkeypatch.setattr(by_defaults, "__defaults__", (np.array([2.0]), [1]))
    assert [slope(3.0) for slope in slopes] == [4.0, 6.0]
    assert bs.vjp(by_a_named_default, 3.0)[1](1.0) == 4.0
