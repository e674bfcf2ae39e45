"""Matrices of SciPy that are made of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from backsweep.prelude.declare import is_complex, means, refuse


@means(scipy.linalg.leslie)
def leslie(f, s):
    """Fecundities in the first row, rates of survival below the diagonal."""
    if np.ndim(f) != 1 or np.ndim(s) != 1:
        refuse("`scipy.linalg.leslie` is supported of two vectors", "call it for each of the rows")
    if len(f) != len(s) + 1:
        raise ValueError(
            "Incorrect lengths for f and s. Length of s along the last axis must be one less than the length of f."
        )
    if len(s) == 0:
        raise ValueError("The length of s must be at least 1.")
    a = np.zeros((len(f), len(f)))
    a[0] = f
    for k in range(len(s)):
        a[k + 1, k] = s[k]
    return a


@means(scipy.linalg.fiedler)
def fiedler(a):
    """Distances of the entries from each other."""
    if np.ndim(a) != 1:
        refuse("`scipy.linalg.fiedler` is supported of a vector", "call it for each of the rows")
    return np.abs(np.reshape(a, (len(a), 1)) - a)


@means(scipy.linalg.convolution_matrix)
def convolution_matrix(a, n, mode="full"):
    """The matrix whose product with a vector of `n` entries is `np.convolve(a, v, mode)`."""
    if np.ndim(a) != 1 or mode not in ("full", "same", "valid"):
        refuse(
            "`scipy.linalg.convolution_matrix` is supported of a vector, with the modes 'full', 'same' and 'valid'",
            "call it for each of the rows",
        )
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    if len(a) == 0:
        raise ValueError("len(a) must be at least 1.")
    whole = np.zeros((n + len(a) - 1, n))
    for j in range(n):
        whole[j : j + len(a), j] = a
    if mode == "same":
        first = (min(n, len(a)) - 1) // 2
        return whole[first : first + max(n, len(a))]
    if mode == "valid":
        first = min(n, len(a)) - 1
        return whole[first : first + max(n, len(a)) - first]
    return whole


@means(scipy.linalg.matmul_toeplitz)
def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None):
    """The product with a matrix whose diagonals are constant: a convolution, by Fourier transforms."""
    del check_finite, workers
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, np.conj(c_or_cr))
    if np.ndim(c) != 1 or np.ndim(r) != 1 or np.ndim(x) not in (1, 2):
        refuse(
            "`scipy.linalg.matmul_toeplitz` is supported of a column and a row, and of a vector or a matrix",
            "call it for each of the matrices",
        )
    kind = np.complex128 if is_complex(c) or is_complex(r) or is_complex(x) else np.float64
    c, r, x = np.asarray(c, kind), np.asarray(r, kind), np.asarray(x, kind)
    if len(x) != len(r):
        raise ValueError("Incompatible dimensions.")
    around, count = np.concatenate((c, r[:0:-1])), len(c) + len(r) - 1
    columns = np.reshape(x, (len(x), -1))
    if is_complex(x):
        turned = np.reshape(np.fft.fft(around), (-1, 1)) * np.fft.fft(columns, count, axis=0)
        found: Any = np.fft.ifft(turned, axis=0)
    else:
        turned = np.reshape(np.fft.rfft(around), (-1, 1)) * np.fft.rfft(columns, count, axis=0)
        found = np.fft.irfft(turned, count, axis=0)
    return np.reshape(found[: len(c)], (len(c), *x.shape[1:]))
