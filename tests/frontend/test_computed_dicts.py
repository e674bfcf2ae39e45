"""Dicts whose keys the run computes: programs come out as in Python, raise what Python raises, or are refused."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs

X = np.array([1.3, 0.4, 0.9, 1.1])


def other_name(x: Any) -> Any:
    one: dict[int, float] = {}
    other = one
    for k in range(3):
        one[k] = x[k]
        other[k + 1] = x[k] * x[0]
    return one[3] * other[0] * len(one)


def seen_by_a_view(x: Any) -> Any:
    table: dict[int, float] = {}
    values = table.values()
    for k in range(3):
        table[k] = x[k]
    return sum(values) * x[0]


def stored_in_its_loop(x: Any) -> Any:
    table = {k: v for k, v in enumerate(x)}  # noqa: C416
    total = 0.0
    for k, v in table.items():
        total += v
        table[3 - k] = x[0] * v
    return total * table[0]


def made_anew_in_each_round(x: Any) -> Any:
    total = 0.0
    for k in range(3):
        table: dict[int, float] = {}
        for i in range(k + 1):
            table[i % 2] = x[i] * k
        total += sum(table.values()) * len(table)
    return total


def on_one_path(x: Any) -> Any:
    table: dict[int, float] = {}
    if x[0] > 1.0:
        table[int(x[1])] = x[1]
    return x[0] * (table[0] if table else 0.0)


def read_of_a_default(x: Any) -> Any:
    table: Any = collections.defaultdict(float)
    first = table[7] + x[0]
    return first * x[1] * len(table)


def not_read_by_get(x: Any) -> Any:
    table: Any = collections.defaultdict(float)
    return x[0] * table.get(3, 2.0) * (1 + len(table)) * (1 if 3 in table else 2)


def within_another(x: Any) -> Any:
    inner: dict[int, float] = {}
    outer: dict[int, Any] = {}
    outer[int(x[0])] = inner
    inner[2] = x[1]
    return outer[1][2] * x[0]


def returned_by_a_helper(x: Any) -> Any:
    def made(y: Any) -> Any:
        table: dict[int, float] = {}
        for k in range(2):
            table[k] = y * k
        return table

    return made(x[0])[1] * x[1]


def with_a_name_of_its_lists(x: Any) -> Any:
    d_keys, d_values = x[0], x[1]
    d: dict[int, float] = {}
    for k in range(2):
        d[k] = d_keys * k
    return d[1] * d_values


def of_two_kinds(x: Any) -> Any:
    table: Any = {0: x[0]}
    for k in range(2):
        new: Any = collections.defaultdict(float)
        new[k] += x[k]
        table = new
    return table[1] * x[2]


def true_and_one(x: Any) -> Any:
    table: Any = {}
    table[1] = x[0]
    table[x[0] > 1.0] = x[1]
    return table[1] * len(table) * x[2]


def value_before_key(x: Any) -> Any:
    table: dict[int, float] = {}
    places = [2, 1, 0]
    for _ in range(3):
        table[len(places)] = x[places.pop()]
    return sum(k * v for k, v in table.items())


def comprehension_of_its_own_names(x: Any) -> Any:
    k, v = x[0], x[1]
    table = {k: v * x[2] for k, v in enumerate(x) if k > 0}
    return k * v * sum(table.values())


def read_beside_a_star(x: Any) -> Any:
    table: Any = collections.defaultdict(float)
    table[1] += x[0]
    first, *rest = x[1], table[1], x[2] * len(table)
    return first * rest[0] + rest[1]


@pytest.mark.parametrize(
    "function",
    [
        read_beside_a_star,
        *(other_name, seen_by_a_view, stored_in_its_loop, made_anew_in_each_round, on_one_path),
        *(read_of_a_default, not_read_by_get, within_another, returned_by_a_helper, with_a_name_of_its_lists),
        *(of_two_kinds, true_and_one, value_before_key, comprehension_of_its_own_names),
    ],
)
def test_right_or_refused(function: Callable[..., Any]) -> None:
    try:
        value, gradient = bs.value_and_grad(function, jit=False)(X)
    except bs.BacksweepError:
        return
    assert value == pytest.approx(function(X), rel=1e-13)
    step = 1e-6 * np.eye(4)
    wanted = [(function(X + direction) - function(X - direction)) / 2e-6 for direction in step]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-7)


def missing(x: Any) -> Any:
    table: dict[int, float] = {}
    table[int(x[0])] = x[0]
    return table[17]


def grows_in_its_loop(x: Any) -> Any:
    table = {k: v for k, v in enumerate(x)}  # noqa: C416
    for k in table:
        table[k + 10] = x[0]
    return table[0]


def taken_twice(x: Any) -> Any:
    table = {k: v for k, v in enumerate(x)}  # noqa: C416
    for _ in range(2):
        del table[1]
    return table[0]


@pytest.mark.parametrize(
    ("function", "error"), [(missing, KeyError), (grows_in_its_loop, RuntimeError), (taken_twice, KeyError)]
)
def test_raises_what_python_raises(function: Callable[..., Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        function(X)
    with pytest.raises(error):
        bs.grad(function, jit=False)(X)
