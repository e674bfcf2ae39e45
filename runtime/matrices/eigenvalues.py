"""Eigenvalues and right eigenvectors of a general matrix, always as complex numbers.

Numba's functions raise for a real matrix whose eigenvalues are complex. LAPACK gives these in pairs, of which we make complex numbers
here: its function for real matrices has its own order of the eigenvalues, which that for complex ones need not have.
"""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable
from numba.np.linalg import ensure_lapack

from backsweep.runtime.support.compiled import kernel

KINDS = {types.float32: ("s", np.complex64), types.float64: ("d", np.complex128)}
NONE, VECTORS = ord("N"), ord("V")


def _both(x):
    w, v = np.linalg.eig(x)
    kind = (w[:1] * np.ones(1, np.complex64)).dtype
    return w.astype(kind), v.astype(kind)


def _values(x):
    w = np.linalg.eigvals(x)
    return w.astype((w[:1] * np.ones(1, np.complex64)).dtype)


@overload(_both)
def _compiled_both(x):
    def of_complex(x):
        return np.linalg.eig(x)

    def of_real(x):
        return pairs(x, VECTORS)

    def of_whole_numbers(x):
        return pairs(x.astype(np.float64), VECTORS)

    if isinstance(x.dtype, types.Complex):
        return of_complex
    pairs = _pairs_of(x.dtype if x.dtype in KINDS else types.float64)
    return of_real if x.dtype in KINDS else of_whole_numbers


@overload(_values)
def _compiled_values(x):
    def of_complex(x):
        return np.linalg.eigvals(x)

    def of_real(x):
        return pairs(x, NONE)[0]

    def of_whole_numbers(x):
        return pairs(x.astype(np.float64), NONE)[0]

    if isinstance(x.dtype, types.Complex):
        return of_complex
    pairs = _pairs_of(x.dtype if x.dtype in KINDS else types.float64)
    return of_real if x.dtype in KINDS else of_whole_numbers


def _pairs_of(dtype):
    """The compiled function of a real matrix, which asks LAPACK; without vectors it gives an array in which nothing is set."""
    ensure_lapack()
    letter, of_complex = KINDS[dtype]
    kind = ord(letter)
    array = types.CPointer(dtype)
    geev = types.ExternalFunction(
        "numba_ez_rgeev",
        types.intc(
            *(types.char, types.char, types.char, types.intp, array, types.intp),
            *(array, array, array, types.intp, array, types.intp),
        ),
    )

    @register_jitable
    def pairs(x, wanted: int):
        n = x.shape[0]
        if x.shape[1] != n:
            raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square.")
        if not np.all(np.isfinite(x)):
            raise np.linalg.LinAlgError("Array must not contain infs or NaNs.")
        w, v = np.empty(n, of_complex), np.empty((n, n), of_complex)
        if n == 0:
            return w, v
        spoiled = np.ascontiguousarray(x.T).copy()  # its rows are columns of `x`
        real, imaginary = np.empty(n, x.dtype), np.empty(n, x.dtype)
        left, right = np.empty((1, n), x.dtype), np.empty((n, n), x.dtype)
        failed = geev(
            kind,
            NONE,
            wanted,
            n,
            spoiled.ctypes,
            n,
            real.ctypes,
            imaginary.ctypes,
            left.ctypes,
            1,
            right.ctypes,
            n,
        )
        if failed != 0:
            raise np.linalg.LinAlgError("Eigenvalues did not converge.")
        for j in range(n):
            w[j] = complex(real[j], imaginary[j])
            for i in range(n):
                if imaginary[j] == 0.0:
                    v[i, j] = complex(right[j, i], 0.0)
                elif imaginary[j] > 0.0:
                    v[i, j] = complex(right[j, i], right[j + 1, i])
                else:
                    v[i, j] = complex(right[j - 1, i], -right[j, i])
        return w, v

    return pairs


@kernel
def general_eig(x):
    """Eigenvalues and right eigenvectors of a real or complex matrix, both complex."""
    return _both(x)


@kernel
def general_eigvals(x):
    """Eigenvalues of a real or complex matrix, as complex numbers."""
    return _values(x)
