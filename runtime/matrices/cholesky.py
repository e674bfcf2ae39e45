"""Derivatives of Cholesky factors, by blocks of columns: products of matrices do most of the work where there are many.

Source: I. Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527 (2016).
"""

from __future__ import annotations

import numpy as np

from backsweep.runtime.decompositions import lower_only
from backsweep.runtime.scipy.triangular import triangle, triangular_solution
from backsweep.runtime.support.compiled import kernel, shaped_like
from backsweep.runtime.tangents import hermitian, lower_mirrored

BLOCK = 32
"""How many rows or columns of a triangular matrix are gone through one by one; products of matrices do the rest."""


@shaped_like("y")
@kernel
def cholesky_pullback(y_bar, y):
    """The adjoint of `x` where `y = np.linalg.cholesky(x)`, which reads the lower triangle only."""
    n = y.shape[0]
    x_bar = np.zeros_like(y)
    for i in range(n):
        for j in range(i + 1):
            x_bar[i, j] = y_bar[i, j]
    # The factorisation reversed, from the last columns to the first: each entry's adjoint is final when its turn comes.
    for last in range(n, 0, -BLOCK):
        first = max(last - BLOCK, 0)
        for i in range(last, n):
            for j in range(last - 1, first - 1, -1):
                x_bar[i, j] /= y[j, j]
                for k in range(first, j):
                    x_bar[i, k] -= x_bar[i, j] * y[j, k]
        below = np.ascontiguousarray(x_bar[last:, first:last])
        if last < n:
            rows = below.T @ np.ascontiguousarray(y[last:, :last])
            for i in range(first, last):
                for k in range(i + 1):
                    x_bar[i, k] -= rows[i - first, k]
        for i in range(last - 1, first - 1, -1):
            for j in range(i, first - 1, -1):
                if j == i:
                    x_bar[i, i] = 0.5 * x_bar[i, i] / y[i, i]
                else:
                    x_bar[i, j] = x_bar[i, j] / y[j, j]
                    x_bar[j, j] -= x_bar[i, j] * y[i, j]
                for k in range(first, j):
                    x_bar[i, k] -= x_bar[i, j] * y[j, k]
                    x_bar[j, k] -= x_bar[i, j] * y[i, k]
        if first > 0:
            inner = np.ascontiguousarray(x_bar[first:, first:last])
            inner[: last - first] += inner[: last - first].T.copy()
            rows = inner @ np.ascontiguousarray(y[first:last, :first])
            for i in range(first, n):
                for k in range(first):
                    x_bar[i, k] -= rows[i - first, k]
    return x_bar


@shaped_like("y")
@kernel
def cholesky_pullback_along(y_dot, y_bar, x_bar, y):
    """The tangent of `x_bar = cholesky_pullback(y_bar, y)` where `y` alone moves."""
    turned = triangular_solution(y.T, y_dot.T, False, False)
    moved = cholesky_pullback(turned @ triangle(y_bar, True, False), y)
    return moved - lower_only((x_bar + x_bar.T) @ turned.T)


@shaped_like("y")
@kernel
def cholesky_pullback_against(x_bar_bar, y_bar, x_bar, y):
    """The adjoint of `y` where `x_bar = cholesky_pullback(y_bar, y)`."""
    along = cholesky_tangent(x_bar_bar, y) @ triangle(y_bar, True, False).T
    turned = along - lower_mirrored(x_bar_bar) @ (x_bar + x_bar.T)
    return triangle(triangular_solution(y, turned, True, False).T, True, False)


@shaped_like("y")
@kernel
def cholesky_tangent(x_dot, y):
    """The tangent of `y = np.linalg.cholesky(x)`, which reads the lower triangle only."""
    n = y.shape[0]
    y_dot = np.zeros_like(y)
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        known = np.zeros((n - first, last - first), y.dtype)
        if first > 0:
            rows, rows_dot = (
                np.ascontiguousarray(y[first:, :first]),
                np.ascontiguousarray(y_dot[first:, :first]),
            )
            known = rows_dot @ rows[: last - first].T + rows @ rows_dot[: last - first].T
        for i in range(first, n):
            for j in range(first, min(i + 1, last)):
                rest = x_dot[i, j] - known[i - first, j - first]
                for k in range(first, j):
                    rest -= y_dot[i, k] * y[j, k] + y[i, k] * y_dot[j, k]
                if j == i:
                    y_dot[i, i] = 0.5 * rest / y[i, i]
                else:
                    y_dot[i, j] = (rest - y[i, j] * y_dot[j, j]) / y[j, j]
    return y_dot


@shaped_like("y")
@kernel
def cholesky_pullback_of_complex(y_bar, y):
    """The adjoint of a Hermitian `x` where `y = np.linalg.cholesky(x)`, which reads the lower triangle only."""
    inner = np.tril(y.T @ y_bar)
    for i in range(y.shape[0]):
        inner[i, i] = 0.5 * np.real(inner[i, i])
    # inverse(y)^T inner conj(inverse(y)), of which solves with the upper triangle y^T and its conjugate are made
    left = triangular_solution(y.T, inner, False, False)
    return lower_only(np.conj(triangular_solution(y.T, np.conj(left.T), False, False).T))


@shaped_like("y")
@kernel
def cholesky_tangent_of_complex(x_dot, y):
    """The tangent of `y = np.linalg.cholesky(x)` of a Hermitian matrix, which reads the lower triangle only."""
    half = triangular_solution(y, hermitian(x_dot), True, False)
    inner = np.tril(triangular_solution(y, np.conj(half.T), True, False))
    for i in range(y.shape[0]):
        inner[i, i] *= 0.5
    return y @ inner
