"""Matrices of SciPy that are made of vectors, and systems with such matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
import scipy.linalg

from backsweep.prelude.declare import as_floats, is_complex, means, refuse

_TAKES_STACKS = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17)


@means(scipy.linalg.leslie)
def leslie(f, s):
    """Fecundities in the first row, rates of survival below the diagonal."""
    if np.ndim(f) > 1 or np.ndim(s) > 1:
        _only_with_stacks()
        f, s = as_floats(f), as_floats(s)
        return _of_rows(leslie, (f.shape[-1], f.shape[-1]), f, s)
    if len(f) != len(s) + 1:
        raise ValueError(
            "Incorrect lengths for f and s. Length of s along the last axis must be one less than the length of f."
        )
    if len(s) == 0:
        raise ValueError("The length of s must be at least 1.")
    a = np.zeros((len(f), len(f)), _kind(f, s))
    a[0] = f
    for k in range(len(s)):
        a[k + 1, k] = s[k]
    return a


def _kind(*parts):
    """Of which kind a matrix is that is made of these."""
    return np.complex128 if any(is_complex(each) for each in parts) else np.float64


@means(scipy.linalg.fiedler)
def fiedler(a):
    """Distances of the entries from each other."""
    a = np.asarray(a)
    return np.abs(np.expand_dims(a, -1) - np.expand_dims(a, -2))


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
    whole = np.zeros((n + len(a) - 1, n), _kind(a))
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
def matmul_toeplitz(c_or_cr, x):
    """The product with a matrix whose diagonals are constant: a convolution, by Fourier transforms."""
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, np.conj(c_or_cr))
    if np.ndim(c) != 1 or np.ndim(r) != 1 or np.ndim(x) not in (1, 2):
        refuse(
            "`scipy.linalg.matmul_toeplitz` is supported of a column and a row, and of a vector or a matrix",
            "call it for each of the matrices",
        )
    kind = np.complex128 if is_complex(x) else _kind(c, r)
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


@means(scipy.linalg.fiedler_companion)
def fiedler_companion(a):
    """A matrix with five diagonals whose eigenvalues are the roots of a polynomial."""
    a = as_floats(a)
    if a.ndim > 1:
        return _of_rows(_fiedler_companion_of_first, (a.shape[-1] - 1, a.shape[-1] - 1), a, a)
    if len(a) < 2:
        raise ValueError("SciPy has an empty vector for the matrix of a constant, which has no square matrix")
    if a[0] == 0.0:
        raise ValueError("Leading coefficient is zero.")
    a, n = a / a[0], len(a) - 1
    c = np.zeros((n, n), a.dtype)
    for k in range(0, n - 2, 2):
        c[k, k + 2] = 1.0
    for k in range(1, n - 2, 2):
        c[k + 2, k] = 1.0
    c[0, 0] = -a[1]
    if n > 1:
        c[1, 0] = 1.0
    for k in range(0, n - 1, 2):
        c[k, k + 1] = -a[k + 2]
    for k in range(1, n - 1, 2):
        c[k + 1, k] = -a[k + 2]
    return c


def _fiedler_companion_of_first(a, _):
    """The same of the first of two vectors."""
    return fiedler_companion(a)


@means(scipy.linalg.toeplitz)
def toeplitz(c, r=None):
    """The matrix with constant diagonals; of stacks, one for each column and row."""
    c = np.asarray(c)
    r = np.conj(c) if r is None else np.asarray(r)
    if c.ndim > 1 or r.ndim > 1:
        _only_with_stacks()
        return _of_rows(toeplitz, (c.shape[-1], r.shape[-1]), as_floats(c), as_floats(r))
    y = np.empty((c.size, r.size), (c[:1] + r[:1]).dtype)
    for i in range(c.size):
        for j in range(r.size):
            y[i, j] = c[i - j] if i >= j else r[j - i]
    return y


@means(scipy.linalg.hankel)
def hankel(c, r=None):
    """The matrix whose entries are those of `c` by the sum of their subscripts, and then those of `r` behind its first."""
    c = np.asarray(c)
    r = np.zeros_like(c) if r is None else np.asarray(r)
    if c.ndim > 1 or r.ndim > 1:
        refuse(
            "`scipy.linalg.hankel` is supported of vectors, as SciPy's versions make different things of matrices",
            "call it for each of the rows",
        )
    y = np.empty((c.size, r.size), (c[:1] + r[:1]).dtype)
    for i in range(c.size):
        for j in range(r.size):
            y[i, j] = c[i + j] if i + j < c.size else r[i + j - c.size + 1]
    return y


@means(scipy.linalg.circulant)
def circulant(c):
    """The matrix whose columns are `c`, moved round; of a stack, one for each row."""
    c = np.asarray(c)
    if c.ndim > 1:
        _only_with_stacks()
    places = np.arange(c.shape[-1])
    return np.take(c, np.mod(np.reshape(places, (-1, 1)) - places, c.shape[-1]), axis=-1)


@means(scipy.linalg.companion)
def companion(a):
    """The matrix whose eigenvalues are the roots of a polynomial; of a stack, one for each row."""
    a = np.asarray(a)
    n = a.shape[-1] - 1
    y = np.zeros((*a.shape[:-1], n, n), (a[:1] / a[:1]).dtype)
    y[..., 0, :] = -a[..., 1:] / a[..., :1]
    for k in range(1, n):
        y[..., k, k - 1] = 1.0
    return y


@means(scipy.linalg.khatri_rao)
def khatri_rao(a, b):
    """The products of the entries of two columns each."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape[1] != b.shape[1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    return np.reshape(a[:, np.newaxis, :] * b, (a.shape[0] * b.shape[0], a.shape[1]))


@means(scipy.linalg.solve_circulant)
def solve_circulant(c, b):
    """The solution of a system whose matrix has as columns `c`, moved round."""
    return np.linalg.solve(circulant(c), as_floats(b))


@means(scipy.linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr, b):
    """The solution of a system whose matrix has constant diagonals."""
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    if np.ndim(c) != 1 or (r is not None and np.ndim(r) != 1):
        refuse(
            "`scipy.linalg.solve_toeplitz` takes the first column, or a tuple of the first column and row",
            "give vectors",
        )
    return np.linalg.solve(toeplitz(c, r), as_floats(b))


def _only_with_stacks():
    """Refuse stacks where SciPy joins their rows to one vector."""
    if not _TAKES_STACKS:
        refuse("SciPy takes stacks of vectors for matrices since 1.17", "call it for each of the rows")


def _of_rows(function, shape, one, other):
    """The matrices of this shape that a function makes of two vectors each, for stacks of these that broadcast."""
    lead = np.broadcast_shapes(one.shape[:-1], other.shape[:-1])
    ones = np.ascontiguousarray(np.broadcast_to(one, (*lead, one.shape[-1]))).reshape((-1, one.shape[-1]))
    others = np.ascontiguousarray(np.broadcast_to(other, (*lead, other.shape[-1])))
    others = others.reshape((-1, other.shape[-1]))
    result = np.zeros((len(ones), *shape), _kind(one, other))
    for i in range(len(ones)):
        result[i] = function(ones[i], others[i])
    return result.reshape((*lead, *shape))


@means(scipy.linalg.block_diag)
def block_diag(a, b=None, c=None, d=None):
    """Up to four matrices along a diagonal."""
    y = np.atleast_2d(a)
    for each in (b, c, d):
        if each is not None:
            y = _along_diagonal(y, np.atleast_2d(each))
    return y


def _along_diagonal(one, other):
    """Two matrices along a diagonal."""
    n, m = one.shape
    result = np.zeros((n + other.shape[0], m + other.shape[1]), (one[:1, :1] + other[:1, :1]).dtype)
    result[:n, :m] = one
    result[n:, m:] = other
    return result
