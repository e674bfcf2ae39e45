"""Discrete Fourier transforms: values as NumPy has them, and derivatives, which are transforms again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
import scipy.fft

import backsweep as bs
from backsweep.runtime.transforms.fourier import fast_length, transform
from tests.frontend.test_library_calls import assert_derivatives
from tests.runtime.test_axes import array, assert_as_numpy
from tests.support.sampled import turning

A = array((3, 4), "float64")
V = array((6,), "float64")
W = array((6,), "float64", 1)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 12, 17, 64, 100, 1009])
def test_lengths(n):
    z = array((n,), "complex128")
    np.testing.assert_allclose(transform(z, 0, -1.0), np.fft.fft(z), atol=1e-12 * n)
    np.testing.assert_allclose(transform(z, 0, 1.0) / n, np.fft.ifft(z), atol=1e-12)


def test_no_numbers():
    with pytest.raises(ValueError, match="Invalid number of data points"):
        transform(np.zeros(0, np.complex128), 0, -1.0)


Z = array((3, 4), "complex128")
T = array((2, 3, 4), "float64")
TZ = array((2, 3, 4), "complex128")
CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    *((function, (V,), {}) for function in (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft)),
    *((function, (Z[0],), {"n": 5}) for function in (np.fft.fft, np.fft.ifft, np.fft.irfft)),
    *((function, (Z[0],), {"norm": "ortho"}) for function in (np.fft.fft, np.fft.ifft, np.fft.irfft)),
    *((function, (V,), {"norm": "forward", "n": 3}) for function in (np.fft.fft, np.fft.ifft, np.fft.rfft)),
    *((function, (A,), {"axis": 0}) for function in (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft)),
    *((function, (A.astype("float32"),), {}) for function in (np.fft.fft, np.fft.rfft, np.fft.irfft)),
    *((function, (np.arange(5),), {}) for function in (np.fft.fft, np.fft.rfft)),
    *((function, (Z,), {}) for function in (np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn)),
    (np.fft.rfft, (np.asfortranarray(A),), {"axis": -1, "n": 3}),
    (np.fft.fftfreq, (5,), {}),
    (np.fft.fftfreq, (6, 0.5), {}),
    (np.fft.rfftfreq, (5, 0.5), {}),
    (np.fft.fftshift, (A,), {}),
    (np.fft.ifftshift, (A,), {"axes": 1}),
    (np.fft.fftshift, (T,), {"axes": (0, 2)}),
    *((function, (T,), {}) for function in (np.fft.rfft2, np.fft.rfftn, np.fft.fftn)),
    *((function, (TZ,), {}) for function in (np.fft.irfft2, np.fft.irfftn)),
    (np.fft.rfft2, (A.astype("float32"),), {"norm": "ortho"}),
    (np.fft.rfftn, (T,), {"axes": (2, 0), "norm": "forward"}),
    (np.fft.irfftn, (TZ,), {"axes": (1, 0)}),
    (np.fft.rfftn, (A,), {"axes": (0, 0, 1), "s": (2, 5, 4)}),
    (np.fft.irfft2, (TZ,), {"s": (4, 5)}),
    (np.fft.fft2, (A,), {"s": (4, -1)}),
    *((np.fft.hfft, (Z,), {"norm": norm}) for norm in ("backward", "ortho", "forward")),
    (np.fft.hfft, (Z,), {"axis": 0, "n": 5}),
    (np.fft.ihfft, (A,), {"axis": 0, "n": 5}),
]
REAL = (scipy.fft.dct, scipy.fft.idct, scipy.fft.dst, scipy.fft.idst)
OF_SCIPY: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    *(
        (function, (V,), {"type": kind, "norm": norm})
        for function in REAL
        for kind in (1, 2, 3, 4)
        for norm in ("backward", "ortho", "forward")
    ),
    *((scipy.fft.dct, (V,), {"type": kind, "orthogonalize": True}) for kind in (1, 2, 3, 4)),
    *((scipy.fft.idst, (V,), {"type": kind, "norm": "ortho", "orthogonalize": False}) for kind in (2, 3)),
    *((function, (A,), {"n": 5, "axis": 0}) for function in REAL),
    (scipy.fft.dct, (A.astype("float32"),), {}),
    (scipy.fft.dctn, (T,), {"axes": (0, 2), "type": 3}),
    (scipy.fft.idctn, (T,), {"axes": 1, "type": 1, "norm": None}),
    (scipy.fft.idstn, (T,), {"s": (4, 2)}),
    *((getattr(scipy.fft, name), (A,), {}) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")),
    *((getattr(scipy.fft, name), (A,), {}) for name in ("fft2", "ifftn", "rfft2", "irfftn")),
    *((getattr(scipy.fft, name), (TZ,), {"norm": "forward"}) for name in ("hfft2", "hfftn")),
    *((getattr(scipy.fft, name), (T,), {}) for name in ("ihfft2", "ihfftn")),
    (scipy.fft.hfftn, (Z,), {"s": (4, 5), "norm": "ortho"}),
    (scipy.fft.ihfft2, (T,), {"axes": (0, 1), "s": (3, 4)}),
    (scipy.fft.fft, (Z,), {"n": 5, "axis": 0, "norm": "ortho"}),
    (scipy.fft.fftshift, (T,), {"axes": (0, 1)}),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0].__name__} {call[2]}")
def test_values_are_numpys(call):
    function, args, keywords = call
    if function in (np.fft.fftfreq, np.fft.rfftfreq):  # constants, of whole numbers that only the run knows
        args = (int(args[0]), *args[1:])
    assert_as_numpy(function, args, keywords)


@pytest.mark.parametrize("call", turning(6, OF_SCIPY), ids=lambda call: f"{call[0].__name__} {call[2]}")
def test_values_are_scipys(call):
    assert_as_numpy(*call)


@pytest.mark.parametrize("real", [False, True])
def test_fast_lengths(real):
    assert all(fast_length(n, real) == scipy.fft.next_fast_len(n, real) for n in range(1, 200))


SMOOTH: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "fft": (lambda v: np.fft.fft(v).real, (V,)),
    "fft of a strided row": (lambda a: np.fft.fft(a[:, 0]).imag, (A,)),
    "fft, longer": (lambda v: np.fft.fft(v, 8).imag, (V,)),
    "fft, shorter": (lambda v: np.fft.fft(v, 4).real, (V,)),
    "fft, ortho": (lambda v: np.fft.fft(v, norm="ortho").real, (V,)),
    "fft, axis": (lambda a: np.fft.fft(a, axis=0).real, (A,)),
    "ifft": (lambda v, w: np.fft.ifft(v + 1j * w).imag, (V, W)),
    "rfft": (lambda v: np.abs(np.fft.rfft(v)) ** 2, (V,)),
    "rfft, axis": (lambda a: np.fft.rfft(a, axis=0).real, (A,)),
    "irfft": (lambda v, w: np.fft.irfft(np.fft.rfft(v) * w[1]), (V, W)),
    "irfft, odd": (lambda v, w: np.fft.irfft(v + 1j * w, 7), (V, W)),
    "irfft, axis": (lambda a: np.fft.irfft(a * (1 + 2j), axis=1), (A,)),
    "fft2": (lambda a: np.abs(np.fft.fft2(a)), (A,)),
    "ifft2": (lambda a: np.fft.ifft2(a * (1 + 2j)).imag, (A,)),
    "fftn": (lambda a: np.fft.fftn(a).imag, (A,)),
    "convolution": (lambda v, w: np.real(np.fft.ifft(np.fft.fft(v) * np.fft.fft(w))), (V, W)),
    "fftshift": (lambda a: np.fft.fftshift(a) * a, (A,)),
    "rfft2": (lambda a: np.abs(np.fft.rfft2(a)) ** 2, (A,)),
    "irfft2": (lambda a: np.fft.irfft2(a * (1 + 2j), s=(4, 5)), (A,)),
    "rfftn": (lambda a: np.fft.rfftn(a, axes=(1, 0)).imag, (A,)),
    "irfftn": (lambda a: np.fft.irfftn(a * (1 + 2j)), (A,)),
    "hfft": (lambda v, w: np.fft.hfft(v + 1j * w), (V, W)),
    "ihfft": (lambda a: np.fft.ihfft(a, axis=0).imag, (A,)),
    "hfft2": (lambda a: scipy.fft.hfft2(a * (1 + 2j), s=(4, 5)), (A,)),
    "ihfftn": (lambda a: np.abs(scipy.fft.ihfftn(a, norm="ortho")) ** 2, (A,)),
    "fftshift, axes": (lambda a: np.fft.fftshift(a, axes=(0, 1)) * a, (A,)),
    "frequencies": (lambda v: np.fft.fftfreq(6, v[0]) + np.fft.rfftfreq(10, d=v[1]), (V,)),
    "dct": (lambda v: scipy.fft.dct(v) * v, (V,)),
    "idct": (lambda v: scipy.fft.idct(v * v, norm="ortho"), (V,)),
    "dct, types": (lambda v: scipy.fft.dct(v, type=1) * scipy.fft.dct(v, 3) * scipy.fft.dct(v, 4), (V,)),
    "dst": (lambda a: scipy.fft.dst(a, axis=0, norm="forward"), (A,)),
    "idst, types": (lambda v: scipy.fft.idst(v, type=1, n=5) * scipy.fft.idst(v, 4, n=5), (V,)),
    "dctn": (lambda a: scipy.fft.dctn(a, norm="ortho"), (A,)),
    "dctn, one axis": (lambda a: scipy.fft.dctn(a, axes=0), (A,)),
    "transforms of SciPy": (lambda a: scipy.fft.irfft2(scipy.fft.rfft2(a) ** 2), (A,)),
    "padded": (lambda v: scipy.fft.rfft(v, scipy.fft.next_fast_len(v.size + 7, real=True)).real, (V,)),
    "spectral slope": (lambda v: np.fft.ifft(2j * np.pi * np.fft.fftfreq(6) * np.fft.fft(v)).real, (V,)),
}


@pytest.mark.parametrize("name", turning(6, SMOOTH))
def test_derivatives(name):
    function, args = SMOOTH[name]
    assert_derivatives(function, args, jit=False)


@pytest.mark.compiles
@pytest.mark.turns(12)
@pytest.mark.parametrize("name", ["rfft", "irfft", "fft2", "rfft2", "dctn"])
def test_compiled(name):
    function, args = SMOOTH[name]
    assert_derivatives(function, args, jit=True)


@pytest.mark.parametrize("name", turning(30, SMOOTH))
def test_second_order(name):
    function, args = SMOOTH[name]
    scalars = (
        lambda x: np.sum(np.sin(function(x))),
        lambda x, y: np.sum(np.sin(function(x, y))),
    )
    bs.check_grads(bs.grad(scalars[len(args) - 1], jit=False), args)


@numba.njit
def power(v):
    return np.abs(np.fft.rfft(v)) ** 2


@numba.njit
def compressed(v):
    c = scipy.fft.dct(v, norm="ortho")
    c[3:] = 0.0
    return scipy.fft.idct(c, norm="ortho")


@pytest.mark.compiles
@pytest.mark.turns(11)
def test_compiled_functions_of_the_user():
    np.testing.assert_allclose(power(V), power.py_func(V), rtol=1e-12)
    bs.check_grads(lambda v: np.sum(power(v) * np.arange(4)), (V,))


@pytest.mark.compiles
@pytest.mark.turns(11)
def test_cosines_in_compiled_functions_of_the_user():
    np.testing.assert_allclose(compressed(V), compressed.py_func(V), rtol=1e-12)
    bs.check_grads(lambda v: np.sum(compressed(v) * np.arange(6)), (V,))


def test_the_adjoint_is_a_transform():
    assert (
        "transform("
        in bs.grad(lambda v: np.sum(np.fft.fft(v).real ** 2), jit=False).source(V).split("reverse")[1]
    )


def test_refused_in_words():
    with pytest.raises(bs.UnsupportedError, match="is for real numbers"):
        bs.grad(lambda v: np.sum(np.abs(np.fft.rfft(v * 1j))), jit=False)(V)
    with pytest.raises(bs.UnsupportedError, match="is no literal from 1 to 4"):
        bs.grad(lambda v: np.sum(scipy.fft.dct(v, type=5)), jit=False)(V)
    with pytest.raises(bs.UnsupportedError, match="has 3 extents for 2 axes"):
        bs.grad(lambda a: np.sum(np.fft.rfft2(a, s=(2, 3, 4)).real), jit=False)(A)
