"""Matrices of SciPy that are made of vectors, and functions of matrices in terms of their factors."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
import scipy.linalg

from backsweep.prelude.declare import as_floats, is_complex, is_known, means, refuse

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
def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None):
    """The product with a matrix whose diagonals are constant: a convolution, by Fourier transforms."""
    del check_finite, workers
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


@means(scipy.linalg.fractional_matrix_power)
def fractional_matrix_power(A, t):
    """The exponential of a multiple of the logarithm; whole powers that are written out are products."""
    if is_known(t) and t == int(t):
        return np.linalg.matrix_power(as_floats(A), int(t))
    return scipy.linalg.expm(t * scipy.linalg.logm(as_floats(A)))


@means(scipy.linalg.signm)
def signm(A):
    """The matrix with the same vectors whose eigenvalues are 1 and -1 by the sign of their real parts."""
    a = as_floats(A)
    return np.linalg.solve(scipy.linalg.sqrtm(a @ a), a)


@means(scipy.linalg.rq)
def rq(a, overwrite_a=False, lwork=None, mode="full", check_finite=True):
    """The factors of `qr` of the matrix that is turned round."""
    del overwrite_a, lwork, check_finite
    if mode not in ("full", "economic", "r"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic']")
    turned = np.conj(as_floats(a)[::-1, ::-1].T)
    if mode == "r":
        return np.conj(scipy.linalg.qr(turned, mode="r")[0].T)[::-1, ::-1].copy()
    q, r = scipy.linalg.qr(turned, mode=mode)
    return np.conj(r.T)[::-1, ::-1].copy(), np.conj(q.T)[::-1, ::-1].copy()


@means(scipy.linalg.qr_multiply)
def qr_multiply(a, c, mode="right", pivoting=False, conjugate=False, overwrite_a=False, overwrite_c=False):
    """The product with the unitary factor, and the triangular factor."""
    del overwrite_a, overwrite_c
    if pivoting:
        refuse("`qr_multiply` is supported without pivoting", "leave `pivoting=` out")
    if mode not in ("left", "right"):
        raise ValueError(f"Mode argument should be either 'left' or 'right', and not '{mode}'")
    q, r = scipy.linalg.qr(as_floats(a), mode="economic")
    c = as_floats(c)
    if conjugate:
        q = np.conj(q)
    return c @ q if mode == "right" else q @ c, r


@means(scipy.linalg.subspace_angles)
def subspace_angles(A, B):
    """Angles between what two sets of columns span, the largest first: by their sines where they are small."""
    one, other = _orthonormal(A), _orthonormal(B)
    if len(one) != len(other):
        raise ValueError(f"A and B must have the same number of rows, got {len(one)} and {len(other)}")
    if one.shape[1] < other.shape[1]:
        one, other = other, one
    shared = np.conj(one.T) @ other
    cosines = np.minimum(np.linalg.svd(shared)[1][::-1], 1.0)
    sines = np.minimum(np.linalg.svd(other - one @ shared, full_matrices=False)[1], 1.0)
    is_small = cosines**2 >= 0.5
    angles = np.arcsin(np.where(is_small, sines, 0.0))
    return np.where(is_small, angles, np.arccos(np.where(is_small, 0.0, cosines)))


def _orthonormal(a):
    """Orthonormal columns that span the same."""
    a = as_floats(a)
    if a.ndim != 2:
        raise ValueError("expected a matrix")
    lengths = np.linalg.svd(a, full_matrices=False)[1]
    if a.shape[1] > a.shape[0] > 0 or np.any(
        lengths <= lengths[:1] * np.finfo(np.float64).eps * max(a.shape)
    ):
        raise ValueError("columns that depend on one another: leave out those that the others make")
    return scipy.linalg.qr(a, mode="economic")[0]


@means(scipy.linalg.eigvals_banded)
def eigvals_banded(
    a_band, lower=False, overwrite_a_band=False, select="a", select_range=None, check_finite=True
):
    """The eigenvalues of a Hermitian matrix by its diagonals: all, those of some places, or those within bounds."""
    del overwrite_a_band, check_finite
    if not is_known(select):
        refuse("`select` of `eigvals_banded` is known only when the program runs", 'write it out, as in "i"')
    if select not in (*("a", "all", 0), *("v", "value", 1), *("i", "index", 2)):
        raise ValueError("invalid argument for select")
    bands = as_floats(a_band)
    count, n = bands.shape
    a = np.zeros((n, n), bands.dtype)
    for k in range(min(count, n)):
        for j in range(n - k):
            if lower:
                a[j + k, j] = bands[k, j]
            else:
                a[j + k, j] = np.conj(bands[count - 1 - k, j + k])
    w = np.linalg.eigvalsh(a)
    if select in ("v", "value", 1):
        return w[(w > select_range[0]) & (w <= select_range[1])]
    if select in ("i", "index", 2):
        if not 0 <= select_range[0] <= select_range[1] < n:
            raise ValueError("select_range out of bounds")
        return w[select_range[0] : select_range[1] + 1]
    return w


@means(scipy.linalg.eig_banded)
def eig_banded(
    a_band,
    lower=False,
    eigvals_only=False,
    overwrite_a_band=False,
    select="a",
    select_range=None,
    max_ev=0,
    check_finite=True,
):
    """The same; the vectors are refused, as nothing tells their signs."""
    del overwrite_a_band, max_ev, check_finite
    if not eigvals_only:
        refuse(
            "the signs of the vectors of `eig_banded` are another driver's",
            "give the whole matrix to np.linalg.eigh, or ask for eigvals_only=True",
        )
    return scipy.linalg.eigvals_banded(a_band, lower, False, select, select_range)


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
def solve_toeplitz(c_or_cr, b, check_finite=True):
    """The solution of a system whose matrix has constant diagonals."""
    del check_finite
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
