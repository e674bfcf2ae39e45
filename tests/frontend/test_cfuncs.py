"""`numba.cfunc` functions, and `@njit` functions in tuples: both have a text, which is differentiated."""

from __future__ import annotations

import warnings
from typing import Any

import numba
import pytest

import backsweep as bs

warnings.filterwarnings("ignore", "First-class function type")
JIT = [pytest.param(False, id="plain"), pytest.param(True, id="compiled", marks=pytest.mark.compiles)]


@numba.cfunc("float64(float64)")
def shifted(x):
    return x + 1.0


@numba.cfunc("float64(int64)")
def halved(n):
    return n / 2


@numba.cfunc("float64(float64)")
def whole(x):
    return 3


@numba.njit
def squared(x):
    return x * x


@numba.njit("float64(float64)")
def cubed(x):
    return x**3


@numba.njit
def composed(functions, x):
    for f in functions[::-1]:
        x = f(x)
    return x


def of_each(functions, x):
    total = 0.0
    for k, f in enumerate(functions):
        total += f(x) * k
    return total


def called(f, x):
    return f(x) * x


def global_cfunc(x):
    return shifted(x) * halved(3) * x + whole(x) * x


CASES = [
    (composed, (shifted, squared, squared, shifted)),
    (composed, (cubed, cubed)),
    (composed, (cubed, shifted)),
    (of_each, (shifted, squared, cubed)),
    (called, shifted),
    (called, cubed),
]


@pytest.mark.parametrize("jit", JIT)
@pytest.mark.parametrize(("function", "functions"), CASES)
def test_functions_as_arguments(function: Any, functions: Any, jit: bool) -> None:
    python = getattr(function, "py_func", function)
    value, slope = bs.value_and_grad(function, argnums=1, jit=jit)(functions, 0.75)
    assert value == pytest.approx(python(functions, 0.75), rel=1e-14)
    difference = (python(functions, 0.75 + 1e-5) - python(functions, 0.75 - 1e-5)) / 2e-5
    assert slope == pytest.approx(difference, rel=1e-7)


def test_second_derivatives() -> None:
    slope = bs.grad(composed, argnums=1, jit=False)
    assert bs.grad(slope, argnums=1, jit=False)((squared, shifted), 0.5) == 2.0


def test_a_cfunc_that_is_read() -> None:
    assert bs.grad(global_cfunc, jit=False)(0.5) == pytest.approx(1.5 * (2.0 * 0.5 + 1.0) + 3.0)


def test_numbers_of_another_kind_are_refused() -> None:
    with pytest.raises(bs.UnsupportedError, match="compiled for"):
        bs.grad(called, argnums=1, jit=False)(halved, 0.5)
