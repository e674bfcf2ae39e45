"""Linear algebra in loops, and its adjoints by hand: a Cholesky factorisation in place, a sparse product."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.problem import Problem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


# The inner loops are sums of products, which only `fastmath` may reorder and so vectorise.
@njit(error_model="numpy", fastmath=True)
def cholesky(A: Floats) -> float:
    """The sum of the lower triangle of the factor, which takes the place of A row by row."""
    A = A.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            entry = A[i, j]
            for k in range(j):
                entry -= A[i, k] * A[j, k]
            A[i, j] = entry / A[j, j]
        entry = A[i, i]
        for k in range(i):
            entry -= A[i, k] * A[i, k]
        A[i, i] = math.sqrt(entry)
    loss = 0.0
    for i in range(n):
        for j in range(i + 1):
            loss += A[i, j]
    return loss


@njit(error_model="numpy", fastmath=True)
def cholesky_by_hand(A: Floats) -> Any:
    """Value and gradient of `cholesky`: the factor is all that the adjoint reads."""
    A = A.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            entry = A[i, j]
            for k in range(j):
                entry -= A[i, k] * A[j, k]
            A[i, j] = entry / A[j, j]
        entry = A[i, i]
        for k in range(i):
            entry -= A[i, k] * A[i, k]
        A[i, i] = math.sqrt(entry)
    loss = 0.0
    A_bar = np.zeros_like(A)
    for i in range(n):
        for j in range(i + 1):
            loss += A[i, j]
            A_bar[i, j] = 1.0
    for i in range(n - 1, -1, -1):
        bar = 0.5 * A_bar[i, i] / A[i, i]
        A_bar[i, i] = bar
        for k in range(i):
            A_bar[i, k] -= 2.0 * bar * A[i, k]
        for j in range(i - 1, -1, -1):
            bar = A_bar[i, j] / A[j, j]
            A_bar[i, j] = bar
            A_bar[j, j] -= bar * A[i, j]
            for k in range(j):
                A_bar[i, k] -= bar * A[j, k]
                A_bar[j, k] -= bar * A[i, k]
    return loss, (A_bar,)


@njit(error_model="numpy")
def spmv(starts: Integers, columns: Integers, values: Floats, x: Floats) -> float:
    """The sum of squares of a sparse matrix (CSR) times a vector."""
    y = np.empty(starts.size - 1)
    for i in range(y.size):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += values[k] * x[columns[k]]
        y[i] = total
    return np.sum(y * y)


@njit(error_model="numpy")
def spmv_by_hand(starts: Integers, columns: Integers, values: Floats, x: Floats) -> Any:
    """Value and gradient of `spmv`."""
    y = np.empty(starts.size - 1)
    loss = 0.0
    for i in range(y.size):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += values[k] * x[columns[k]]
        y[i] = total
        loss += total * total
    values_bar = np.empty_like(values)
    x_bar = np.zeros_like(x)
    for i in range(y.size):
        bar = 2.0 * y[i]
        for k in range(starts[i], starts[i + 1]):
            values_bar[k] = bar * x[columns[k]]
            x_bar[columns[k]] += bar * values[k]
    return loss, (values_bar, x_bar)


def cholesky_instance(size: str) -> tuple[Floats]:
    """A matrix that is positive definite."""
    n = {"tiny": 5, "S": 100, "M": 300}[size]
    i, j = np.indices((n, n))
    factor = np.where((j > 0) & (j < i), 2.0 - j / n, np.where((j == 0) | (i == j), 1.0, 0.0))
    return (factor @ factor.T,)


def spmv_instance(size: str) -> tuple[Integers, Integers, Floats, Floats]:
    """A square matrix with ten entries in each row, and a vector."""
    n = {"tiny": 20, "S": 8192, "M": 131072}[size]
    rng = np.random.default_rng(42)
    columns = rng.integers(n, size=10 * n)
    return np.arange(0, 10 * n + 1, 10), columns, rng.random(10 * n), rng.random(n)


PROBLEMS = (
    Problem("cholesky", cholesky, cholesky_instance, (0,), cholesky_by_hand),
    Problem("spmv", spmv, spmv_instance, (2, 3), spmv_by_hand),
)
