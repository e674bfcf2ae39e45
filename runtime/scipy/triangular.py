"""Triangular systems, packed triangular factors and exponentials of matrices, as the text for `scipy.linalg` needs them."""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import overload
from numba.np.linalg import F_INT_nbtype, F_INT_nptype, ensure_lapack, get_blas_kind

from backsweep.runtime.support.compiled import kernel, shaped_like
from backsweep.runtime.support.marks import stop_gradient

BLOCK = 32
"""How many rows or columns of a triangular matrix are gone through one by one; products of matrices do the rest."""


@shaped_like("b")
@kernel
def triangular_solution(a, b, lower: bool, unit: bool):
    """The solution of a triangular system; of `a` it reads one triangle, and no diagonal where that counts as ones."""
    n = a.shape[0]
    if a.shape[1] != n or b.shape[0] != n:
        raise ValueError("the matrix must be square, with as many rows as the right side has")
    x = np.ascontiguousarray(b + np.zeros(1, a.dtype)[0])  # of the type of both
    rows = x.reshape((n, x.size // max(n, 1)))
    for done in range(0, n, BLOCK):
        first, last = (done, min(done + BLOCK, n)) if lower else (max(n - done - BLOCK, 0), n - done)
        if done > 0:
            begin, end = (0, first) if lower else (last, n)
            rows[first:last] -= a[first:last, begin:end].astype(x.dtype) @ rows[begin:end]
        for step in range(last - first):
            i = first + step if lower else last - 1 - step
            begin, end = (first, i) if lower else (i + 1, last)
            for k in range(begin, end):
                factor = a[i, k]
                for j in range(rows.shape[1]):
                    rows[i, j] -= factor * rows[k, j]
            if not unit:
                if a[i, i] == 0.0:
                    raise np.linalg.LinAlgError("singular matrix: an entry of the diagonal is zero")
                for j in range(rows.shape[1]):
                    rows[i, j] /= a[i, i]
    return x


@shaped_like("x")
@kernel
def triangle(x, lower: bool, unit: bool):
    """One triangle of a matrix, with its diagonal or without; zeros elsewhere."""
    y = np.zeros(x.shape, x.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if (j < i and lower) or (j > i and not lower) or (i == j and not unit):
                y[i, j] = x[i, j]
    return y


def _eliminate(factors, pivots) -> None:
    """Replace a matrix, laid out by columns, by its packed factors, and set the exchanges of its rows."""
    n = pivots.size
    for k in range(n):
        best = k
        largest = np.abs(np.real(factors[k, k])) + np.abs(np.imag(factors[k, k]))
        for i in range(k + 1, n):
            size = np.abs(np.real(factors[i, k])) + np.abs(np.imag(factors[i, k]))
            if size > largest:
                best, largest = i, size
        pivots[k] = best
        if best != k:
            for j in range(n):
                factors[k, j], factors[best, j] = factors[best, j], factors[k, j]
        if factors[k, k] != 0.0:
            for i in range(k + 1, n):
                factors[i, k] /= factors[k, k]
                factor = factors[i, k]
                for j in range(k + 1, n):
                    factors[i, j] -= factor * factors[k, j]


@overload(_eliminate)
def _eliminate_by_lapack(factors, pivots):  # noqa: ARG001  Numba goes by the names
    ensure_lapack()
    kind = ord(get_blas_kind(factors.dtype))
    getrf = types.ExternalFunction(
        "numba_xxgetrf",
        types.intc(
            *(types.char, types.intp, types.intp, types.CPointer(factors.dtype), types.intp),
            types.CPointer(F_INT_nbtype),
        ),
    )

    def by_lapack(factors, pivots):
        n = pivots.size
        places = np.empty(n, F_INT_nptype)
        getrf(kind, n, n, factors.ctypes, n, places.ctypes)
        for k in range(n):
            pivots[k] = places[k] - 1

    return by_lapack


@kernel
def packed_factors(x):
    """The factors L (below the diagonal, which is one) and U of a matrix whose rows are exchanged, and the exchanges.

    Row `i` was exchanged with row `pivots[i]`, the one with the largest entry, in the order of `i`. The size of a complex number is
    that of LAPACK here, the sum of its parts without their signs.
    """
    n = x.shape[0]
    if x.shape[1] != n:
        raise ValueError("the matrix must be square")
    factors = np.empty(x.shape, x.dtype).T
    factors[:] = x
    pivots = np.arange(n)
    if n > 0:
        _eliminate(factors, pivots)
    return factors, pivots


@shaped_like("x")
@kernel
def exchanged(x, pivots, back: bool):
    """The rows, or entries, of `x` after all exchanges; or before them."""
    n = pivots.size
    order = np.arange(n)
    for k in range(n):
        order[k], order[pivots[k]] = order[pivots[k]], order[k]
    y = np.empty(x.shape, x.dtype)
    for k in range(n):
        if back:
            y[order[k]] = x[k]
        else:
            y[k] = x[order[k]]
    return y


@shaped_like("factors")
@kernel
def packed_factors_pullback(factors_bar, factors, pivots):
    """The adjoint of `x` where `factors, pivots = packed_factors(x)`."""
    low_bar, up_bar = triangle(factors_bar, True, True), triangle(factors_bar, False, False)
    low, up = triangle(factors, True, True), triangle(factors, False, False)
    below = triangle(low_bar + low.T @ low_bar, True, True)
    above = triangle(up_bar @ up.T, False, False)
    left = triangular_solution(factors.T, below + above, False, True)
    right = triangular_solution(factors, np.ascontiguousarray(left.T), False, False)
    return exchanged(np.ascontiguousarray(right.T), pivots, True)


@shaped_like("factors")
@kernel
def packed_factors_tangent(x_dot, factors, pivots):
    """The tangent of `factors, pivots = packed_factors(x)`; that of the exchanges is zero."""
    low, up = triangle(factors, True, True), triangle(factors, False, False)
    left = triangular_solution(factors, exchanged(x_dot, pivots, False), True, True)
    middle = triangular_solution(factors.T, np.ascontiguousarray(left.T), True, False).T
    below = triangle(middle, True, True)
    return below + low @ below + triangle(middle, False, False) @ up


_PADE = (
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
)


@kernel
def _largest_column(a):
    """The largest sum of a column's absolute values."""
    norm = 0.0
    for j in range(a.shape[0]):
        norm = max(norm, np.sum(np.abs(a[:, j])))
    return norm


@kernel
def _halvings(a):
    """How often a matrix is halved until its rational function is exact.

    That follows from the norms of its powers, not from its own: a matrix that is far from normal is else halved so often that the
    squares lose all digits.

    Source: A. Al-Mohy and N. Higham, A new scaling and squaring algorithm for the matrix exponential, SIAM J. Matrix Anal. Appl. 31 (2009).
    """
    norm = _largest_column(a)
    if norm > 4.25 and np.isfinite(norm):
        part = a / norm
        square = part @ part
        fourth = square @ square
        eighth = _largest_column(fourth @ fourth) ** 0.125
        sixth = max(_largest_column(fourth @ square) ** (1.0 / 6.0), eighth)
        tenth = max(_largest_column(fourth @ fourth @ square) ** 0.1, eighth)
        norm *= min(sixth, tenth)
    squares = 0
    while norm > 4.25 and squares < 1100:
        norm *= 0.5
        squares += 1
    return squares


@shaped_like("x")
@kernel
def exponential(x):
    """The exponential of a square matrix, by a rational function of it, halved until it is small, and squares.

    Source: N. Higham, The scaling and squaring method for the matrix exponential revisited, SIAM J. Matrix Anal. Appl. 26 (2005).
    """
    n = x.shape[0]
    if x.shape[1] != n:
        raise ValueError("the matrix must be square")
    a = np.ascontiguousarray(x)
    squares = _halvings(a)
    a = a * 0.5**squares
    one = np.eye(n).astype(a.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a6 @ (_PADE[13] * a6 + _PADE[11] * a4 + _PADE[9] * a2)
    odd = a @ (odd + _PADE[7] * a6 + _PADE[5] * a4 + _PADE[3] * a2 + _PADE[1] * one)
    even = a6 @ (_PADE[12] * a6 + _PADE[10] * a4 + _PADE[8] * a2)
    even = even + _PADE[6] * a6 + _PADE[4] * a4 + _PADE[2] * a2 + _PADE[0] * one
    y = np.ascontiguousarray(np.linalg.solve(even - odd, even + odd))
    for _ in range(squares):
        y = y @ y
    return y.astype(x.dtype)


@shaped_like("x")
@kernel
def exponential_slope(x, direction):
    """The derivative of `exponential` at `x` along a direction: that of each of its steps.

    Source: A. Al-Mohy and N. Higham, Computing the Frechet derivative of the matrix exponential, SIAM J. Matrix Anal. Appl. 30 (2009).
    """
    kind = (x[:1, :1] + direction[:1, :1] + np.zeros((1, 1))).dtype
    a, e = np.ascontiguousarray(x.astype(kind)), np.ascontiguousarray(direction.astype(kind))
    squares = _halvings(a)
    a, e = a * 0.5**squares, e * 0.5**squares
    one = np.eye(a.shape[0]).astype(kind)
    a2, e2 = a @ a, a @ e + e @ a
    a4, e4 = a2 @ a2, a2 @ e2 + e2 @ a2
    a6, e6 = a4 @ a2, a4 @ e2 + e4 @ a2
    high, high_slope = (
        _PADE[13] * a6 + _PADE[11] * a4 + _PADE[9] * a2,
        _PADE[13] * e6 + _PADE[11] * e4 + _PADE[9] * e2,
    )
    inner = a6 @ high + _PADE[7] * a6 + _PADE[5] * a4 + _PADE[3] * a2 + _PADE[1] * one
    inner_slope = a6 @ high_slope + e6 @ high + _PADE[7] * e6 + _PADE[5] * e4 + _PADE[3] * e2
    odd, odd_slope = a @ inner, a @ inner_slope + e @ inner
    high, high_slope = (
        _PADE[12] * a6 + _PADE[10] * a4 + _PADE[8] * a2,
        _PADE[12] * e6 + _PADE[10] * e4 + _PADE[8] * e2,
    )
    even = a6 @ high + _PADE[6] * a6 + _PADE[4] * a4 + _PADE[2] * a2 + _PADE[0] * one
    even_slope = a6 @ high_slope + e6 @ high + _PADE[6] * e6 + _PADE[4] * e4 + _PADE[2] * e2
    y = np.ascontiguousarray(np.linalg.solve(even - odd, even + odd))
    right = odd_slope + even_slope + (odd_slope - even_slope) @ y
    slope = np.ascontiguousarray(np.linalg.solve(even - odd, right))
    for _ in range(squares):
        slope = y @ slope + slope @ y
        y = y @ y
    return slope


@shaped_like("x")
@kernel
def exponential_bend(x, one, other):
    """The second derivative of `exponential` at `x` along two directions: a block of the first at a matrix of twice the size."""
    n = x.shape[0]
    scale = stop_gradient(1.0 + np.sum(np.abs(one)))
    both = np.zeros((2 * n, 2 * n), (x[:1, :1] + one[:1, :1] + np.zeros((1, 1))).dtype)
    both[:n, :n] = x
    both[n:, n:] = x
    both[:n, n:] = one / scale
    along = np.zeros((2 * n, 2 * n), other.dtype)
    along[:n, :n] = other
    along[n:, n:] = other
    return scale * exponential_slope(both, along)[:n, n:]
