"""Gradients of arrays in single precision are in single precision, whatever precision NumPy and Numba compute in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests.support.sampled import turning


def largest(x):
    return np.max(x)


def smallest(x):
    return x.min()


def product(x):
    return np.prod(x)


def without_nan(x):
    return np.nansum(x) + np.nanmax(x) * np.nanprod(x)


def length(x):
    return np.linalg.norm(x)


def dot(x):
    return np.dot(x, x)


def differences(x):
    return np.sum(np.diff(x) ** 2)


def first_of_builtin(x):
    return max(x) * min(x)


def clipped(x):
    return np.sum(np.clip(x, 0.1, 0.8) * np.maximum(x, x[::-1]))


def chosen(x):
    return np.sum(np.where(x > 0.5, x, x * x))


def functions(x):
    return np.sum(np.tanh(x) * np.arctan2(x, x[::-1]) + np.hypot(x, x) * np.sinc(x))


def squares(x):
    return np.sum(x.ravel() ** 2)


def in_an_array(x):
    return np.sum(np.array([np.mean(x), np.max(x)]))


def determinant(x):
    return np.linalg.slogdet(np.outer(x, x) + np.diag(x))[1]


def columns(x):
    return np.sum(np.sum(np.outer(x, x), axis=0) ** 2)


FUNCTIONS = [
    largest,
    smallest,
    product,
    without_nan,
    length,
    dot,
    differences,
    first_of_builtin,
    clipped,
    chosen,
    functions,
    squares,
    in_an_array,
    determinant,
    columns,
]
X = np.array([0.4, 0.9, 0.2, 0.7])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_plain(function: Callable[..., Any]) -> None:
    found = bs.grad(function, jit=False)(X.astype(np.float32))
    assert found.dtype == np.float32
    assert found == pytest.approx(bs.grad(function, jit=False)(X), rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("function", turning(5, [largest, product, dot, chosen, determinant]))
def test_compiled(function: Callable[..., Any]) -> None:
    value, found = bs.value_and_grad(function)(X.astype(np.float32))
    assert found.dtype == np.float32
    assert value == pytest.approx(function(X), rel=1e-4)
    assert found == pytest.approx(bs.grad(function, jit=False)(X), rel=1e-3, abs=1e-5)


def test_one_loop() -> None:
    """What is rounded is rounded where it is computed."""
    assert bs.grad(chosen).source(X.astype(np.float32)).count("for i in") == 2


def two_precisions(x: Any) -> Any:
    total = np.zeros(4)
    for _ in range(2):
        total = total + x
        x = total
    return np.sum(x * x)


def one_precision(x: Any) -> Any:
    total = np.zeros(4, dtype=x.dtype)
    for _ in range(2):
        total = total + x
        x = total
    return np.sum(x * x)


def test_two_precisions_are_named() -> None:
    with pytest.raises(bs.TypingError) as caught:
        bs.grad(two_precisions, jit=False)(X.astype(np.float32))
    assert "dtype=x.dtype" in caught.value.problems[0].remedy
    found = bs.grad(one_precision, jit=False)(X.astype(np.float32))
    assert found == pytest.approx(bs.grad(two_precisions, jit=False)(X), rel=1e-5)
