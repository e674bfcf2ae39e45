"""Text that stands for decompositions of `scipy.linalg`, for functions of real matrices, and for systems that have a structure.

Signs of eigenvectors and singular vectors are those that `np.linalg` has.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from backsweep.runtime.decompositions import nuclear_norm, polar_factor
from backsweep.runtime.matrices.banded import banded_solution, both_sides, is_definite
from backsweep.runtime.matrices.eigenvalues import general_eig, general_eigvals
from backsweep.runtime.matrices.functions import logarithm, square_root
from backsweep.runtime.scipy.instead import Implementation, always, instead, never
from backsweep.runtime.scipy.triangular import exchanged, packed_factors, triangle, triangular_solution
from backsweep.runtime.support.compiled import kernel

NO_RESIDUE = "the residue is a number only if there are more rows than columns, and these have full rank; take np.linalg.lstsq"
EPSILON = 2.220446049250313e-16


@kernel
def mirrored(a, lower: bool):
    """The symmetric, or Hermitian, matrix with one triangle of `a`."""
    return triangle(a, lower, False) + np.conj(triangle(a, lower, True).T)


@kernel
def reduced_by(a, b, lower: bool):
    """The matrix whose eigenvalues are those of `a` relative to `b`, and the Cholesky factor of `b`."""
    c = np.linalg.cholesky(mirrored(b, lower))
    left = triangular_solution(c, mirrored(a, lower), True, False)
    return triangular_solution(c, np.ascontiguousarray(np.conj(left.T)), True, False), c


@instead(scipy.linalg.eigh, "a", "b")
def _eigh(
    a,
    b=None,
    lower: bool = True,
    eigvals_only: bool = False,
    type: int = 1,
    subset_by_index=None,
    subset_by_value=None,
) -> Implementation | str:
    def both(a):
        return np.linalg.eigh(a)

    def both_of_upper(a):
        return np.linalg.eigh(np.conj(a.T))

    def relative(a, b):
        inner, c = reduced_by(a, b, lower)
        w, v = np.linalg.eigh(inner)
        return w, triangular_solution(np.conj(c.T), np.ascontiguousarray(v), False, False)

    if eigvals_only:
        return _eigvalsh(
            a, b, lower, type=type, subset_by_index=subset_by_index, subset_by_value=subset_by_value
        )
    if type != 1 or subset_by_index is not None or subset_by_value is not None:
        return "`eigh` is supported for all eigenvalues and type=1: leave these arguments out"
    if b is not None:
        return relative
    return both if lower else both_of_upper


@instead(scipy.linalg.eigvalsh, "a", "b")
def _eigvalsh(
    a, b=None, lower: bool = True, type: int = 1, subset_by_index=None, subset_by_value=None
) -> Implementation | str:
    def values(a):
        return np.linalg.eigvalsh(a)

    def values_of_upper(a):
        return np.linalg.eigvalsh(a.T)

    def relative(a, b):
        inner, _ = reduced_by(a, b, lower)
        return np.linalg.eigvalsh(inner)

    if type != 1 or subset_by_value is not None:
        return "`eigvalsh` is supported for type=1, without bounds of the values: leave these arguments out"
    if subset_by_index is not None:
        first, last = (int(each) for each in subset_by_index)
        if first < 0 or last < first:
            return (
                "`subset_by_index` is two numbers of eigenvalues, the first and the last: write such numbers"
            )
        return _some_values(b is not None, lower, first, last)
    if b is not None:
        return relative
    return values if lower else values_of_upper


def _some_values(is_relative: bool, lower: bool, first: int, last: int) -> Implementation:
    """What gives the eigenvalues from one place to another."""

    def some(a):
        if last >= len(a):
            raise ValueError("the last of `subset_by_index` is beyond the last eigenvalue")
        return np.linalg.eigvalsh(a if lower else a.T)[first : last + 1]

    def some_relative(a, b):
        if last >= len(a):
            raise ValueError("the last of `subset_by_index` is beyond the last eigenvalue")
        inner, _ = reduced_by(a, b, lower)
        return np.linalg.eigvalsh(inner)[first : last + 1]

    return some_relative if is_relative else some


@instead(scipy.linalg.eig, "a")
def _eig(
    a, b=None, left: bool = False, right: bool = True, homogeneous_eigvals: bool = False
) -> Implementation | str:
    if b is not None or left or homogeneous_eigvals:
        return "`eig` is supported for one matrix and its right eigenvectors: leave these arguments out"
    return general_eig if right else general_eigvals


@instead(scipy.linalg.eigvals, "a")
def _eigvals(a, b=None, homogeneous_eigvals: bool = False) -> Implementation | str:
    if b is not None or homogeneous_eigvals:
        return "`eigvals` is supported for one matrix: leave these arguments out"
    return general_eigvals


never(
    scipy.linalg.schur,
    scipy.linalg.rsf2csf,
    scipy.linalg.hessenberg,
    scipy.linalg.qz,
    scipy.linalg.ordqz,
    why="has factors that are not unique, which have no derivative: take scipy.linalg.eig, or eigh of what is Hermitian",
)


@instead(scipy.linalg.svd, "a")
def _svd(a, full_matrices: bool = True, compute_uv: bool = True) -> Implementation | str:
    def full(a):
        return np.linalg.svd(a, True)

    def reduced(a):
        return np.linalg.svd(a, False)

    if not compute_uv:
        return _values
    return full if full_matrices else reduced


@always(scipy.linalg.svdvals)
def _values(a):
    return np.linalg.svd(a, False)[1]


@instead(scipy.linalg.qr, "a")
def _qr(a, mode: str = "full", pivoting: bool = False) -> Implementation | str:
    def economic(a):
        return np.linalg.qr(a)

    def full(a):
        if a.shape[0] > a.shape[1]:
            return np.linalg.qr(a, "complete")
        return np.linalg.qr(a)

    def triangular(a):
        r = np.linalg.qr(a)[1]
        whole = np.zeros(a.shape, r.dtype)
        whole[: r.shape[0]] = r
        return (whole,)

    if pivoting or mode not in ("full", "r", "economic"):
        return "`qr` is supported with the modes 'full', 'r' and 'economic', without pivoting: give mode='economic'"
    return {"full": full, "r": triangular, "economic": economic}[mode]


@instead(scipy.linalg.lu, "a")
def _lu(a, permute_l: bool = False, p_indices: bool = False) -> Implementation | str:
    def three(a):
        factors, pivots = packed_factors(a)
        one = np.eye(a.shape[0])
        return (
            exchanged(one, pivots, True),
            triangle(factors, True, True) + one,
            triangle(factors, False, False),
        )

    def two(a):
        factors, pivots = packed_factors(a)
        low = triangle(factors, True, True) + np.eye(a.shape[0])
        return exchanged(low, pivots, True), triangle(factors, False, False)

    if p_indices:
        return "`lu` is supported without `p_indices`: leave it out"
    return two if permute_l else three


@instead(scipy.linalg.pinv, "a")
def _pinv(
    a, atol: float | None = None, rtol: float | None = None, return_rank: bool = False
) -> Implementation | str:
    def inverse(a):
        if np.linalg.matrix_rank(a) < min(a.shape[0], a.shape[1]):
            raise ValueError("scipy.linalg.pinv is supported for matrices of full rank; take np.linalg.pinv")
        return np.linalg.pinv(a)

    if atol is not None or rtol is not None or return_rank:
        return "`pinv` is supported without tolerances and without the rank: take np.linalg.pinv(a, rcond)"
    return inverse


@instead(scipy.linalg.lstsq, "a", "b")
def _lstsq(a, b, cond: float | None = None, lapack_driver: str | None = None) -> Implementation | str:
    def solution(a, b):
        x, squares, rank, s = np.linalg.lstsq(a, b, smallest)
        if b.ndim == 1:
            if squares.size != 1:
                raise ValueError(NO_RESIDUE)
            return x, squares[0], rank, s
        return x, squares, rank, s

    if lapack_driver == "gelsy":
        return "`lstsq` is supported with the drivers 'gelsd' and 'gelss', which give singular values: leave it out"
    smallest = -1.0 if cond is None else cond
    return solution


@instead(scipy.linalg.norm, "a")
def _norm(a, ord=None, axis: int | None = None, keepdims: bool = False) -> Implementation | str:
    def plain(a):
        return np.linalg.norm(a)

    def of_order(a):
        return np.linalg.norm(a, ord)

    if axis is not None or keepdims:
        return "`norm` of SciPy is supported without `axis` and `keepdims`: take np.linalg.norm"
    return plain if ord is None else of_order


@instead(scipy.linalg.polar, "a")
def _polar(a, side: str = "right") -> Implementation | str:
    def right(a):
        u = of_full_rank(a)
        return u, np.conj(u.T) @ a

    def left(a):
        u = of_full_rank(a)
        return u, a @ np.conj(u.T)

    return right if side == "right" else left


@kernel
def of_full_rank(a):
    """The polar factor of a matrix that has one: each singular value but zero gives it a vector of length 1."""
    u = polar_factor(a)
    if np.sum(np.abs(u) ** 2) < min(a.shape[0], a.shape[1]) - 0.5:
        raise ValueError("the matrix has not full rank: its polar factor is not unique")
    return u


@always(scipy.linalg.orthogonal_procrustes)
def _orthogonal_procrustes(A, B):
    if A.shape[0] != B.shape[0] or A.shape[1] != B.shape[1]:
        raise ValueError("the shapes of A and B differ")
    product = np.conj(A.T) @ B
    return of_full_rank(product), nuclear_norm(product)


@instead(scipy.linalg.eigh_tridiagonal, "d", "e")
def _eigh_tridiagonal(
    d,
    e,
    eigvals_only: bool = False,
    select: str = "a",
    select_range=None,
    tol: float = 0.0,
    lapack_driver: str = "auto",
) -> Implementation | str:
    def both(d, e):
        return np.linalg.eigh(np.diag(d) + np.diag(e, -1))

    if eigvals_only:
        return _eigvalsh_tridiagonal(d, e, select, select_range)
    if lapack_driver not in ("auto", "stev", "stevd"):
        return (
            "the signs of the vectors of `eigh_tridiagonal` are another driver's: leave `lapack_driver` out"
        )
    return (
        both if select == "a" else "`eigh_tridiagonal` is supported for all eigenvalues: leave `select` out"
    )


@instead(scipy.linalg.eigvalsh_tridiagonal, "d", "e")
def _eigvalsh_tridiagonal(
    d, e, select: str = "a", select_range=None, tol: float = 0.0, lapack_driver: str = "auto"
) -> Implementation | str:
    def values(d, e):
        return np.linalg.eigvalsh(np.diag(d) + np.diag(e, -1))

    if select != "a":
        return "`eigvalsh_tridiagonal` is supported for all eigenvalues: leave `select` out"
    return values


@instead(scipy.linalg.pinvh, "a")
def _pinvh(
    a, atol: float | None = None, rtol: float | None = None, lower: bool = True, return_rank: bool = False
) -> Implementation | str:
    def inverse(a):
        whole = mirrored(a, lower)
        if np.linalg.matrix_rank(whole) < a.shape[0]:
            raise ValueError("scipy.linalg.pinvh is supported for matrices of full rank; take np.linalg.pinv")
        return np.linalg.inv(whole)

    if atol is not None or rtol is not None or return_rank:
        return "`pinvh` is supported without tolerances and without the rank: take np.linalg.pinv(a, rcond)"
    return inverse


@kernel
def count_above(s, rows: int, columns: int) -> int:
    """How many singular values are not zero up to rounding; the first is the largest, if there is one."""
    return int(np.sum(s > max(rows, columns) * EPSILON * s[:1].sum()))


@instead(scipy.linalg.null_space, "A")
def _null_space(A, rcond: float | None = None) -> Implementation | str:
    def below(A):
        _, s, vt = np.linalg.svd(A, True)
        return np.conj(vt[count_above(s, A.shape[0], A.shape[1]) :].T)

    return below if rcond is None else "`null_space` is supported without `rcond`: leave it out"


@instead(scipy.linalg.orth, "A")
def _orth(A, rcond: float | None = None) -> Implementation | str:
    def leading(A):
        u, s, _ = np.linalg.svd(A, False)
        return u[:, : count_above(s, A.shape[0], A.shape[1])]

    return leading if rcond is None else "`orth` is supported without `rcond`: leave it out"


always(scipy.linalg.sqrtm)(square_root)
always(scipy.linalg.logm)(logarithm)


@always(scipy.linalg.solve_banded)
def _solve_banded(l_and_u, ab, b):
    lower, upper = l_and_u
    return banded_solution(ab, b, lower, upper)


@instead(scipy.linalg.solveh_banded, "ab", "b")
def _solveh_banded(ab, b, lower: bool = False) -> Implementation | str:
    def solution(ab, b):
        upper = ab.shape[0] - 1
        whole = both_sides(ab, lower)
        if not is_definite(whole, upper):
            raise np.linalg.LinAlgError("a leading minor is not positive definite")
        return banded_solution(whole, b, upper, upper)

    return solution
