"""`debug_nan`: the first adjoint or tangent that is not finite is told, with its line and what it came from."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs


def norm(x):
    s = x[0] * x[0] + x[1] * x[1]
    return math.sqrt(s) * 3.0


def logs(x):
    y = x - 1.0
    return np.sum(np.log(np.abs(y) + 0.0))


def in_a_loop(x):
    s = 1.0
    for k in range(x.size):
        d = x[k] - 2.0
        s = s * d / d
    return s


def steep(x):
    s = x[0] * x[0] + x[1]
    return math.sqrt(s) * 3.0


def test_a_number() -> None:
    with pytest.raises(bs.NotFiniteError) as caught:
        bs.grad(steep, debug_nan=True)(np.zeros(2))
    text = str(caught.value)
    assert "test_debug_nan.py:35: `return math.sqrt(s) * 3.0`: the adjoint of `s` is not finite" in text
    assert "s_bar = inf from s = 0.0, result_bar = 3.0" in text
    assert "[BS602]" in text


def test_an_array_tells_the_first_entry() -> None:
    with pytest.raises(
        bs.NotFiniteError, match=r"an adjoint is not finite: it = inf from operand 1 = 0.0, result_bar = 1.0"
    ):
        bs.grad(logs, debug_nan=True)(np.array([3.0, 1.0, 5.0]))


def test_in_a_loop() -> None:
    with pytest.raises(bs.NotFiniteError, match=r"s = s \* d / d"):
        bs.grad(in_a_loop, debug_nan=True)(np.array([1.0, 2.0, 3.0]))


@pytest.mark.compiles_many("code with and without the option is compared")
def test_what_is_finite_is_the_same() -> None:
    x = np.array([0.3, 0.7])
    for function in (norm, logs, in_a_loop):
        assert np.array_equal(bs.grad(function, debug_nan=True)(x), bs.grad(function)(x))


def test_pullback_and_compiled_code() -> None:
    def root(x):
        return np.sqrt(x)

    _, pullback = bs.vjp(root, np.zeros(2), debug_nan=True)
    with pytest.raises(bs.NotFiniteError):
        pullback(np.ones(2))
    slope: Any = bs.grad(steep, debug_nan=True)

    @numba.njit
    def call(x):
        return slope(x)

    with pytest.raises(FloatingPointError, match="the adjoint of `s` is not finite"):
        call(np.zeros(2))


def test_without_it_the_gradient_is_what_it_is() -> None:
    assert not np.isfinite(bs.grad(steep)(np.zeros(2))).any()


@pytest.mark.compiles_many(
    "each function has code with and without the option, by every forward transformation"
)
def test_tangents() -> None:
    def along(**options: Any) -> Any:
        return bs.jvp(
            steep, (np.zeros(2),), (np.array([1.0, 0.0]),), debug_nan=True, strong_zeros=False, **options
        )

    for options in ({}, {"jit": False}):
        with np.errstate(all="ignore"), pytest.raises(bs.NotFiniteError) as caught:
            along(**options)
        text = str(caught.value)
        assert "test_debug_nan.py:35: `return math.sqrt(s) * 3.0`: a tangent is not finite" in text
        assert "from s = 0.0, s_dot = 0.0" in text
    with pytest.raises(bs.NotFiniteError, match="is not finite"):
        bs.jacfwd(steep, debug_nan=True, strong_zeros=False)(np.zeros(2))
    x = np.array([0.3, 0.7])
    for function in (norm, logs, in_a_loop):
        assert bs.jvp(function, (x,), (x,), debug_nan=True) == bs.jvp(function, (x,), (x,))
        assert np.array_equal(bs.jacfwd(function, debug_nan=True)(x), bs.jacfwd(function)(x))


def test_second_derivatives() -> None:
    x = np.zeros(2)
    for found in (
        lambda: bs.hvp(steep, debug_nan=True)((x,), (x,)),
        lambda: bs.hessian(steep, debug_nan=True)(x),
        lambda: bs.hessian(steep, sparse=True, debug_nan=True)(x),
    ):
        with pytest.raises(bs.NotFiniteError, match="the adjoint of `s` is not finite"):
            found()
    with pytest.raises(bs.ArgumentError, match="seeds that are nan"):
        bs.jacobian(steep, sparse=True, debug_nan=True)
