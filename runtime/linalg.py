"""Adjoints of matrix functions that take more than one expression."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from backsweep.runtime.scans import products_of_others
from backsweep.runtime.support.compiled import kernel, shaped_like


def solved_transposed(matrix: Any, vector: Any) -> Any:
    """The solution of the system with the transposed matrix; of numbers, the quotient."""
    return vector / matrix if np.ndim(matrix) == 0 else np.linalg.solve(matrix.T, vector)


@overload(solved_transposed)
def _solved_transposed(matrix: Any, vector: Any) -> Any:  # noqa: ARG001  Numba goes by the names
    def system(matrix: Any, vector: Any) -> Any:
        return np.linalg.solve(matrix.T, vector)

    def quotient(matrix: Any, vector: Any) -> Any:
        return vector / matrix

    return system if isinstance(matrix, types.Array) else quotient


@shaped_like("x")
@kernel
def cofactors(x: Any) -> Any:
    """The matrix of cofactors, which is the gradient of the determinant; right for singular matrices too."""
    u, s, vh = np.linalg.svd(x)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    return (sign * ((u * products_of_others(s)) @ vh)).astype(x.dtype)


@shaped_like("y")
@kernel
def cholesky_pullback(y_bar: Any, y: Any) -> Any:
    """The adjoint of `x` where `y = np.linalg.cholesky(x)`, which reads the lower triangle only."""
    x_bar = np.zeros_like(y)
    for i in range(y.shape[0]):
        for j in range(i + 1):
            x_bar[i, j] = y_bar[i, j]
    # The factorisation row by row, reversed: each entry's adjoint is final when its turn comes.
    for i in range(y.shape[0] - 1, -1, -1):
        for j in range(i, -1, -1):
            if j == i:
                x_bar[i, i] = 0.5 * x_bar[i, i] / y[i, i]
            else:
                x_bar[i, j] = x_bar[i, j] / y[j, j]
                x_bar[j, j] -= x_bar[i, j] * y[i, j]
            for k in range(j):
                x_bar[i, k] -= x_bar[i, j] * y[j, k]
                x_bar[j, k] -= x_bar[i, j] * y[i, k]
    return x_bar


@shaped_like("x")
@kernel
def eigvalsh_pullback(y_bar: Any, x: Any) -> Any:
    """The adjoint of `x` where `y = np.linalg.eigvalsh(x)`, which reads the lower triangle only."""
    _, vectors = np.linalg.eigh(x)
    whole = (vectors * y_bar) @ vectors.T
    x_bar = np.zeros_like(x)
    for i in range(x.shape[0]):
        x_bar[i, i] = whole[i, i]
        for j in range(i):
            x_bar[i, j] = 2.0 * whole[i, j]
    return x_bar


@shaped_like("x")
@kernel
def kron_pullback_left(z_bar: Any, x: Any, y: Any) -> Any:
    """The adjoint of the matrix `x` where `z = np.kron(x, y)`."""
    x_bar = np.zeros_like(x)
    rows, columns = y.shape
    for i in range(z_bar.shape[0]):
        for j in range(z_bar.shape[1]):
            x_bar[i // rows, j // columns] += z_bar[i, j] * y[i % rows, j % columns]
    return x_bar


@shaped_like("y")
@kernel
def kron_pullback_right(z_bar: Any, x: Any, y: Any) -> Any:
    """The adjoint of the matrix `y` where `z = np.kron(x, y)`."""
    y_bar = np.zeros_like(y)
    rows, columns = y.shape
    for i in range(z_bar.shape[0]):
        for j in range(z_bar.shape[1]):
            y_bar[i % rows, j % columns] += z_bar[i, j] * x[i // rows, j // columns]
    return y_bar


@shaped_like("x")
@kernel
def diag_pullback(y_bar: Any, x: Any) -> Any:
    """The adjoint of the matrix `x` where `y = np.diag(x)`."""
    x_bar = np.zeros_like(x)
    for i in range(y_bar.size):
        x_bar[i, i] = y_bar[i]
    return x_bar


@shaped_like("x")
@kernel
def diag_offset_pullback(y_bar: Any, x: Any, k: int) -> Any:
    """The adjoint of the matrix `x` where `y = np.diag(x, k)`."""
    x_bar = np.zeros_like(x)
    for i in range(y_bar.size):
        x_bar[i + max(-k, 0), i + max(k, 0)] = y_bar[i]
    return x_bar


@shaped_like("x")
@kernel
def correlate_pullback_left(z_bar: Any, x: Any, y: Any) -> Any:
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
def correlate_pullback_right(z_bar: Any, x: Any, y: Any) -> Any:
    """The adjoint of `y` where `z = np.correlate(x, y)`."""
    return correlate_pullback_left(z_bar[::-1], y, x)


@shaped_like("x")
@kernel
def norm_power_pullback(y_bar: Any, x: Any, y: Any, order: float) -> Any:
    """The adjoint of the vector `x` where `y = np.linalg.norm(x, order)`; zero where it has no gradient."""
    x_bar = np.zeros_like(x)
    if abs(order) == np.inf:
        count = 0
        for i in range(x.size):
            count += 1 if abs(x[i]) == y else 0
        for i in range(x.size):
            if abs(x[i]) == y:
                x_bar[i] = y_bar * np.sign(x[i]) / count
    elif order != 0.0:
        for i in range(x.size):
            if x[i] != 0.0 and y != 0.0:
                x_bar[i] = y_bar * np.sign(x[i]) * (abs(x[i]) / y) ** (order - 1.0)
    return x_bar
