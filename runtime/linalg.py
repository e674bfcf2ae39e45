"""Adjoints of matrix functions that take more than one expression, and functions of small matrices without LAPACK.

The functions `small_...` do what `np.linalg` does in compiled code: the largest pivot is taken, and a matrix that is
singular, or has entries that are not finite, raises the same errors. With a few rows they take a tenth of the time.
"""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import overload

from backsweep.runtime.scans import products_of_others
from backsweep.runtime.special import along, at_zero, signed, touching
from backsweep.runtime.support.compiled import kernel, shaped_like

NOT_FINITE = "Array must not contain infs or NaNs."
SINGULAR = "Matrix is singular to machine precision."


def solved_transposed(matrix, vector):
    """The solution of the system with the transposed matrix; of numbers, the quotient."""
    return vector / matrix if np.ndim(matrix) == 0 else np.linalg.solve(matrix.T, vector)


@overload(solved_transposed)
def _solved_transposed(matrix, vector):  # noqa: ARG001  Numba goes by the names
    def system(matrix, vector):
        return np.linalg.solve(matrix.T, vector)

    def quotient(matrix, vector):
        return vector / matrix

    return system if isinstance(matrix, types.Array) else quotient


@kernel
def _determinant_and_inverse(x):
    """The determinant of a matrix and its inverse, transposed; the determinant zero where these are too inexact to make cofactors of.

    Products of matrices lose the digits of the condition: three of eight may go. The determinant may be beyond the range of numbers, or so
    small that it has lost digits, where the cofactors are not.
    """
    eps = np.finfo(x.dtype).eps
    sign, size = np.linalg.slogdet(x)
    if abs(size) < -0.8 * np.log(np.finfo(x.dtype).tiny):
        inverse = np.linalg.inv(x)
        if np.linalg.norm(x) * np.linalg.norm(inverse) < eps**-0.375:
            return sign * np.exp(size), inverse.T
    return 0.0 * sign, np.zeros(x.shape, x.dtype)


@shaped_like("x")
@kernel
def cofactors(x):
    """The matrix of cofactors, which is the gradient of the determinant; right for singular matrices too."""
    if x.size == 0:  # whose determinant is 1, and which Numba does not decompose
        return np.zeros((0, 0), x.dtype)
    determinant, inverse = _determinant_and_inverse(x)
    if determinant != 0.0:
        return (determinant * inverse).astype(x.dtype)
    u, s, vh = np.linalg.svd(x)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    return (sign * ((np.conj(u) * products_of_others(s)) @ np.conj(vh))).astype(x.dtype)


@shaped_like("x")
@kernel
def cofactors_along(direction, x):
    """The derivative of the matrix of cofactors of `x` in a direction; as a linear map it is its own adjoint.

    It needs no inverse: in the bases of the singular values, the cofactors are products of all but one of these, and their
    derivatives are products of all but two.
    """
    if x.size == 0:
        return np.zeros((0, 0), x.dtype)
    determinant, inverse = _determinant_and_inverse(x)
    if determinant != 0.0:
        y = (determinant * inverse).astype(x.dtype)
        return np.sum(direction * inverse) * y - y @ direction.T @ inverse
    u, s, vh = np.linalg.svd(x)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    turned = np.conj(u).T @ direction @ np.conj(vh).T
    inner = np.zeros_like(turned)
    for i in range(s.size):
        for j in range(i + 1, s.size):
            others = 1.0
            for k in range(s.size):
                if k not in (i, j):
                    others *= s[k]
            inner[i, i] += others * turned[j, j]
            inner[j, j] += others * turned[i, i]
            inner[i, j] -= others * turned[j, i]
            inner[j, i] -= others * turned[i, j]
    return (sign * (np.conj(u) @ inner @ np.conj(vh))).astype(x.dtype)


@kernel
def diagonal_of_values(y_bar, w):
    """The diagonal matrix of the cotangents of values; where two values are equal, what turns their vectors has the derivative nan."""
    inner = np.zeros((w.size, w.size), y_bar.dtype)
    rounding = w.size * np.finfo(w.dtype).eps * np.sum(np.abs(w))
    for i in range(w.size):
        for j in range(w.size):
            if i == j:
                inner[i, i] = y_bar[i]
            elif np.abs(w[j] - w[i]) <= rounding:
                inner[i, j] = touching(1.0, y_bar[i], 0.0, 0.0)
    return inner


@shaped_like("x")
@kernel
def eigvalsh_pullback(y_bar, x):
    """The adjoint of `x` where `y = np.linalg.eigvalsh(x)`, which reads the lower triangle only."""
    w, vectors = np.linalg.eigh(x)
    whole = vectors @ diagonal_of_values(y_bar, w) @ vectors.T
    x_bar = np.zeros_like(x)
    for i in range(x.shape[0]):
        x_bar[i, i] = whole[i, i]
        for j in range(i):
            x_bar[i, j] = 2.0 * whole[i, j]
    return x_bar


@shaped_like("x")
@kernel
def kron_pullback_left(z_bar, x, y):
    """The adjoint of the matrix `x` where `z = np.kron(x, y)`."""
    x_bar = np.zeros_like(x)
    rows, columns = y.shape
    for i in range(z_bar.shape[0]):
        for j in range(z_bar.shape[1]):
            x_bar[i // rows, j // columns] += z_bar[i, j] * y[i % rows, j % columns]
    return x_bar


@shaped_like("y")
@kernel
def kron_pullback_right(z_bar, x, y):
    """The adjoint of the matrix `y` where `z = np.kron(x, y)`."""
    y_bar = np.zeros_like(y)
    rows, columns = y.shape
    for i in range(z_bar.shape[0]):
        for j in range(z_bar.shape[1]):
            y_bar[i % rows, j % columns] += z_bar[i, j] * x[i // rows, j // columns]
    return y_bar


@shaped_like("x")
@kernel
def diag_pullback(y_bar, x):
    """The adjoint of the matrix `x` where `y = np.diag(x)`."""
    x_bar = np.zeros_like(x)
    for i in range(y_bar.size):
        x_bar[i, i] = y_bar[i]
    return x_bar


@shaped_like("x")
@kernel
def diag_offset_pullback(y_bar, x, k: int):
    """The adjoint of the matrix `x` where `y = np.diag(x, k)`."""
    x_bar = np.zeros_like(x)
    for i in range(y_bar.size):
        x_bar[i + max(-k, 0), i + max(k, 0)] = y_bar[i]
    return x_bar


@shaped_like("x")
@kernel
def correlate_pullback_left(z_bar, x, y):
    """The adjoint of `x` where `z = np.correlate(x, y)`, for real vectors with `y` no longer than `x`, or `x` shorter."""
    x_bar = np.zeros_like(x)
    if x.size >= y.size:
        for i in range(z_bar.size):
            for j in range(y.size):
                x_bar[i + j] += z_bar[i] * y[j]
    else:
        for i in range(z_bar.size):
            for j in range(x.size):
                x_bar[j] += z_bar[z_bar.size - 1 - i] * y[i + j]
    return x_bar


@shaped_like("y")
@kernel
def correlate_pullback_right(z_bar, x, y):
    """The adjoint of `y` where `z = np.correlate(x, y)`."""
    return correlate_pullback_left(z_bar[::-1], y, x)


@shaped_like("x")
@kernel
def norm_direction(x, y, order: float):
    """The gradient of `y = np.linalg.norm(x, order)` by the vector `x`, times `y`; zero where it has no gradient."""
    w = np.zeros_like(x)
    if abs(order) == np.inf:
        count = 0
        for i in range(x.size):
            count += 1 if abs(x[i]) == y else 0
        for i in range(x.size):
            if abs(x[i]) == y:
                w[i] = signed(y, x[i]) / count
    elif order == 2.0:
        for i in range(x.size):
            w[i] = x[i]
    elif order != 0.0 and y != 0.0:
        for i in range(x.size):
            if x[i] != 0.0:
                w[i] = y * np.sign(x[i]) * (abs(x[i]) / y) ** (order - 1.0)
            elif order == 1.0:
                w[i] = signed(y, x[i])
            elif order < 2.0:
                w[i] = at_zero(x[i], 0.0, y)
    return w


@shaped_like("x")
@kernel
def norm_direction_of_complex(x, y, order: float):
    """The same of a complex vector, whose entries count by their lengths."""
    w = np.zeros_like(x)
    length = np.abs(x)
    if abs(order) == np.inf:
        count = 0
        for i in range(x.size):
            count += 1 if length[i] == y else 0
        for i in range(x.size):
            if length[i] == y:
                w[i] = np.conj(x[i]) / count
    elif order == 2.0:
        for i in range(x.size):
            w[i] = np.conj(x[i])
    elif order != 0.0 and y != 0.0:
        for i in range(x.size):
            if x[i] != 0.0:
                w[i] = y * (np.conj(x[i]) / length[i]) * (length[i] / y) ** (order - 1.0)
            elif order < 2.0:
                w[i] = along(y, np.conj(x[i]), length[i])
    return w


@kernel
def norm_order_pullback(y_bar, x, y, order: float):
    """The adjoint of `order` where `y = np.linalg.norm(x, order)`; the norms of order 0 are no limit of their neighbours.

    With r the lengths over y, the powers of r add up to 1, and the derivative is y / order * sum(r**order * log(r)).
    """
    if order == 0.0:
        return np.nan
    total = 0.0
    if abs(order) != np.inf and y != 0.0:
        for i in range(x.size):
            part = abs(x[i]) / y
            if part != 0.0:
                total += part**order * np.log(part)
        total *= y_bar * y / order
    return total


@kernel
def copy_finite(x, target) -> None:
    """Copy a matrix to the first columns of another; an entry that is not finite raises."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if not np.isfinite(x[i, j]):
                raise np.linalg.LinAlgError(NOT_FINITE)
            target[i, j] = x[i, j]


@kernel
def eliminate(rows) -> float:
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
def solve_rows(rows) -> None:
    """Replace the columns beside a square matrix by the solutions of the systems that they are the right-hand sides of."""
    if eliminate(rows) == 0.0:
        raise np.linalg.LinAlgError(SINGULAR)
    count, width = rows.shape
    for k in range(count - 1, -1, -1):
        for j in range(count, width):
            for i in range(k + 1, count):
                rows[k, j] -= rows[k, i] * rows[i, j]
            rows[k, j] /= rows[k, k]


@shaped_like("x")
@kernel
def small_inverse(x):
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
def small_solution(x, y):
    """`np.linalg.solve` with one right-hand side."""
    count = x.shape[0]
    rows = np.empty((count, count + 1), x.dtype)
    copy_finite(x, rows)
    for i in range(count):
        if not np.isfinite(y[i]):
            raise np.linalg.LinAlgError(NOT_FINITE)
        rows[i, count] = y[i]
    solve_rows(rows)
    z = np.empty(count, x.dtype)
    for i in range(count):
        z[i] = rows[i, count]
    return z


@shaped_like("y")
@kernel
def small_solutions(x, y):
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
def small_slogdet(x):
    """`np.linalg.slogdet`: the sign of the determinant, and the logarithm of its absolute value."""
    count = x.shape[0]
    rows = np.empty((count, count), x.dtype)
    copy_finite(x, rows)
    sign = x.dtype.type(eliminate(rows))
    if sign == 0.0:
        return sign, x.dtype.type(-np.inf)
    total = x.dtype.type(0.0)
    for i in range(count):
        if rows[i, i] < 0.0:
            sign = -sign
        total += np.log(abs(rows[i, i]))
    return sign, total


@kernel
def small_determinant(x):
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
def small_cofactors(x):
    """The cofactors of a matrix of at most four rows, from its minors: right for singular matrices too."""
    count = x.shape[0]
    if count > 4:
        raise ValueError("small_cofactors is for matrices of at most four rows")
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
def minor(x, i: int, j: int, k: int, m: int):
    """The determinant of the entries in two rows and two columns."""
    return x[i, k] * x[j, m] - x[i, m] * x[j, k]


@kernel
def is_not_positive_definite(x) -> bool:
    """Whether `np.linalg.cholesky` raises for the matrix, of which it reads the lower triangle."""
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(i + 1):
            rest = x[i, j]
            for k in range(j):
                rest -= y[i, k] * np.conj(y[j, k])
            if j == i:
                if not np.real(rest) > 0.0 or not np.isfinite(rest):
                    return True
                y[i, i] = np.sqrt(np.real(rest))
            else:
                y[i, j] = rest / y[j, j]
    return False


@kernel
def is_singular(x) -> bool:
    """Whether elimination with the largest pivots meets a pivot of zero, so that `np.linalg` cannot invert the matrix."""
    y = x.copy()
    n = x.shape[0]
    for j in range(n):
        pivot = j
        for i in range(j, n):
            if not np.isfinite(y[i, j]):
                return True
            if np.abs(y[i, j]) > np.abs(y[pivot, j]):
                pivot = i
        if y[pivot, j] == 0.0:
            return True
        for k in range(j, n):
            y[j, k], y[pivot, k] = y[pivot, k], y[j, k]
        for i in range(j + 1, n):
            factor = y[i, j] / y[j, j]
            for k in range(j + 1, n):
                y[i, k] -= factor * y[j, k]
    return False
