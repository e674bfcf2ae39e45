"""Rosenbrock's function and Toeplitz systems, Faddeeva's function and spherical harmonics of SciPy's, and lists for vectors: values as SciPy has them, and derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
import scipy.integrate as si
import scipy.linalg
import scipy.ndimage as nd
import scipy.optimize as so
import scipy.signal as sg
import scipy.special as sp
import scipy.stats as st
from scipy.spatial import distance

from backsweep.runtime.scipy import sight
from backsweep.typing.implementations import implementation
from tests.frontend.test_library_calls import assert_derivatives
from tests.runtime.test_axes import array, assert_as_numpy
from tests.runtime.test_integrals import assert_second_order
from tests.support.sampled import turning

V, W = array((4,), "float64"), array((4,), "float64", 1)
A = array((4, 3), "float64")
C = np.array([4.0, 0.5, -0.3, 0.2])
CALLS: list[tuple[Any, tuple[Any, ...]]] = [
    *((each, (V,)) for each in (so.rosen, so.rosen_der, so.rosen_hess)),
    *((each, (V[:2],)) for each in (so.rosen, so.rosen_der, so.rosen_hess)),
    *((each, (A,)) for each in (so.rosen, so.rosen_der)),
    (so.rosen_hess_prod, (V, W)),
    (so.rosen, (np.arange(4),)),
    (scipy.linalg.solve_toeplitz, (C, V)),
    (scipy.linalg.solve_toeplitz, ((C, W), V)),
    (scipy.linalg.solve_toeplitz, (C, A)),
    (scipy.linalg.solve_toeplitz, (C + 0.1j, V + 0j)),
]


@pytest.mark.parametrize("call", turning(5, CALLS), ids=lambda call: call[0].__name__)
def test_values_are_scipys(call):
    function, args = call
    sight.meet(so.rosen)
    sight.meet(scipy.linalg.solve)
    if isinstance(args[0], tuple):
        np.testing.assert_allclose(scipy.linalg.toeplitz(*args[0]) @ function(*args), args[1])
    else:
        assert_as_numpy(function, args, {})


SMOOTH: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "rosen": (lambda x: so.rosen(x) * so.rosen_der(x) * 1e-3, (V,)),
    "rosen of columns": (lambda x: so.rosen(x), (A,)),  # noqa: PLW0108
    "rosen, second": (lambda x, p: 1e-3 * (so.rosen_hess(x) @ p - 0.5 * so.rosen_hess_prod(x, p)), (V, W)),
    "solve_toeplitz": (lambda c, b: scipy.linalg.solve_toeplitz(c, b), (C, V)),  # noqa: PLW0108
    "solve_toeplitz, both": (lambda c, b: scipy.linalg.solve_toeplitz((c, b * 0.2), b), (C, V)),
}


@pytest.mark.parametrize("name", turning(3, SMOOTH))
def test_derivatives(name):
    function, args = SMOOTH[name]
    assert_derivatives(function, args, jit=False)


@pytest.mark.parametrize("name", turning(5, [name for name in SMOOTH if "both" in name or "second" in name]))
def test_second_order(name):
    assert_second_order(*SMOOTH[name])


Z = np.array([0.3 + 0.5j, -1.2 + 2.0j, 7.0 + 0.2j, 0.4 - 0.6j, -2.0 - 1.5j, 1.0 + 0.0j])
FADDEEVA: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "real": (lambda v: sp.wofz(v).imag * sp.wofz(v).real, (V,)),
    "complex": (lambda v, w: sp.wofz(v + 1j * w).imag * sp.wofz(v + 1j * w).real, (V, W)),
    "number": (lambda v: sp.wofz(v[0] - 1j * v[1]).real + sp.wofz(v[2] + 1j * v[3] ** 2).imag, (V,)),
}


@pytest.mark.parametrize(
    "z", [Z, Z.real, Z[0], Z[3], 0.3], ids=lambda z: f"{np.ndim(z)} {np.asarray(z).dtype}"
)
def test_faddeeva(z):
    sight.meet(sp.erf)
    found = implementation(sp.wofz, (numba.typeof(z),), {}, None).dispatcher.py_func
    np.testing.assert_allclose(found(z), sp.wofz(z), rtol=1e-10)


@pytest.mark.parametrize("name", turning(3, FADDEEVA))
def test_derivatives_of_faddeeva(name):
    function, args = FADDEEVA[name]
    assert_derivatives(function, args, jit=False)
    if name == "complex":
        assert_second_order(function, args)


HARMONICS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "numbers": (lambda v: sp.sph_harm_y(3, -2, v[0], v[1]).real + sp.sph_harm_y(2, 1, v[2], v[3]).imag, (V,)),
    "arrays": (lambda t, p: sp.sph_harm_y(4, 3, t, p).imag + sp.sph_harm_y(2, -1, t, p[0]).real, (V, W)),
}


@pytest.mark.parametrize("degree", turning(3, [0, 1, 2, 5, 12]))
def test_harmonics(degree):
    sight.meet(sp.erf)
    types = (numba.int64, numba.int64, numba.typeof(V), numba.typeof(W))
    found = implementation(sp.sph_harm_y, types, {}, None).dispatcher.py_func
    for order in range(-degree - 1, degree + 2):
        np.testing.assert_allclose(found(degree, order, V, W), sp.sph_harm_y(degree, order, V, W), atol=1e-13)


@pytest.mark.parametrize("name", turning(3, HARMONICS))
def test_derivatives_of_harmonics(name):
    function, args = HARMONICS[name]
    assert_derivatives(function, args, jit=False)
    assert_second_order(function, args)


LISTS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "points": (lambda v, w: distance.euclidean([v[0], v[1]], [w[0], 1]), (V, W)),
    "samples": (lambda v: si.trapezoid([v[0], v[1], 2.0], x=[0, 1, v[2] ** 2]), (V,)),
    "coefficients": (lambda v: sg.lfilter([1.0, 0.5], [1.0, -0.2 * v[0]], v), (V,)),
    "weights": (lambda v: sg.convolve(v, [0.25, 0.5, 0.25], mode="same"), (V,)),
    "neighbours": (lambda v: nd.convolve1d(v, [0.25, 0.5, 0.2]), (V,)),
    "frequencies": (lambda v: st.entropy([v[0] ** 2, v[1] ** 2, 1.0]), (V,)),
}


@pytest.mark.parametrize("name", turning(5, LISTS))
def test_lists(name):
    function, args = LISTS[name]
    assert_derivatives(function, args, jit=False)


@pytest.mark.compiles
@pytest.mark.turns(14)
def test_lists_in_compiled_code():
    smoothed = numba.njit(lambda v: sg.lfilter([1.0, 0.5], [2, -1], v))
    np.testing.assert_allclose(smoothed(V), smoothed.py_func(V))
    assert_derivatives(smoothed, (V,), jit=False)
