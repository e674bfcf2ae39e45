"""Systems of SciPy's: by triangles, factors and diagonals, and equations of matrices, which are solved as one dense system for all entries."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from backsweep.prelude.declare import is_known, means, refuse
from backsweep.runtime.matrices.banded import banded_solution, both_sides, is_definite
from backsweep.runtime.scipy.triangular import exchanged, packed_factors, triangle, triangular_solution

NO_RESIDUE = "the residue is a number only if there are more rows than columns, and these have full rank; take np.linalg.lstsq"


def mirrored(a, lower):
    """The symmetric, or Hermitian, matrix with one triangle of `a`."""
    return triangle(a, lower, False) + np.conj(triangle(a, lower, True).T)


@means(scipy.linalg.solve)
def solve(a, b, lower=False, assume_a=None, transposed=False):
    """The solution of a system, by what is known of its matrix."""
    if assume_a in (None, "gen", "general"):
        return np.linalg.solve(a.T if transposed else a, b)
    if assume_a in ("sym", "symmetric"):
        return np.linalg.solve(triangle(a, lower, False) + triangle(a, lower, True).T, b)
    if assume_a in ("her", "hermitian"):
        return np.linalg.solve(mirrored(a, lower), b)
    if assume_a in ("pos", "positive definite"):
        return cho_solve((np.linalg.cholesky(a if lower else np.conj(a.T)), True), b)
    if assume_a in ("upper triangular", "lower triangular"):
        return solve_triangular(a, b, 1 if transposed else 0, assume_a == "lower triangular")
    return refuse(f"`assume_a={assume_a!r}` of `solve` is not supported", "leave it out", "BS202")


@means(scipy.linalg.solve_triangular)
def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False):
    """The solution of a triangular system, or of the one with the transposed matrix, or with the conjugate of that."""
    turned = _turned(a, trans, "solve_triangular")
    return triangular_solution(turned, b, bool(lower) != (trans not in (0, "N")), bool(unit_diagonal))


def _turned(a, trans, called):
    """The matrix, its transpose or the conjugate of that."""
    if not is_known(trans):
        refuse(f"`trans` of `{called}` is known only when the program runs", "write it as a literal", "BS115")
    if trans in (0, "N"):
        return a
    if trans in (1, "T"):
        return a.T
    if trans in (2, "C"):
        return np.conj(a.T)
    return refuse(f"`trans={trans!r}` of `{called}` is none of 0, 1, 2", "give one of these", "BS202")


@means(scipy.linalg.cholesky)
def cholesky(a, lower=False):
    """The triangular factor of a positive definite matrix."""
    return np.linalg.cholesky(a) if lower else np.linalg.cholesky(a.T).T


@means(scipy.linalg.cho_factor)
def cho_factor(a, lower=False):
    """The same, and which triangle it is."""
    return cholesky(a, lower), bool(lower)


@means(scipy.linalg.cho_solve)
def cho_solve(c_and_lower, b):
    """The solution by such a factor."""
    c, lower = c_and_lower
    if lower:
        x = triangular_solution(np.conj(c.T), triangular_solution(c, b, True, False), False, False)
    else:
        x = triangular_solution(c, triangular_solution(np.conj(c.T), b, True, False), False, False)
    return x


@means(scipy.linalg.lu_factor)
def lu_factor(a):
    """Packed factors, and the exchanges of rows."""
    return packed_factors(a)


@means(scipy.linalg.lu_solve)
def lu_solve(lu_and_piv, b, trans=0):
    """The solution by packed factors."""
    factors, pivots = lu_and_piv
    turned = _turned(factors, trans, "lu_solve")
    if trans in (0, "N"):
        y = triangular_solution(turned, exchanged(b, pivots, False), True, True)
        return triangular_solution(turned, y, False, False)
    y = triangular_solution(turned, b, True, False)
    return exchanged(triangular_solution(turned, y, False, True), pivots, True)


@means(scipy.linalg.inv)
def inv(a, assume_a=None, lower=False):
    """The inverse."""
    del lower
    if assume_a not in (None, "gen", "general"):
        refuse(f"`assume_a={assume_a!r}` of `inv` is not supported", "leave it out", "BS202")
    return np.linalg.inv(a)


@means(scipy.linalg.det)
def det(a):
    """The determinant."""
    return np.linalg.det(a)


@means(scipy.linalg.lstsq)
def lstsq(a, b, cond=None, lapack_driver=None):
    """The least squares, which must have a residue."""
    if lapack_driver == "gelsy":
        refuse(
            "`lstsq` is supported with the drivers 'gelsd' and 'gelss', which give singular values",
            "leave it out",
            "BS202",
        )
    x, squares, rank, s = np.linalg.lstsq(a, b, -1.0 if cond is None else cond)
    if b.ndim == 1:
        if squares.size != 1:
            raise ValueError(NO_RESIDUE)
        return x, squares[0], rank, s
    return x, squares, rank, s


@means(scipy.linalg.solve_banded)
def solve_banded(l_and_u, ab, b):
    """The solution of a system whose matrix is given by its diagonals."""
    lower, upper = l_and_u
    return banded_solution(ab, b, lower, upper)


@means(scipy.linalg.solveh_banded)
def solveh_banded(ab, b, lower=False):
    """The same of a symmetric or Hermitian matrix, which must be positive definite."""
    upper = ab.shape[0] - 1
    whole = both_sides(ab, lower)
    if not is_definite(whole, upper):
        raise np.linalg.LinAlgError("a leading minor is not positive definite")
    return banded_solution(whole, b, upper, upper)


@means(scipy.linalg.solve_sylvester)
def solve_sylvester(a, b, q):
    """The solution of a x + x b = q."""
    n, m = a.shape[0], b.shape[0]
    whole = np.zeros((n * m, n * m), (a[:1, :1] + b[:1, :1] + q[:1, :1]).dtype)
    for i in range(n):
        for j in range(m):
            for k in range(n):
                whole[i * m + j, k * m + j] += a[i, k]
            for k in range(m):
                whole[i * m + j, i * m + k] += b[k, j]
    return np.linalg.solve(whole, np.ascontiguousarray(q).reshape(n * m).astype(whole.dtype)).reshape((n, m))


@means(scipy.linalg.solve_continuous_lyapunov)
def solve_continuous_lyapunov(a, q):
    """The solution of a x + x a^H = q."""
    return solve_sylvester(a, np.conj(a.T), q)


@means(scipy.linalg.solve_discrete_lyapunov)
def solve_discrete_lyapunov(a, q, method=None):
    """The solution of x - a x a^H = q."""
    del method
    n = a.shape[0]
    kind = (a[:1, :1] + q[:1, :1]).dtype
    whole = np.eye(n * n).astype(kind) - np.kron(a, np.conj(a)).astype(kind)
    return np.linalg.solve(whole, np.ascontiguousarray(q).reshape(n * n).astype(kind)).reshape((n, n))
