"""Extrema of numbers among which nan is: the value is the function's own, and the adjoint goes where the value came from."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs

NAN = math.nan


def largest(x, y, z):
    return 2.0 * max(x, y, z)


def smallest_of_a_tuple(x, y, z):
    return 2.0 * min((x, y, z))


def larger(x, y, z):
    return 2.0 * np.maximum(x, y) + 0.0 * np.isnan(z)


def smaller(x, y, z):
    return 2.0 * np.minimum(x, y) + 0.0 * np.isnan(z)


def clipped_number(x, y, z):
    return 2.0 * np.clip(x, y, z)


def largest_of_an_array(x):
    return 2.0 * max(x)


def smallest_of_an_array(x):
    return 2.0 * min(x)


def between(x):
    return np.sum(2.0 * np.clip(x[:2], x[2], x[3]))


def clipped(x):
    return np.sum(2.0 * np.clip(x, 0.0, 1.0))


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize(
    ("function", "args", "bars"),
    [
        (largest, (NAN, 1.0, 2.0), (2.0, 0.0, 0.0)),
        (largest, (1.0, NAN, 2.0), (0.0, 0.0, 2.0)),
        (largest, (1.0, 2.0, NAN), (0.0, 2.0, 0.0)),
        (smallest_of_a_tuple, (NAN, 1.0, 2.0), (2.0, 0.0, 0.0)),
        (smallest_of_a_tuple, (1.0, NAN, 2.0), (2.0, 0.0, 0.0)),
        (smallest_of_a_tuple, (2.0, 1.0, NAN), (0.0, 2.0, 0.0)),
        (larger, (NAN, 1.0, 0.0), (2.0, 0.0, 0.0)),
        (larger, (1.0, NAN, 0.0), (0.0, 2.0, 0.0)),
        (larger, (NAN, NAN, 0.0), (2.0, 0.0, 0.0)),
        (smaller, (NAN, 1.0, 0.0), (2.0, 0.0, 0.0)),
        (smaller, (1.0, NAN, 0.0), (0.0, 2.0, 0.0)),
        (clipped_number, (1.0, NAN, 3.0), (0.0, 2.0, 0.0)),
        (clipped_number, (1.0, 0.0, NAN), (0.0, 0.0, 2.0)),
        (clipped_number, (4.0, NAN, 3.0), (0.0, 2.0, 0.0)),
    ],
)
def test_of_numbers(function: Any, args: tuple[float, ...], bars: tuple[float, ...], jit: bool) -> None:
    value, got = bs.value_and_grad(function, argnums=(0, 1, 2), jit=jit)(*args)
    for expected in (function(*args), numba.njit(function)(*args)):
        np.testing.assert_equal(value, expected)
    assert got == bars
    assert bs.jvp(function, args, (1.0, 2.0, 4.0), jit=jit)[1] == bars[0] + 2.0 * bars[1] + 4.0 * bars[2]


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize(
    ("function", "x", "x_bar"),
    [
        (largest_of_an_array, [1.0, NAN, 2.0], [0.0, 0.0, 2.0]),
        (largest_of_an_array, [NAN, 1.0, 2.0], [NAN, NAN, NAN]),
        (smallest_of_an_array, [1.0, 2.0, NAN], [2.0, 0.0, 0.0]),
        (between, [1.0, 2.0, NAN, 3.0], [0.0, 0.0, 4.0, 0.0]),
        (clipped, [NAN, 2.0, 0.5], [2.0, 0.0, 2.0]),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_of_arrays(function: Any, x: list[float], x_bar: list[float], jit: bool) -> None:
    value, got = bs.value_and_grad(function, jit=jit)(np.array(x))
    np.testing.assert_equal(value, function(np.array(x)))
    np.testing.assert_equal(got, np.array(x_bar))


@pytest.mark.parametrize("jit", [False, True])
def test_of_no_entries(jit: bool) -> None:
    for function in (largest_of_an_array, smallest_of_an_array):
        with pytest.raises(ValueError, match="empty"):
            bs.grad(function, jit=jit)(np.zeros(0))


@pytest.mark.parametrize(
    ("function", "second"),
    [
        (lambda x: x**1.5, np.inf),
        (lambda x: 1.0 / (x + 1.0) + 1.0 / x, np.inf),
        (lambda x: x**-1.0, np.inf),
        (np.log, -np.inf),
        (lambda x: abs(x / x), NAN),
    ],
)
def test_plain_quotients_by_zero_are_those_of_machine_code(function, second):
    with np.errstate(all="ignore"):
        np.testing.assert_equal(bs.hessian(function, jit=False)(0.0), second)
        _, along = bs.jvp(bs.grad(function, jit=False), (0.0,), (1.0,), jit=False)
    np.testing.assert_equal(along, second)
