"""Functions of `scipy.linalg` in plain functions and in `@njit` code: values, gradients, second derivatives, options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
import scipy.linalg

import backsweep as bs
from tests.support.sampled import turning

A = np.array([[3.0, 1.0, 0.5], [0.8, 4.0, -1.0], [0.3, -0.7, 5.0]])
S = np.array([[3.0, 1.0, 0.5], [1.0, 4.0, -1.0], [0.5, -1.0, 5.0]])
b = np.array([1.0, 2.0, -1.0])
B = np.array([[1.0, 0.5], [2.0, -1.0], [-1.0, 3.0]])
W = np.array([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]])


def solved(a, b):
    x = scipy.linalg.solve(a, b, overwrite_a=False) + scipy.linalg.solve(a, b, transposed=True)
    return np.sum(x * x) + scipy.linalg.det(a) + np.sum(scipy.linalg.inv(a, check_finite=False) * a.T)


def solved_by_triangle(a, b):
    x = scipy.linalg.solve(a, b, assume_a="pos") - scipy.linalg.solve(a, b, assume_a="pos", lower=True)
    y = scipy.linalg.solve(a, b, assume_a="sym", lower=True)
    return np.sum(W[:, 0] * x * y) + np.sum(y**3)


def triangular(a, b):
    x = scipy.linalg.solve_triangular(a, b, lower=True)
    y = scipy.linalg.solve_triangular(a, b, trans="T", unit_diagonal=True)
    return np.sum(W * x * y)


def factored(a, b):
    c = scipy.linalg.cholesky(a) + scipy.linalg.cholesky(a, lower=True)
    x = scipy.linalg.cho_solve(scipy.linalg.cho_factor(a), b)
    y = scipy.linalg.cho_solve(scipy.linalg.cho_factor(a, lower=True), b)
    return np.sum(c * a) + np.sum(W[:, 0] * x + W[:, 1] * y * x)


def packed(a, b):
    factors = scipy.linalg.lu_factor(a)
    x = scipy.linalg.lu_solve(factors, b)
    lu, piv = factors
    return np.sum(W * x * scipy.linalg.lu_solve((lu, piv), b, trans=1)) + np.sum(lu[0] ** 2)


def exponentials(a, b):
    e = scipy.linalg.expm(0.3 * a)
    d = scipy.linalg.block_diag(a, e[:2], np.ones((1, 1)))
    return np.sum(e @ b) + np.sum(d * d)


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (solved, (A, b)),
    (solved_by_triangle, (S, b)),
    (triangular, (A, B)),
    (factored, (S, b)),
    (packed, (A[[2, 0, 1]], B)),
    (exponentials, (A, b)),
]


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS, ids=lambda each: getattr(each, "__name__", ""))
def test_programs(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    value, gradient = bs.value_and_grad(function, argnums=(0, 1), jit=False)(*arguments)
    np.testing.assert_allclose(value, function(*arguments), rtol=1e-12)
    rng = np.random.default_rng(1)
    direction = [rng.uniform(-1.0, 1.0, np.shape(each)) for each in arguments]
    step = 1e-5

    def along(asked: Callable[..., Any]) -> Any:
        ahead = asked(*(each + step * way for each, way in zip(arguments, direction, strict=True)))
        behind = asked(*(each - step * way for each, way in zip(arguments, direction, strict=True)))
        return (np.asarray(ahead) - np.asarray(behind)) / (2.0 * step)

    found = sum(np.sum(one * way) for one, way in zip(gradient, direction, strict=True))
    np.testing.assert_allclose(found, along(function), rtol=1e-7)
    np.testing.assert_allclose(bs.jvp(function, arguments, tuple(direction), jit=False)[1], found, rtol=1e-10)
    text = bs.grad(function, jit=False)
    np.testing.assert_allclose(text(*arguments), gradient[0], rtol=1e-11, atol=1e-12)
    twice = bs.hvp(function, jit=False)(arguments, (direction[0],))
    direction[1] = np.zeros_like(arguments[1])
    np.testing.assert_allclose(twice, along(text), rtol=1e-6, atol=1e-7)


@pytest.mark.compiles
@pytest.mark.parametrize(
    ("function", "arguments"), turning(6, PROGRAMS), ids=lambda each: getattr(each, "__name__", "")
)
def test_compiled(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    value, gradient = bs.value_and_grad(function, argnums=(0, 1))(*arguments)
    np.testing.assert_allclose(value, function(*arguments), rtol=1e-12)
    plain = bs.grad(function, argnums=(0, 1), jit=False)(*arguments)
    for one, other in zip(gradient, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(numba.njit(function)(*arguments), function(*arguments), rtol=1e-12)


@pytest.mark.compiles
def test_unknown_option() -> None:
    def banded(a, b):
        return np.sum(scipy.linalg.solve(a, b, assume_a="banded"))

    with pytest.raises(bs.UnsupportedError, match="`assume_a='banded'` of `solve` is not supported"):
        bs.grad(banded)(A, b)
    with pytest.raises(numba.TypingError, match="is not supported"):
        numba.njit(banded)(A, b)


@pytest.mark.compiles
def test_singular() -> None:
    def total(a, b):
        return np.sum(scipy.linalg.solve_triangular(a, b))

    with pytest.raises(np.linalg.LinAlgError):
        bs.grad(total)(np.zeros((2, 2)), np.ones(2))
