"""A variable that the path that ran has not assigned raises where it is read, as in Python; where it is assigned, nothing is in the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import backsweep as bs


def last_of_a_loop(x, n):
    for i in range(n):
        v = x * i
    return v * 2.0


def loop_variable(x, n):
    for i in range(n, 0, -1):
        x = x * (1.0 + i)
    return x * i


def on_one_side(x, n):
    if n > 3:
        v = x * x
    return v


def in_some_rounds(x, n):
    for i in range(n):
        if i > 3:
            v = x * i
    return v


def in_a_while(x, n):
    i = 0
    while i < n:
        v = x * i
        i += 1
    return v + x


def in_a_comprehension(x, n):
    [v := x * k for k in range(n)]
    return v


def by_an_inner_function(x, n):
    def read():
        return v * v

    for i in range(n):
        v = x * i
    return read()


def of_an_earlier_round(x, n):
    for i in range(2 * n):
        if i % 5 == 1:
            x = x + v  # noqa: F821  in every other round it is there
        if i != 1:
            v = x * 0.5
        if n == 0:
            v = x
    return x if n > 3 else v


def returned_from_a_search(x, n):
    for i in range(n):
        if x * i > 3.0:
            return x * i
    return x


def found_and_noted(x, n):
    found = False
    for i in range(n):
        if x * i > 3.0:
            v, found = x * i, True
    if found and n > 0:
        return v * v
    return x


def in_a_loop_that_runs(x, n):
    done, k = False, 0
    while not done:
        v = x * k
        k += 1
        done = k > n
    return v + x


MISSING = [
    last_of_a_loop,
    loop_variable,
    on_one_side,
    in_some_rounds,
    in_a_while,
    in_a_comprehension,
    by_an_inner_function,
    of_an_earlier_round,
]
THERE = [returned_from_a_search, found_and_noted, in_a_loop_that_runs]


def slope(f: Callable[..., Any], n: int) -> float:
    return (f(2.0 + 1e-4, n) - f(2.0 - 1e-4, n)) / 2e-4


@pytest.mark.parametrize("f", MISSING + THERE)
def test_derivatives_raise_where_the_function_does(f: Callable[..., Any]) -> None:
    gradient = bs.grad(f, jit=False)

    def tangent(x: float, n: int) -> float:
        return float(bs.jvp(f, (x, n), (1.0,), jit=False)[1])

    assert gradient(2.0, 6) == pytest.approx(slope(f, 6), rel=1e-6)
    assert tangent(2.0, 6) == pytest.approx(slope(f, 6), rel=1e-6)
    if f in THERE:
        assert gradient(2.0, 0) == 1.0
        return
    with pytest.raises(NameError):
        f(2.0, 0)
    with pytest.raises(UnboundLocalError, match=r"`[vi]` is read before it is assigned"):
        gradient(2.0, 0)
    with pytest.raises(UnboundLocalError, match=r"`[vi]` is read before it is assigned"):
        tangent(2.0, 0)


@pytest.mark.compiles
def test_compiled_code_raises_too() -> None:
    gradient = bs.grad(in_some_rounds)
    assert gradient(2.0, 6) == 5.0
    with pytest.raises(UnboundLocalError, match="`v` is read before it is assigned"):
        gradient(2.0, 0)


def test_nothing_is_written_where_it_is_proved() -> None:
    for f in THERE:
        gradient = bs.grad(f, jit=False)
        gradient(2.0, 6)
        assert "UnboundLocalError" not in gradient.source(2.0, 6)
