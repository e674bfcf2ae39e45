"""One factorisation of a matrix for all that is asked of it: solutions of systems, those with its transpose, its inverse and determinant.

What `np.linalg` raises is raised here, where an answer is asked: for entries that are not finite, and, where a solution or the inverse is asked, for a singular matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload
from numba.np.linalg import F_INT_nbtype, F_INT_nptype, ensure_lapack, get_blas_kind

from backsweep.runtime.linalg import NOT_FINITE, SINGULAR
from backsweep.runtime.scipy.triangular import exchanged, packed_factors, triangular_solution
from backsweep.runtime.support.compiled import declared, kernel


@kernel
def has_only_finite(x) -> bool:
    """Whether all entries are finite."""
    finite = True
    for row in x:
        for entry in row:
            finite &= np.isfinite(entry)
    return finite


@declared(shaped_like="x", kind="FACTORISATION")
@kernel
def lu_factors(x):
    """The packed factors of a matrix, and the exchanges of its rows.

    Nothing is raised: a matrix without factors has a negative exchange, and who asks for an answer by them is told why.
    """
    if x.shape[0] != x.shape[1]:
        return _without_factors(x, -2)
    if not has_only_finite(x):
        return _without_factors(x, -1)
    return packed_factors(x)


@kernel
def _without_factors(x, why: int):
    """A matrix where factors would stand, laid out as they are, and the mark that says why there are none."""
    return x.T.copy().T, np.full(1, why)


@kernel
def check_factors(pivots) -> None:
    """Raise where the matrix has no factors."""
    if pivots.size == 1 and pivots[0] == -1:
        raise np.linalg.LinAlgError(NOT_FINITE)
    if pivots.size == 1 and pivots[0] == -2:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square.")


@kernel
def check_regular(factors) -> None:
    """Raise where the factors are those of a singular matrix."""
    for i in range(factors.shape[0]):
        if factors[i, i] == 0.0:
            raise np.linalg.LinAlgError(SINGULAR)


@kernel
def _check_sides(factors, pivots, y) -> None:
    """Raise where no system with these right-hand sides has a solution."""
    check_factors(pivots)
    if y.shape[0] != pivots.size:
        raise np.linalg.LinAlgError("Incompatible array sizes, system is not dimensionally valid.")
    if not has_only_finite(y.ravel().reshape((1, y.size))):
        raise np.linalg.LinAlgError(NOT_FINITE)
    check_regular(factors)


def _laid_out(z):
    """The array; a matrix laid out as Numba's solutions are, by columns."""
    return z if z.ndim == 1 else np.asfortranarray(z)


@overload(_laid_out)
def _laid_out_in_compiled_code(z):
    def as_it_is(z):
        return z

    def by_columns(z):
        return np.asfortranarray(z)

    return as_it_is if z.ndim == 1 else by_columns


@declared(shaped_like="y", kind="FACTORISATION")
@kernel
def lu_solution(factors, pivots, y):
    """The solution of a system with the matrix of these factors, or of several."""
    _check_sides(factors, pivots, y)
    z = triangular_solution(factors, exchanged(y, pivots, False), True, True)
    return _laid_out(triangular_solution(factors, z, False, False))


@declared(shaped_like="y", kind="FACTORISATION")
@kernel
def lu_solution_turned(factors, pivots, y):
    """The same with the transposed matrix."""
    _check_sides(factors, pivots, y)
    z = triangular_solution(factors.T, triangular_solution(factors.T, y, True, False), False, True)
    return _laid_out(exchanged(z, pivots, True))


def _invert(factors, pivots) -> None:
    """Replace packed factors, laid out by columns, by the inverse of their matrix."""
    factors[:] = lu_solution(factors.copy(), pivots, np.eye(pivots.size).astype(factors.dtype))


@overload(_invert)
def _invert_by_lapack(factors, pivots):  # noqa: ARG001  Numba goes by the names
    ensure_lapack()
    kind = ord(get_blas_kind(factors.dtype))
    getri = types.ExternalFunction(
        "numba_ez_xxgetri",
        types.intc(
            types.char, types.intp, types.CPointer(factors.dtype), types.intp, types.CPointer(F_INT_nbtype)
        ),
    )

    def by_lapack(factors, pivots):
        n = pivots.size
        places = np.empty(n, F_INT_nptype)
        for k in range(n):
            places[k] = pivots[k] + 1
        getri(kind, n, factors.ctypes, n, places.ctypes)

    return by_lapack


@declared(shaped_like="factors", kind="FACTORISATION")
@kernel
def lu_inverse(factors, pivots):
    """The inverse of the matrix of these factors; laid out as Numba's: by columns."""
    check_factors(pivots)
    check_regular(factors)
    y = factors.T.copy().T
    if pivots.size > 0:
        _invert(y, pivots)
    return y


@kernel
def lu_slogdet(factors, pivots):
    """The sign of the determinant of a real matrix with these factors, and the logarithm of its absolute value."""
    check_factors(pivots)
    sign, total = factors.dtype.type(1.0), factors.dtype.type(0.0)
    for i in range(pivots.size):
        if factors[i, i] == 0.0:
            return factors.dtype.type(0.0), factors.dtype.type(-np.inf)
        if (pivots[i] != i) != (factors[i, i] < 0.0):
            sign = -sign
        total += np.log(np.abs(factors[i, i]))
    return sign, total


@kernel
def lu_determinant(x, factors, pivots):  # noqa: ARG001  whose cofactors are the derivative
    """The determinant of a matrix with these factors."""
    check_factors(pivots)
    total = factors.dtype.type(1.0)
    for i in range(pivots.size):
        total *= -factors[i, i] if pivots[i] != i else factors[i, i]
    return total


ANSWERS: Mapping[Any, Any] = {
    np.linalg.solve: lu_solution,
    np.linalg.inv: lu_inverse,
    np.linalg.det: lu_determinant,
    np.linalg.slogdet: lu_slogdet,
}
"""What gives the results of these functions by the factors of their first argument."""
