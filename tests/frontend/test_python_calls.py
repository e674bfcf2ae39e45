"""Calls and statements that mean in a gradient what they mean in Python, or are refused in words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import backsweep as bs
from tests.support.refused import refused

TABLE = np.array([1.0, 2.0])
SQUARE = np.array([[3.0, 1.0], [2.0, 4.0]])


class Point(NamedTuple):
    """A point with a method that is not given the point."""

    a: float
    b: float

    @staticmethod
    def scaled(value: Any, by: Any = 10.0) -> Any:
        return value * by


def static_method(point: Any) -> Any:
    return point.scaled(point.a) + point.scaled(point.b, point.a)


def message_out_of_bounds(x: Any, i: Any) -> Any:
    assert i >= x.size, x[i]
    return x[0] * 2.0


def message_by_zero(x: Any, k: Any) -> Any:
    assert k < 1, 5 // k
    return x * x


def pairs(x: Any, y: Any) -> Any:
    s = 0.0
    for a, b in zip(x, y, strict=True):
        s += a * b
    return s


def listed(x: Any, y: Any) -> Any:
    products = [a * b for a, b in zip(x, y, strict=True)]
    return products[0] * products[-1]


def in_another_order(x: Any) -> Any:
    return x.flatten("F")[1]


def sorted_along(x: Any) -> Any:
    y = x.copy()
    y.sort(0)
    return y[0, 0]


def asserted_array(x: Any) -> Any:
    assert TABLE
    return x * x


def while_an_array(x: Any) -> Any:
    while TABLE:
        x *= 2.0
    return x


def strict_by_argument(x: Any, same: Any) -> Any:
    s = 0.0
    for a, b in zip(x, x, strict=same):
        s += a * b
    return s


def first_of_range(x: Any) -> Any:
    return x + range(x)[0]


def place_in_range(x: Any) -> Any:
    return x + range(3)[x]


def length_of_range(x: Any) -> Any:
    return x * len(range(1, x))


def turned_range(x: Any) -> Any:
    return x * range(x)[::-1][0]


def in_range(x: Any) -> Any:
    return x if 1 in range(x) else 2.0 * x


@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
def test_static_methods_are_not_given_the_object(jit: bool) -> None:
    value, gradient = bs.value_and_grad(static_method, jit=jit)(Point(2.0, 3.0))
    assert value == static_method(Point(2.0, 3.0))
    assert tuple(gradient) == (13.0, 2.0)


@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
def test_the_message_of_an_assertion_that_holds_is_not_computed(jit: bool) -> None:
    assert bs.value_and_grad(message_out_of_bounds, jit=jit)(np.ones(3), 7)[0] == 2.0
    assert bs.value_and_grad(message_by_zero, jit=jit)(3.0, 0) == (9.0, 6.0)
    with pytest.raises(AssertionError):
        bs.value_and_grad(message_by_zero, jit=jit)(3.0, 2)


def over_methods(x, y):
    total = 0.0
    for e in x.copy():
        total += e * y[0]
    k = 0
    while x.any() and k < 2:
        total *= 1.5
        k += 1
    return total


def test_loops_run_over_results_of_methods() -> None:
    x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    value, slope = bs.value_and_grad(over_methods, jit=False)(x, y)
    assert value == pytest.approx(over_methods(x, y))
    np.testing.assert_allclose(slope, 2.25 * np.array([4.0, 4.0, 4.0]))


@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize("function", [pairs, listed])
def test_strict_zip_raises(function: Any, jit: bool) -> None:
    gradient = bs.value_and_grad(function, jit=jit)
    x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    assert gradient(x, y)[0] == function(x, y)
    for shorter in ((x, y[1:]), (x[1:], y)):
        with pytest.raises(ValueError, match="zip"):
            gradient(*shorter)


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        (asserted_array, (2.0,), "an array of 2 entries is no condition"),
        (while_an_array, (2.0,), "an array of 2 entries is no condition"),
        (strict_by_argument, (TABLE, True), "`strict`, which must be known"),
        *(
            (each, (2.0,), "`range` needs whole numbers and is given a float")
            for each in (first_of_range, place_in_range, length_of_range, turned_range, in_range)
        ),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_refused_in_words(function: Any, args: Any, message: str) -> None:
    with refused(message):
        bs.grad(function, wrt="x")(*args)


@pytest.mark.parametrize(("function", "where"), [(in_another_order, (1, 0)), (sorted_along, (0, 0))])
def test_arguments_of_methods_count(function: Any, where: tuple[int, int]) -> None:
    square = np.array([[3.0, 4.0], [5.0, 1.0]])
    value, gradient = bs.value_and_grad(function, jit=False)(square)
    assert value == function(square) == square[where]
    assert np.argwhere(gradient).tolist() == [list(where)]
