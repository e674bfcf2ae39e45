"""Triangular systems, packed triangular factors and exponentials of matrices, as the text for `scipy.linalg` needs them."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array
from numba.np.linalg import F_INT_nbtype, F_INT_nptype, ensure_lapack, get_blas_kind

from backsweep.runtime.scipy.symbols import linked
from backsweep.runtime.support.compiled import kernel, shaped_like
from backsweep.runtime.support.marks import stop_gradient


@shaped_like("b")
@kernel
def triangular_solution(a, b, lower: bool, unit: bool):
    """The solution of a triangular system; of `a` it reads one triangle, and no diagonal where that counts as ones."""
    n = a.shape[0]
    if a.shape[1] != n or b.shape[0] != n:
        raise ValueError("the matrix must be square, with as many rows as the right side has")
    x = np.ascontiguousarray(b / np.ones(1, a.dtype)[0])  # of the type of both, or floats for whole numbers
    if not unit:
        for i in range(n):
            if a[i, i] == 0.0:
                raise np.linalg.LinAlgError("singular matrix: an entry of the diagonal is zero")
    _substitute(_without_gaps(a, x), x.reshape((n, x.size // max(n, 1))), lower, unit)
    return x


_LETTERS = {"float64": "d", "float32": "s", "complex128": "z", "complex64": "c"}
"""How the names of BLAS begin for arrays of each dtype."""


def _substitute(a: Any, rows: Any, lower: bool, unit: bool) -> None:
    """Replace the right-hand sides, the columns of `rows`, by the solutions of systems with one triangle of `a`.

    Both are laid out without gaps, `rows` by rows, and no entry of the diagonal is zero; where `unit` says so, each counts as one.
    """
    n = a.shape[0]
    for i in range(n) if lower else range(n - 1, -1, -1):
        begin, end = (0, i) if lower else (i + 1, n)
        rows[i] -= a[i, begin:end] @ rows[begin:end]
        if not unit:
            rows[i] /= a[i, i]


def _without_gaps(a: Any, x: Any) -> Any:
    """The matrix in the type of `x`, laid out by rows or by columns."""
    is_fit = a.dtype == x.dtype and (a.flags.c_contiguous or a.flags.f_contiguous)
    return a if is_fit else np.ascontiguousarray(a.astype(x.dtype))


@overload(_without_gaps)
def _without_gaps_in_compiled_code(a, x):
    def as_it_is(a, x):  # noqa: ARG001
        return a

    def converted(a, x):
        return np.ascontiguousarray(a.astype(x.dtype))

    return as_it_is if a.dtype == x.dtype and a.layout in "CF" else converted


@overload(_substitute)
def _by_blas(a, rows, lower, unit):  # noqa: ARG001  Numba goes by the names
    one, several = _called("trsv"), _called("trsm")

    def by_blas(a, rows, lower, unit):
        if rows.shape[1] == 1:
            one(a, rows, lower, unit)
        elif rows.size > 0:
            several(a, rows, lower, unit)

    return by_blas


def _called(function: str) -> Any:
    """What calls BLAS's `trsv` or `trsm` for the four operands of `_substitute`."""

    @intrinsic
    def called(_context, a, rows, _lower, _unit):
        key = _LETTERS[a.dtype.name] + function
        by_columns = a.layout == "F"

        def generate(context, builder, _sig, args):
            symbol = linked(key, "scipy.linalg.cython_blas")
            context.declare_env_global(builder.module, symbol.environment.env_name)
            matrix, sides = (
                make_array(kind)(context, builder, value)
                for kind, value in zip((a, rows), args[:2], strict=True)
            )
            letter, number = ir.IntType(8), ir.IntType(32)

            def held(value):
                """A pointer to a value, as Fortran takes it."""
                place = cgutils.alloca_once(builder, value.type)
                builder.store(value, place)
                return place

            def chosen(condition, yes: str, no: str):
                return held(
                    builder.select(condition, *(ir.Constant(letter, ord(each)) for each in (yes, no)))
                )

            def option(value: str):
                return held(ir.Constant(letter, ord(value)))

            # an array by rows is, for Fortran, its transpose
            below, above = ("L", "U") if by_columns else ("U", "L")
            is_lower, is_unit = (builder.trunc(each, ir.IntType(1)) for each in args[2:])
            triangle, diagonal = chosen(is_lower, below, above), chosen(is_unit, "U", "N")
            n, count = (
                held(builder.trunc(length, number))
                for length in cgutils.unpack_tuple(builder, sides.shape, 2)
            )
            if function == "trsv":
                turned = option("N" if by_columns else "T")
                given = [
                    triangle,
                    turned,
                    diagonal,
                    n,
                    matrix.data,
                    n,
                    sides.data,
                    held(ir.Constant(number, 1)),
                ]
            else:  # of the transposed equation: for Fortran each row of solutions is a column
                turned = option("T" if by_columns else "N")
                factor = held(context.get_constant_generic(builder, a.dtype, a.dtype(1)))
                given = [
                    option("R"),
                    triangle,
                    turned,
                    diagonal,
                    count,
                    n,
                    factor,
                    matrix.data,
                    n,
                    sides.data,
                    count,
                ]
            form = ir.FunctionType(ir.VoidType(), [each.type for each in given])
            builder.call(cgutils.get_or_insert_function(builder.module, form, symbol.name), given)
            return context.get_dummy_value()

        return types.void(a, rows, types.boolean, types.boolean), generate

    return called


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
    kind = (np.ones(1, x.dtype) / np.ones(1, x.dtype)).dtype  # of x, or floats for whole numbers
    factors = np.empty(x.shape, kind).T
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
    return y.astype((x[:1, :1] / np.ones(1, x.dtype)).dtype)  # of the type of x, or floats for whole numbers


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
