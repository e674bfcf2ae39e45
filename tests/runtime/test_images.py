"""Filters of `scipy.ndimage`: values as SciPy has them, and derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
import scipy.ndimage as nd

import backsweep as bs
from backsweep.runtime.scipy import sight
from tests.frontend.test_library_calls import assert_derivatives
from tests.runtime.test_axes import array, assert_as_numpy
from tests.runtime.test_integrals import assert_second_order
from tests.support.sampled import turning

V, K = array((6,), "float64"), array((4,), "float64", 1)
A, B = array((4, 5), "float64"), array((2, 3), "float64", 1)
T = array((2, 3, 4), "float64")
MODES = ("reflect", "mirror", "nearest", "wrap", "constant")
CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    *((each, (V, K), {"mode": mode}) for each in (nd.correlate1d, nd.convolve1d) for mode in MODES),
    *((each, (V[:2], K), {"mode": mode}) for each in (nd.correlate1d,) for mode in MODES),
    *((each, (A, K[:3]), {"axis": 0, "origin": 1}) for each in (nd.correlate1d, nd.convolve1d)),
    *((each, (A, K), {"origin": -2}) for each in (nd.correlate1d,)),
    *((each, (A, B), {"mode": mode, "cval": 0.5}) for each in (nd.correlate, nd.convolve) for mode in MODES),
    *((each, (A, B), {"origin": -1}) for each in (nd.correlate,)),
    (nd.convolve, (T, T[:, :2, :3]), {}),
    *((nd.gaussian_filter1d, (V, 0.8), {"order": order}) for order in range(4)),
    (nd.gaussian_filter1d, (A, 1.1), {"axis": 0, "truncate": 2.0, "mode": "nearest"}),
    (nd.gaussian_filter1d, (A, 1), {"radius": 2}),
    (nd.gaussian_filter, (A, 0.7), {}),
    (nd.gaussian_filter, (A, (0.7, 0.0)), {"mode": ("wrap", "constant"), "order": (1, 0)}),
    (nd.gaussian_filter, (T, 1), {}),
    *((nd.uniform_filter1d, (V, size), {}) for size in (1, 2, 3, 5)),
    (nd.uniform_filter1d, (A, 2), {"axis": 0, "origin": -1}),
    (nd.uniform_filter, (A,), {}),
    (nd.uniform_filter, (A, (2, 1)), {"mode": "mirror"}),
    (nd.sobel, (A,), {}),
    (nd.sobel, (A,), {"axis": 0, "mode": "nearest"}),
    (nd.laplace, (A,), {}),
]


@pytest.mark.parametrize("call", turning(15, CALLS), ids=lambda call: f"{call[0].__name__} {call[2]}")
def test_values_are_scipys(call):
    sight.meet(nd.convolve)
    assert_as_numpy(*call)


SMOOTH: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "correlate1d": (lambda x, k: nd.correlate1d(x, k, mode="mirror"), (V, K)),
    "convolve1d": (lambda x, k: nd.convolve1d(x, k, axis=0, mode="constant", cval=k[0]), (A, K)),
    "correlate": (lambda x, k: nd.correlate(x, k, mode="wrap"), (A, B)),
    "convolve": (lambda x, k: nd.convolve(x, k), (A, B)),  # noqa: PLW0108
    "gaussian_filter1d": (lambda x, s: nd.gaussian_filter1d(x, 0.7 + s[0] ** 2, order=1), (V, K)),
    "gaussian_filter": (lambda x: nd.gaussian_filter(x, 0.8), (A,)),
    "uniform_filter1d": (lambda x: nd.uniform_filter1d(x, 3, mode="nearest"), (V,)),
    "uniform_filter": (lambda x: nd.uniform_filter(x, 2), (A,)),
    "differences": (lambda x: nd.sobel(x) * nd.laplace(x), (A,)),
}


@pytest.mark.parametrize("name", turning(8, SMOOTH))
def test_derivatives(name):
    function, args = SMOOTH[name]
    assert_derivatives(function, args, jit=False)


@pytest.mark.parametrize("name", turning(24, SMOOTH))
def test_second_order(name):
    assert_second_order(*SMOOTH[name])


def test_what_scipy_refuses():
    with pytest.raises(ValueError, match="Invalid origin"):
        bs.grad(lambda a, b: np.sum(nd.correlate1d(a, b, origin=3)), jit=False)(V, K)


@numba.njit
def smoothed(x, k):
    return np.sum(nd.convolve(nd.gaussian_filter(x, 0.8), k) ** 2)


@pytest.mark.compiles
@pytest.mark.turns(14)
def test_compiled():
    np.testing.assert_allclose(smoothed(A, B), smoothed.py_func(A, B))
    assert_derivatives(smoothed, (A, B), jit=False)
