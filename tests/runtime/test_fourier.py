"""Discrete Fourier transforms: values as NumPy has them, and derivatives, which are transforms again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.runtime.overloads.fourier import transform
from tests.frontend.test_library_calls import assert_derivatives
from tests.runtime.test_axes import array, assert_as_numpy
from tests.support.sampled import turning

A = array((3, 4), "float64")
V = array((6,), "float64")
W = array((6,), "float64", 1)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 12, 17, 64, 100, 1009])
def test_lengths(n):
    z = array((n,), "complex128")
    np.testing.assert_allclose(transform(z, -1.0), np.fft.fft(z), atol=1e-12 * n)
    np.testing.assert_allclose(transform(z, 1.0) / n, np.fft.ifft(z), atol=1e-12)


def test_no_numbers():
    with pytest.raises(ValueError, match="Invalid number of data points"):
        transform(np.zeros(0, np.complex128), -1.0)


Z = array((3, 4), "complex128")
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
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0].__name__} {call[2]}")
def test_values_are_numpys(call):
    function, args, keywords = call
    if function in (np.fft.fftfreq, np.fft.rfftfreq):  # constants, of whole numbers that only the run knows
        args = (int(args[0]), *args[1:])
    assert_as_numpy(function, args, keywords)


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
    "spectral slope": (lambda v: np.fft.ifft(2j * np.pi * np.fft.fftfreq(6) * np.fft.fft(v)).real, (V,)),
}


@pytest.mark.parametrize("name", turning(2, SMOOTH))
def test_derivatives(name):
    function, args = SMOOTH[name]
    assert_derivatives(function, args, jit=False)


@pytest.mark.compiles
@pytest.mark.turns(4)
@pytest.mark.parametrize("name", ["rfft", "irfft", "fft2"])
def test_compiled(name):
    function, args = SMOOTH[name]
    assert_derivatives(function, args, jit=True)


@pytest.mark.parametrize("name", turning(5, SMOOTH))
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


@pytest.mark.compiles
@pytest.mark.turns(4)
def test_compiled_functions_of_the_user():
    np.testing.assert_allclose(power(V), power.py_func(V), rtol=1e-12)
    bs.check_grads(lambda v: np.sum(power(v) * np.arange(4)), (V,))


def test_the_adjoint_is_a_transform():
    assert (
        "transform("
        in bs.grad(lambda v: np.sum(np.fft.fft(v).real ** 2), jit=False).source(V).split("reverse")[1]
    )


def test_refused_in_words():
    with pytest.raises(bs.TypingError, match="is for real numbers"):
        bs.grad(lambda v: np.sum(np.abs(np.fft.rfft(v * 1j))), jit=False)(V)
