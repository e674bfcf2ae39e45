"""Decompositions of SciPy's. Signs of eigenvectors and singular vectors are those that `np.linalg` has."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from backsweep.prelude.declare import as_floats, is_known, means, refuse
from backsweep.prelude.matrices.systems import mirrored
from backsweep.runtime.decompositions import nuclear_norm, polar_factor
from backsweep.runtime.matrices.eigenvalues import general_eig, general_eigvals
from backsweep.runtime.scipy.triangular import exchanged, packed_factors, triangle, triangular_solution

EPSILON = 2.220446049250313e-16


def _reduced_by(a, b, lower):
    """The matrix whose eigenvalues are those of `a` relative to `b`, and the Cholesky factor of `b`."""
    c = np.linalg.cholesky(mirrored(b, lower))
    left = triangular_solution(c, mirrored(a, lower), True, False)
    return triangular_solution(c, np.ascontiguousarray(np.conj(left.T)), True, False), c


@means(scipy.linalg.eigh)
def eigh(
    a,
    b=None,
    lower=True,
    eigvals_only=False,
    type=1,
    subset_by_index=None,
    subset_by_value=None,
):
    """The eigenvalues of a Hermitian matrix, or those relative to another, and vectors."""
    if eigvals_only:
        return eigvalsh(a, b, lower, type, subset_by_index, subset_by_value)
    if type != 1 or subset_by_index is not None or subset_by_value is not None:
        refuse("`eigh` is supported for all eigenvalues and type=1", "leave these arguments out", "BS202")
    if b is None:
        return np.linalg.eigh(a if lower else np.conj(a.T))
    inner, c = _reduced_by(a, b, lower)
    w, v = np.linalg.eigh(inner)
    return w, triangular_solution(np.conj(c.T), np.ascontiguousarray(v), False, False)


@means(scipy.linalg.eigvalsh)
def eigvalsh(a, b=None, lower=True, type=1, subset_by_index=None, subset_by_value=None):
    """The eigenvalues: all, or those from one place to another."""
    if type != 1 or subset_by_value is not None:
        refuse(
            "`eigvalsh` is supported for type=1, without bounds of the values",
            "leave these arguments out",
            "BS202",
        )
    if b is None:
        w = np.linalg.eigvalsh(a if lower else a.T)
    else:
        w = np.linalg.eigvalsh(_reduced_by(a, b, lower)[0])
    if subset_by_index is None:
        return w
    first, last = subset_by_index
    if not 0 <= first <= last < len(a):
        raise ValueError("`subset_by_index` is the numbers of the first and the last eigenvalue")
    return w[int(first) : int(last) + 1]


@means(scipy.linalg.eig)
def eig(a, b=None, left=False, right=True, homogeneous_eigvals=False):
    """The eigenvalues of any matrix, and its right eigenvectors."""
    if b is not None or left or homogeneous_eigvals:
        refuse(
            "`eig` is supported for one matrix and its right eigenvectors",
            "leave these arguments out",
            "BS202",
        )
    return general_eig(a) if right else general_eigvals(a)


@means(scipy.linalg.eigvals)
def eigvals(a, b=None, homogeneous_eigvals=False):
    """The eigenvalues of any matrix."""
    if b is not None or homogeneous_eigvals:
        refuse("`eigvals` is supported for one matrix", "leave these arguments out", "BS202")
    return general_eigvals(a)


def _not_unique(name):
    """The text for a function whose factors are not unique."""

    def refused():
        refuse(
            f"`{name}` has factors that are not unique, which have no derivative",
            "take scipy.linalg.eig, or eigh of what is Hermitian",
            "BS202",
        )

    return refused


for _each in ("schur", "rsf2csf", "hessenberg", "qz", "ordqz"):
    means(getattr(scipy.linalg, _each))(_not_unique(_each))


@means(scipy.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True):
    """The singular values and vectors."""
    if not compute_uv:
        return svdvals(a)
    return np.linalg.svd(a, bool(full_matrices))


@means(scipy.linalg.svdvals)
def svdvals(a):
    """The singular values."""
    return np.linalg.svd(a, False)[1]


@means(scipy.linalg.qr)
def qr(a, mode="full", pivoting=False):
    """Orthonormal columns and a triangular factor."""
    if pivoting or mode not in ("full", "r", "economic"):
        refuse(
            "`qr` is supported with the modes 'full', 'r' and 'economic', without pivoting",
            "give mode='economic'",
            "BS202",
        )
    if mode == "economic":
        return np.linalg.qr(a)
    if mode == "full":
        if a.shape[0] > a.shape[1]:
            return np.linalg.qr(a, "complete")
        return np.linalg.qr(a)
    r = np.linalg.qr(a)[1]
    whole = np.zeros(a.shape, r.dtype)
    whole[: r.shape[0]] = r
    return (whole,)


@means(scipy.linalg.lu)
def lu(a, permute_l=False, p_indices=False):
    """Triangular factors, and the matrix that exchanges rows, by itself or in the first factor."""
    if p_indices:
        refuse("`lu` is supported without `p_indices`", "leave it out", "BS202")
    factors, pivots = packed_factors(a)
    one = np.eye(a.shape[0])
    low, up = triangle(factors, True, True) + one, triangle(factors, False, False)
    if permute_l:
        return exchanged(low, pivots, True), up
    return exchanged(one, pivots, True), low, up


@means(scipy.linalg.pinv)
def pinv(a, atol=None, rtol=None, return_rank=False):
    """The pseudo-inverse of a matrix of full rank."""
    if atol is not None or rtol is not None or return_rank:
        refuse(
            "`pinv` is supported without tolerances and without the rank",
            "take np.linalg.pinv(a, rcond)",
            "BS202",
        )
    if np.linalg.matrix_rank(a) < min(a.shape[0], a.shape[1]):
        raise ValueError("scipy.linalg.pinv is supported for matrices of full rank; take np.linalg.pinv")
    return np.linalg.pinv(a)


@means(scipy.linalg.pinvh)
def pinvh(a, atol=None, rtol=None, lower=True, return_rank=False):
    """The inverse of a Hermitian matrix of full rank."""
    if atol is not None or rtol is not None or return_rank:
        refuse(
            "`pinvh` is supported without tolerances and without the rank",
            "take np.linalg.pinv(a, rcond)",
            "BS202",
        )
    whole = mirrored(a, lower)
    if np.linalg.matrix_rank(whole) < a.shape[0]:
        raise ValueError("scipy.linalg.pinvh is supported for matrices of full rank; take np.linalg.pinv")
    return np.linalg.inv(whole)


@means(scipy.linalg.norm)
def norm(a, ord=None, axis=None, keepdims=False):
    """The norm of a whole array."""
    if axis is not None or keepdims:
        refuse(
            "`norm` of SciPy is supported without `axis` and `keepdims`",
            "take np.linalg.norm",
            "BS202",
        )
    return np.linalg.norm(a) if ord is None else np.linalg.norm(a, ord)


@means(scipy.linalg.polar)
def polar(a, side="right"):
    """The nearest matrix with orthonormal columns or rows, and what is left of the matrix."""
    u = _of_full_rank(a)
    return u, (np.conj(u.T) @ a if side == "right" else a @ np.conj(u.T))


def _of_full_rank(a):
    """The polar factor of a matrix that has one: each singular value but zero gives it a vector of length 1."""
    u = polar_factor(a)
    if np.sum(np.abs(u) ** 2) < min(a.shape[0], a.shape[1]) - 0.5:
        raise ValueError("the matrix has not full rank: its polar factor is not unique")
    return u


@means(scipy.linalg.orthogonal_procrustes)
def orthogonal_procrustes(A, B):
    """The turn that brings one matrix nearest to another, and the sum of singular values."""
    if A.shape[0] != B.shape[0] or A.shape[1] != B.shape[1]:
        raise ValueError("the shapes of A and B differ")
    product = np.conj(A.T) @ B
    return _of_full_rank(product), nuclear_norm(product)


@means(scipy.linalg.eigh_tridiagonal)
def eigh_tridiagonal(d, e, eigvals_only=False, select="a", select_range=None, tol=0.0, lapack_driver="auto"):
    """The eigenvalues and vectors of a symmetric matrix with three diagonals."""
    if eigvals_only:
        return eigvalsh_tridiagonal(d, e, select)
    del select_range, tol
    if lapack_driver not in ("auto", "stev", "stevd"):
        refuse(
            "the signs of the vectors of `eigh_tridiagonal` are another driver's",
            "leave `lapack_driver` out",
            "BS202",
        )
    if select != "a":
        refuse(
            "`eigh_tridiagonal` is supported for all eigenvalues",
            "leave `select` out",
            "BS202",
        )
    return np.linalg.eigh(np.diag(d) + np.diag(e, -1))


@means(scipy.linalg.eigvalsh_tridiagonal)
def eigvalsh_tridiagonal(d, e, select="a", select_range=None, tol=0.0, lapack_driver="auto"):
    """The eigenvalues alone."""
    del select_range, tol, lapack_driver
    if select != "a":
        refuse("`eigvalsh_tridiagonal` is supported for all eigenvalues", "leave `select` out", "BS202")
    return np.linalg.eigvalsh(np.diag(d) + np.diag(e, -1))


def _count_above(s, rows, columns):
    """How many singular values are not zero up to rounding; the first is the largest, if there is one."""
    return int(np.sum(s > max(rows, columns) * EPSILON * s[:1].sum()))


@means(scipy.linalg.null_space)
def null_space(A, rcond=None):
    """Orthonormal columns that the matrix takes to zero."""
    if rcond is not None:
        refuse("`null_space` is supported without `rcond`", "leave it out", "BS202")
    _, s, vt = np.linalg.svd(A, True)
    return np.conj(vt[_count_above(s, A.shape[0], A.shape[1]) :].T)


@means(scipy.linalg.orth)
def orth(A, rcond=None):
    """Orthonormal columns that span what the matrix spans."""
    if rcond is not None:
        refuse("`orth` is supported without `rcond`", "leave it out", "BS202")
    u, s, _ = np.linalg.svd(A, False)
    return u[:, : _count_above(s, A.shape[0], A.shape[1])]


@means(scipy.linalg.rq)
def rq(a, mode="full"):
    """The factors of `qr` of the matrix that is turned round."""
    if mode not in ("full", "economic", "r"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic']")
    turned = np.conj(as_floats(a)[::-1, ::-1].T)
    if mode == "r":
        return np.conj(scipy.linalg.qr(turned, mode="r")[0].T)[::-1, ::-1].copy()
    q, r = scipy.linalg.qr(turned, mode=mode)
    return np.conj(r.T)[::-1, ::-1].copy(), np.conj(q.T)[::-1, ::-1].copy()


@means(scipy.linalg.qr_multiply)
def qr_multiply(a, c, mode="right", pivoting=False, conjugate=False):
    """The product with the unitary factor, and the triangular factor."""
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
def eigvals_banded(a_band, lower=False, select="a", select_range=None):
    """The eigenvalues of a Hermitian matrix by its diagonals: all, those of some places, or those within bounds."""
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
def eig_banded(a_band, lower=False, eigvals_only=False, select="a", select_range=None, max_ev=0):
    """The same; the vectors are refused, as nothing tells their signs."""
    del max_ev
    if not eigvals_only:
        refuse(
            "the signs of the vectors of `eig_banded` are another driver's",
            "give the whole matrix to np.linalg.eigh, or ask for eigvals_only=True",
        )
    return eigvals_banded(a_band, lower, select, select_range)
