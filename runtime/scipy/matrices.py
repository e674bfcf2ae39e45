"""Text that stands for functions of `scipy.linalg`: solutions of systems, factors, exponentials, of real matrices."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from backsweep.runtime.scipy.instead import Implementation, always, instead
from backsweep.runtime.scipy.instead import register as register_instead
from backsweep.runtime.scipy.triangular import (
    exchanged,
    exponential,
    exponential_slope,
    packed_factors,
    triangle,
    triangular_solution,
)
from backsweep.runtime.support.compiled import kernel


def register() -> None:
    """Tell Numba of these functions."""
    register_instead("scipy.linalg")


TRANSPOSED = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}
"""Values of `trans`: the matrix, its transpose, the conjugate of that."""
GENERAL = (None, "gen", "general")
SYMMETRIC = ("sym", "symmetric")
HERMITIAN = ("her", "hermitian")
POSITIVE = ("pos", "positive definite")


@instead(scipy.linalg.solve, "a", "b")
def _solve(
    a, b, lower: bool = False, assume_a: str | None = None, transposed: bool = False
) -> Implementation | str:
    def general(a, b):
        return np.linalg.solve(a, b)

    def of_transposed(a, b):
        return np.linalg.solve(a.T, b)

    def symmetric(a, b):
        return np.linalg.solve(triangle(a, lower, False) + triangle(a, lower, True).T, b)

    def hermitian(a, b):
        return np.linalg.solve(triangle(a, lower, False) + np.conj(triangle(a, lower, True).T), b)

    def definite_lower(a, b):
        c = np.linalg.cholesky(a)
        return triangular_solution(np.conj(c.T), triangular_solution(c, b, True, False), False, False)

    def definite_upper(a, b):
        c = np.linalg.cholesky(np.conj(a.T))
        return triangular_solution(np.conj(c.T), triangular_solution(c, b, True, False), False, False)

    if assume_a in GENERAL:
        return of_transposed if transposed else general
    if assume_a in SYMMETRIC:
        return symmetric
    if assume_a in HERMITIAN:
        return hermitian
    if assume_a in POSITIVE:
        return definite_lower if lower else definite_upper
    if assume_a in ("upper triangular", "lower triangular"):
        return _triangular(assume_a.startswith("lower"), False, int(transposed))
    return f"`assume_a={assume_a!r}` of `solve` is not supported: leave it out"


@instead(scipy.linalg.solve_triangular, "a", "b")
def _solve_triangular(
    a, b, trans: int | str = 0, lower: bool = False, unit_diagonal: bool = False
) -> Implementation | str:
    if trans not in TRANSPOSED:
        return f"`trans={trans!r}` of `solve_triangular` is none of 0, 1, 2: give one of these"
    return _triangular(bool(lower), bool(unit_diagonal), TRANSPOSED[trans])


def _triangular(lower: bool, unit: bool, transposed: int) -> Implementation:
    """The solution of a triangular system, or of the one with the transposed matrix, or with the conjugate of that."""

    def plain(a, b):
        return triangular_solution(a, b, lower, unit)

    def of_transposed(a, b):
        return triangular_solution(a.T, b, upper, unit)

    def of_conjugate(a, b):
        return triangular_solution(np.conj(a.T), b, upper, unit)

    upper = not lower
    return (plain, of_transposed, of_conjugate)[transposed]


@instead(scipy.linalg.cholesky, "a")
def _cholesky(a, lower: bool = False) -> Implementation | str:
    def lower_factor(a):
        return np.linalg.cholesky(a)

    def upper_factor(a):
        return np.linalg.cholesky(a.T).T

    return lower_factor if lower else upper_factor


@instead(scipy.linalg.cho_factor, "a")
def _cho_factor(a, lower: bool = False) -> Implementation | str:
    def lower_factor(a):
        return np.linalg.cholesky(a), True

    def upper_factor(a):
        return np.linalg.cholesky(a.T).T, False

    return lower_factor if lower else upper_factor


@always(scipy.linalg.cho_solve)
def _cho_solve(c_and_lower, b):
    c, lower = c_and_lower
    if lower:
        x = triangular_solution(np.conj(c.T), triangular_solution(c, b, True, False), False, False)
    else:
        x = triangular_solution(c, triangular_solution(np.conj(c.T), b, True, False), False, False)
    return x


always(scipy.linalg.lu_factor)(packed_factors)
always(scipy.linalg.expm)(exponential)


@instead(scipy.linalg.lu_solve, "lu_and_piv", "b")
def _lu_solve(lu_and_piv, b, trans: int | str = 0) -> Implementation | str:
    def plain(lu_and_piv, b):
        factors, pivots = lu_and_piv
        y = triangular_solution(factors, exchanged(b, pivots, False), True, True)
        return triangular_solution(factors, y, False, False)

    def of_transposed(lu_and_piv, b):
        factors, pivots = lu_and_piv
        y = triangular_solution(factors.T, b, True, False)
        return exchanged(triangular_solution(factors.T, y, False, True), pivots, True)

    def of_conjugate(lu_and_piv, b):
        factors, pivots = lu_and_piv
        y = triangular_solution(np.conj(factors.T), b, True, False)
        return exchanged(triangular_solution(np.conj(factors.T), y, False, True), pivots, True)

    if trans not in TRANSPOSED:
        return f"`trans={trans!r}` of `lu_solve` is none of 0, 1, 2: give one of these"
    return (plain, of_transposed, of_conjugate)[TRANSPOSED[trans]]


@instead(scipy.linalg.inv, "a")
def _inv(a, assume_a: str | None = None, lower: bool = False) -> Implementation | str:
    def inverse(a):
        return np.linalg.inv(a)

    if assume_a not in GENERAL:
        return f"`assume_a={assume_a!r}` of `inv` is not supported: leave it out"
    return inverse


@always(scipy.linalg.det)
def _det(a):
    return np.linalg.det(a)


@instead(scipy.linalg.expm_frechet, "A", "E")
def _expm_frechet(A, E, method: str | None = None, compute_expm: bool = True) -> Implementation | str:
    def both(A, E):
        return exponential(A), exponential_slope(A, E)

    return both if compute_expm else exponential_slope


@always(scipy.linalg.tanm)
def _tanm(A):
    return np.linalg.solve(cosine(A), sine(A))


@always(scipy.linalg.tanhm)
def _tanhm(A):
    return np.linalg.solve(hyperbolic_cosine(A), hyperbolic_sine(A))


@always(scipy.linalg.coshm)
@kernel
def hyperbolic_cosine(a):
    """The mean of the exponentials of a matrix and of its negative."""
    twice = exponential(a) + exponential(-a)
    return (0.5 * twice).astype(twice.dtype)


@always(scipy.linalg.sinhm)
@kernel
def hyperbolic_sine(a):
    """Half of the difference of these exponentials."""
    twice = exponential(a) - exponential(-a)
    return (0.5 * twice).astype(twice.dtype)


@always(scipy.linalg.cosm)
@kernel
def cosine(a):
    """The cosine of a matrix: of a real one, it is real."""
    n = a.shape[0]
    return turned_by(a)[:n, :n]


@always(scipy.linalg.sinm)
@kernel
def sine(a):
    """The sine of a matrix."""
    n = a.shape[0]
    return turned_by(a)[n:, :n]


@kernel
def turned_by(a):
    """The exponential of ((0, -a), (a, 0)): it has cosines on the diagonal and the sine beside it, whether `a` is real or complex."""
    n = a.shape[0]
    both = np.zeros((2 * n, 2 * n), a.dtype)
    both[:n, n:] = -a
    both[n:, :n] = a
    return exponential(both)


@kernel
def _two(a, b):
    """Two matrices along a diagonal."""
    first, second = np.atleast_2d(a), np.atleast_2d(b)
    n, m = first.shape
    result = np.zeros((n + second.shape[0], m + second.shape[1]), (first[:1, :1] + second[:1, :1]).dtype)
    result[:n, :m] = first
    result[n:, m:] = second
    return result


@kernel
def _three(a, b, c):
    """Three matrices along a diagonal."""
    return _two(_two(a, b), c)


@kernel
def _four(a, b, c, d):
    """Four matrices along a diagonal."""
    return _two(_two(a, b), _two(c, d))


@instead(scipy.linalg.block_diag, "a", "b", "c", "d")
def _block_diag(a, b, c=None, d=None) -> Implementation | str:
    if d is not None:
        return _four
    return _two if c is None else _three
