"""Inverse, solution, determinant and cofactors of small matrices: elimination in loops, without a call of LAPACK.

They do what `np.linalg` does in compiled code: the largest pivot is taken, and a matrix that is singular, or has entries
that are not finite, raises the same errors. With a few rows they take a tenth of the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.runtime.support.compiled import kernel, shaped_like

_NOT_FINITE = "Array must not contain infs or NaNs."
_SINGULAR = "Matrix is singular to machine precision."


@kernel
def copy_finite(x: Any, room: Any) -> None:
    """Copy a matrix to the first columns of another; an entry that is not finite raises."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if not np.isfinite(x[i, j]):
                raise np.linalg.LinAlgError(_NOT_FINITE)
            room[i, j] = x[i, j]


@kernel
def eliminate(rows: Any) -> float:
    """Bring the first columns of a matrix, which are square, to upper triangular form; the sign of the exchanges of rows.

    0 where a column has no pivot.
    """
    sign = 1.0
    count, width = rows.shape
    for k in range(count):
        pivot = k
        for i in range(k + 1, count):
            if abs(rows[i, k]) > abs(rows[pivot, k]):
                pivot = i
        if rows[pivot, k] == 0.0:
            return 0.0
        if pivot != k:
            sign = -sign
            for j in range(k, width):
                rows[k, j], rows[pivot, j] = rows[pivot, j], rows[k, j]
        for i in range(k + 1, count):
            factor = rows[i, k] / rows[k, k]
            for j in range(k + 1, width):
                rows[i, j] -= factor * rows[k, j]
    return sign


@kernel
def solve_rows(rows: Any) -> None:
    """Replace the columns beside a square matrix by the solutions of the systems that they are the right-hand sides of."""
    if eliminate(rows) == 0.0:
        raise np.linalg.LinAlgError(_SINGULAR)
    count, width = rows.shape
    for k in range(count - 1, -1, -1):
        for j in range(count, width):
            for i in range(k + 1, count):
                rows[k, j] -= rows[k, i] * rows[i, j]
            rows[k, j] /= rows[k, k]


@shaped_like("x")
@kernel
def small_inverse(x: Any) -> Any:
    """`np.linalg.inv`, laid out as Numba's: by columns."""
    count = x.shape[0]
    rows = np.zeros((count, 2 * count), x.dtype)
    copy_finite(x, rows)
    for i in range(count):
        rows[i, count + i] = 1.0
    solve_rows(rows)
    y = np.empty((count, count), x.dtype).T
    for i in range(count):
        for j in range(count):
            y[i, j] = rows[i, count + j]
    return y


@shaped_like("y")
@kernel
def small_solution(x: Any, y: Any) -> Any:
    """`np.linalg.solve` with one right-hand side."""
    count = x.shape[0]
    rows = np.empty((count, count + 1), x.dtype)
    copy_finite(x, rows)
    for i in range(count):
        if not np.isfinite(y[i]):
            raise np.linalg.LinAlgError(_NOT_FINITE)
        rows[i, count] = y[i]
    solve_rows(rows)
    z = np.empty(count, x.dtype)
    for i in range(count):
        z[i] = rows[i, count]
    return z


@shaped_like("y")
@kernel
def small_solutions(x: Any, y: Any) -> Any:
    """`np.linalg.solve` with a matrix of right-hand sides; laid out as Numba's: by columns."""
    count = x.shape[0]
    rows = np.empty((count, count + y.shape[1]), x.dtype)
    copy_finite(x, rows)
    copy_finite(y, rows[:, count:])
    solve_rows(rows)
    z = np.empty((y.shape[1], count), x.dtype).T
    for i in range(count):
        for j in range(y.shape[1]):
            z[i, j] = rows[i, count + j]
    return z


@kernel
def small_determinant(x: Any) -> Any:
    """`np.linalg.det`."""
    count = x.shape[0]
    rows = np.empty((count, count), x.dtype)
    copy_finite(x, rows)
    total = x.dtype.type(eliminate(rows))
    for i in range(count):
        total *= rows[i, i]
    return total


@shaped_like("x")
@kernel
def small_cofactors(x: Any) -> Any:
    """The cofactors of a matrix of at most four rows, from its minors: right for singular matrices too."""
    count = x.shape[0]
    y = np.ones((count, count), x.dtype)
    for i in range(count):
        for j in range(count):
            if count == 2:
                y[i, j] = x[1 - i, 1 - j]
            elif count == 3:
                y[i, j] = minor(x, (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3)
            elif count == 4:
                # the rows and columns that are left, and the minor expanded along the first of these rows
                r, s, t = (i + 1) % 4, (i + 2) % 4, (i + 3) % 4
                u, v, w = (j + 1) % 4, (j + 2) % 4, (j + 3) % 4
                y[i, j] = (
                    x[r, u] * minor(x, s, t, v, w)
                    - x[r, v] * minor(x, s, t, u, w)
                    + x[r, w] * minor(x, s, t, u, v)
                )
            if count % 2 == 0 and (i + j) % 2 == 1:  # exchanging the rows in a circle changes the sign
                y[i, j] = -y[i, j]
    return y


@kernel
def minor(x: Any, i: int, j: int, k: int, m: int) -> Any:
    """The determinant of the entries in two rows and two columns."""
    return x[i, k] * x[j, m] - x[i, m] * x[j, k]
