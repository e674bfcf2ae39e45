"""Convolutions and filters of `scipy.signal`: values as SciPy has them, and derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
import scipy.signal as sg

import backsweep as bs
from backsweep.runtime.scipy import sight
from tests.frontend.test_library_calls import assert_derivatives
from tests.runtime.test_axes import array, assert_as_numpy
from tests.runtime.test_integrals import assert_second_order
from tests.support.sampled import turning

V, K = array((7,), "float64"), array((4,), "float64", 1)
A, B = array((4, 5), "float64"), array((2, 3), "float64", 1)
T = array((2, 3, 4), "float64")
Z = array((5,), "complex128")
BACK = np.array([2.0, -0.4, 0.3])
LONG = array((11,), "float64")
SECTIONS = np.array([[0.5, 0.2, 0.1, 1.0, -0.4, 0.2], [1.0, 0.3, 0.0, 1.0, 0.5, 0.1]])
BY_MODE: list[tuple[Any, tuple[Any, ...]]] = [
    *((each, (V, K)) for each in (sg.convolve, sg.fftconvolve, sg.oaconvolve, sg.correlate)),
    *((each, (K, V)) for each in (sg.convolve, sg.fftconvolve, sg.correlate)),
    *((each, (A, B)) for each in (sg.convolve, sg.fftconvolve, sg.oaconvolve, sg.correlate)),
    *((each, (B, A)) for each in (sg.convolve, sg.correlate)),
    *((each, (A, B)) for each in (sg.convolve2d, sg.correlate2d)),
    *((each, (B, A)) for each in (sg.convolve2d, sg.correlate2d)),
]
CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    *((each, args, {"mode": mode}) for each, args in BY_MODE for mode in ("full", "same", "valid")),
    (sg.convolve, (np.arange(4), np.arange(3)), {}),
    (sg.fftconvolve, (np.arange(1, 5), np.arange(1, 4)), {}),
    (sg.convolve, (np.arange(6).reshape(2, 3), np.ones((2, 2), np.int64)), {"method": "direct"}),
    (sg.convolve, (T, T[:, 1:]), {"mode": "same"}),
    (sg.correlate, (Z, Z[:3]), {}),
    (sg.convolve, (Z, V), {"mode": "same"}),
    *((sg.lfilter, (each, BACK, V), {}) for each in (K, K[:1], K[:3])),
    (sg.lfilter, (K, BACK[:1], V), {}),
    (sg.lfilter, (K, BACK, A), {}),
    (sg.lfilter, (K, BACK, A), {"axis": 0}),
    (sg.lfilter, (K, BACK, np.arange(5)), {}),
    *((sg.lfilter_zi, (b, a), {}) for b, a in ((K, BACK), (K[:2], BACK), (BACK, K[:2] + 1.0))),
    (sg.filtfilt, (K[:2], BACK, LONG), {}),
    (sg.filtfilt, (K[:2], BACK, V), {"padtype": None}),
    (sg.filtfilt, (K[:1], np.array([1.0, -0.4]), A.T), {"axis": 0, "padtype": None}),
    (sg.filtfilt, (K[:1], np.array([1.0, -0.4]), np.append(A, A, 1)), {}),
    *((sg.hilbert, (each,), {}) for each in (V, V[:4], A)),
    (sg.hilbert, (A,), {"axis": 0}),
    (sg.sosfilt, (SECTIONS, V), {}),
    (sg.sosfilt, (SECTIONS, A), {"axis": 0}),
    *((sg.detrend, (each,), {}) for each in (V, A, Z, V[:3], np.arange(4) ** 2)),
    (sg.detrend, (A,), {"axis": 0}),
    (sg.detrend, (T,), {"axis": 1, "type": "constant"}),
]


@pytest.mark.parametrize("call", turning(18, CALLS), ids=lambda call: f"{call[0].__name__} {call[2]}")
def test_values_are_scipys(call):
    sight.meet(sg.convolve)
    assert_as_numpy(*call)


def filtered_on(x, start):
    y, rest = sg.lfilter(K, BACK, x, zi=start)
    z, rest = sg.lfilter(K, BACK, x * x, zi=rest)
    return np.sum(y * y) + np.sum(rest * rest) + np.sum(z)


SMOOTH: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "convolve": (lambda x, k: sg.fftconvolve(x, k), (V, K)),  # noqa: PLW0108
    "convolve, same": (lambda x, k: sg.correlate(x, k, mode="same"), (V, K)),
    "convolve, valid": (lambda x, k: sg.correlate(k, x, "valid"), (V, K)),
    "convolve, axes": (lambda x, k: sg.convolve(x, k, "same") + sg.correlate(x, k, "same"), (A, B)),
    "convolve2d": (lambda x, k: sg.convolve2d(x, k) * sg.correlate2d(x, k), (A, B)),
    "lfilter": (lambda b, x: sg.lfilter(b, x[:2] + 2.0, x), (K, V)),
    "lfilter, axis": (lambda x: sg.lfilter(K, BACK, x, axis=0), (A,)),
    "lfilter, start": (filtered_on, (V, K[:3])),
    "lfilter, few": (lambda x, start: filtered_on(x[:2], start), (V, K[:3])),
    "filtfilt": (lambda b, x: sg.filtfilt(b, np.array([1.0, -0.4]), x), (K[:2], V)),
    "filtfilt, steady": (lambda b, a: sg.lfilter_zi(b, a) + sg.filtfilt(b, a, LONG)[2], (K[:3], BACK)),
    "hilbert": (lambda x: np.abs(sg.hilbert(x, axis=0)), (A,)),
    "sosfilt": (lambda x: sg.sosfilt(SECTIONS, x), (A,)),
    "detrend": (lambda x: sg.detrend(x, axis=0) ** 2 + sg.detrend(x, type="constant"), (A,)),
}


@pytest.mark.parametrize("name", turning(9, SMOOTH))
def test_derivatives(name):
    function, args = SMOOTH[name]
    assert_derivatives(function, args, jit=False)


@pytest.mark.parametrize("name", turning(12, SMOOTH))
def test_second_order(name):
    assert_second_order(*SMOOTH[name])


def test_what_scipy_refuses():
    for error, call in (
        ("at least as large", lambda a, b: sg.convolve(a[:1], b, "valid")),
        ("greater than padlen", lambda a, b: sg.filtfilt(b[0], b[1], a[0])),
        ("length of zi", lambda a, b: sg.lfilter(b[0], a[0], a[1], zi=b[0])[0]),
        ("shape", lambda a, b: sg.sosfilt(b, a)),
    ):
        with pytest.raises(ValueError, match=error):
            bs.grad(lambda a, b, call=call: np.sum(call(a, b)), jit=False)(A, B)


@numba.njit
def smoothed(x, k):
    return np.sum(sg.lfilter(k, np.array([1.0, -0.5]), sg.fftconvolve(x, k, mode="same")) ** 2)


@pytest.mark.compiles
@pytest.mark.turns(14)
def test_compiled():
    np.testing.assert_allclose(smoothed(V, K), smoothed.py_func(V, K))
    assert_derivatives(smoothed, (V, K), jit=False)
