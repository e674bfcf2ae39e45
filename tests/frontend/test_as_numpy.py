"""Calls that Numba compiles to something else than what NumPy gives: in plain functions they give what NumPy does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit

import backsweep as bs
from tests.frontend.test_library_calls import assert_derivatives
from tests.support.sampled import turning

WHOLE = np.arange(5)
SINGLE = np.linspace(0.1, 0.9, 5, dtype=np.float32)
X = np.array([1.0, 2.0, 4.0, 3.5, 0.2])
A = np.array([[1.0, 2.0, 4.0], [0.3, 0.1, 5.0], [2.0, 7.0, 1.0], [3.0, 3.5, 2.0]])

CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "whole numbers between floats": (lambda x: np.clip(WHOLE, 0.5, x), (2.7,)),
    "made within": (lambda x: np.clip(np.arange(5), 0.5, x), (2.7,)),
    "no lower bound": (lambda x: np.clip(WHOLE, None, x), (2.7,)),
    "no upper bound": (lambda x: np.clip(WHOLE, a_min=x, a_max=None), (2.7,)),
    "a vector of bounds": (lambda x: np.clip(WHOLE, x, 3), (0.7 * X,)),
    "two vectors": (lambda x: np.clip(WHOLE, x, x + 1.25), (0.7 * X,)),
    "the method": (lambda x: WHOLE.clip(0.5, x), (2.7,)),
    "the method with one bound": (lambda x: WHOLE.clip(max=x), (2.7,)),
    "a list": (lambda x: np.clip([0, 1, 2, 3], 0.5, x), (2.7,)),
    "truths": (lambda x: np.clip(WHOLE > 2, 0.5, x), (0.7,)),
    "narrow whole numbers": (lambda x: np.clip(WHOLE.astype(np.int8), 0.5, x), (2.7,)),
    "single precision, bounds in double": (lambda x: np.clip(SINGLE, 0.2, x), (0.21 * X,)),
    "single precision, a number": (lambda x: np.clip(SINGLE, np.float32(0.2), 0.7) * x, (X,)),
    "a variance": (lambda x: np.cov(x, rowvar=False), (X,)),
    "a variance by position": (lambda x: np.cov(x, None, False, True), (X,)),
    "a variance of a list": (lambda x: np.cov([x[0], x[1], x[4]], rowvar=False), (X,)),
    "a variance with weights": (lambda x: np.cov(x, rowvar=False, aweights=np.arange(1.0, 6.0)), (X,)),
    "two vectors of observations": (lambda x, y: np.cov(x, y, rowvar=False), (X, X[::-1] ** 2)),
    "variables in columns": (lambda a: np.cov(a, rowvar=False), (A,)),
    "columns and a vector": (lambda a, x: np.cov(a, x[:4], rowvar=False, ddof=0), (A, X)),
    "rows of one matrix and of another": (lambda a, x: np.cov(x[None, :], np.sin(a.T)), (A, X[:4])),
    "one row and a vector of observations": (lambda a: np.cov(a[0][None, :], a[1], bias=True), (A,)),
    "a vector and one row, by columns": (lambda a: np.cov(a[0], a[1:2], rowvar=False), (A,)),
    "a correlation with one row": (lambda a: np.corrcoef(a[0][None, :], np.array([[1, 2, 5]])), (A,)),
    "columns twice": (lambda a: np.cov(a, y=np.sin(a), rowvar=False), (A,)),
    "the correlation of a variable": (lambda x: np.corrcoef(x, rowvar=False) + 0.0 * x[0], (X,)),
    "correlations of columns": (lambda a: np.corrcoef(a, rowvar=False), (A,)),
}


@pytest.mark.parametrize("name", turning(3, CALLS))
def test_values_and_derivatives_are_those_of_numpys(name: str) -> None:
    function, args = CALLS[name]
    value, _ = bs.vjp(function, *args, jit=False)
    assert np.asarray(value).dtype == np.asarray(function(*args)).dtype
    assert_derivatives(function, args, jit=False)


@pytest.mark.compiles
@pytest.mark.turns(11)
def test_compiled() -> None:
    assert_derivatives(lambda x: np.clip(WHOLE, 0.5, x[0]).sum() + np.cov(x, rowvar=False), (X,), jit=True)


@pytest.mark.compiles
def test_a_compiled_function_stays_numbas() -> None:
    @njit
    def clipped(x: float) -> Any:
        return np.sum(np.clip(np.arange(5), 0.5, x) * x)

    assert bs.value_and_grad(clipped, jit=False)(2.7) == (pytest.approx(clipped(2.7)), pytest.approx(7.0))


def test_rows_or_columns_are_known_while_compiling() -> None:
    def covariances(a: Any, n: int) -> Any:
        return np.cov(a, rowvar=n > 1)

    with pytest.raises(bs.UnsupportedError, match="rows or columns") as caught:
        bs.vjp(covariances, A, 2, jit=False)
    assert caught.value.problems[0].remedy
