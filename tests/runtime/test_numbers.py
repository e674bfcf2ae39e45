"""Functions of arrays that are given a number: values are NumPy's, and derivatives are right."""

# ruff: noqa: PLW0108  a library function itself has no text to differentiate
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests.frontend.test_library_calls import assert_derivatives
from tests.support.sampled import turning

FORMS: dict[str, Callable[[Any], Any]] = {
    "median": lambda x: np.median(x),
    "percentile": lambda x: np.percentile(x, 30),
    "percentiles": lambda x: np.percentile(x, [30, 40]),
    "quantile": lambda x: np.quantile(x, 0.3),
    "nanquantile": lambda x: np.nanquantile(x, 0.3),
    "cumsum": lambda x: np.cumsum(x),
    "cumprod": lambda x: np.cumprod(x),
    "nancumsum": lambda x: np.nancumsum(x),
    "argmax": lambda x: np.argmax(x) + np.argmin(x) + x,
    "count_nonzero": lambda x: np.count_nonzero(x) * x,
    "var": lambda x: np.var(x) + np.nanvar(x) + np.nanstd(x) + x,
    "sums without nan": lambda x: np.nansum(x) + np.nanprod(x) + np.nanmean(x) * np.nanmedian(x),
    "extremes without nan": lambda x: np.nanmax(x) * np.nanmin(x) + np.nanvar(x),
    "norm": lambda x: np.linalg.norm(x),
    "conj of an array without axes": lambda x: np.conj(np.array(x)) * x,
    "ravel": lambda x: np.ravel(x),
    "reshape": lambda x: np.reshape(x, (1, 1)),
    "expand_dims": lambda x: np.expand_dims(x, 0),
    "transpose": lambda x: np.transpose(x) * x,
    "tile": lambda x: np.tile(x, 3),
    "tile, axes": lambda x: np.tile(x, (2, 3)),
    "dot": lambda x: np.dot(x, x),
    "dot with a vector": lambda x: np.dot(x, np.arange(3.0)) + np.dot(np.arange(3.0), x),
    "vdot": lambda x: np.vdot(x, x),
    "hstack": lambda x: np.hstack((x, 2.0 * x)),
    "vstack": lambda x: np.vstack((x, 2.0 * x)),
    "stack": lambda x: np.stack((x, 2.0 * x)),
}


@pytest.mark.parametrize("name", turning(3, FORMS))
def test_of_a_number(name: str) -> None:
    assert_derivatives(FORMS[name], (0.7,), jit=False)


def test_vdot_of_matrices() -> None:
    a = np.arange(6.0).reshape(2, 3)
    assert_derivatives(lambda a: np.vdot(a, np.cos(a)), (a,), jit=False)
    assert_derivatives(lambda a: np.abs(np.vdot(a + 1j, a * a + 2j)), (a,), jit=False)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.vdot(x, (x * x).astype(np.float32)),
        lambda x: np.vdot(1j * x, x * x).imag,
        lambda x: np.abs(np.vdot(np.arange(3), (1.0 + 1j * x) * x)),
        lambda x: np.vdot(1j * np.ones((1, 3)), x).imag,
    ],
)
def test_vdot_of_two_kinds_of_numbers(function) -> None:
    x = np.array([0.5, 1.25, -2.0])
    value, gradient = bs.value_and_grad(function, jit=False)(x)
    assert value == pytest.approx(function(x), rel=1e-6)
    steps = 1e-3 * np.eye(3)
    slopes = [(function(x + step) - function(x - step)) / 2e-3 for step in steps]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-3)


@pytest.mark.compiles
def test_compiled() -> None:
    assert_derivatives(lambda x: np.cumsum(x) * np.median(x) + np.tile(x, 2) * np.dot(x, x), (0.7,), jit=True)
