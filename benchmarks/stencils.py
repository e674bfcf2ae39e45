"""Stencils that write arrays in place, and their adjoints by hand: nothing is recorded, the stencils are linear."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.problem import Problem

Floats = NDArray[np.float64]


@njit(error_model="numpy")
def jacobi_1d(steps: int, A: Floats, B: Floats) -> float:
    """Three-point means, from one array to the other and back."""
    A, B = A.copy(), B.copy()
    n = A.size
    for _ in range(steps - 1):
        for i in range(1, n - 1):
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, n - 1):
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1])
    loss = 0.0
    for i in range(n):
        loss += A[i] * A[i] + B[i] * B[i]
    return loss


@njit(error_model="numpy")
def spread_line(target: Floats, source: Floats) -> None:
    """The adjoint of one half step of `jacobi_1d`: `source`, an interior, goes to `target` and is cleared."""
    n = source.size
    target[0] += 0.33333 * source[1]
    target[1] += 0.33333 * (source[1] + source[2])
    # Gathered, so that each entry is written once and the loop vectorises.
    for i in range(2, n - 2):
        target[i] += 0.33333 * (source[i - 1] + source[i] + source[i + 1])
    target[n - 2] += 0.33333 * (source[n - 3] + source[n - 2])
    target[n - 1] += 0.33333 * source[n - 2]
    for i in range(1, n - 1):
        source[i] = 0.0


@njit(error_model="numpy")
def jacobi_1d_by_hand(steps: int, A: Floats, B: Floats) -> Any:
    """Value and gradient of `jacobi_1d`; n is at least 5."""
    A, B = A.copy(), B.copy()
    n = A.size
    for _ in range(steps - 1):
        for i in range(1, n - 1):
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, n - 1):
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1])
    loss = 0.0
    A_bar, B_bar = np.empty_like(A), np.empty_like(B)
    for i in range(n):
        loss += A[i] * A[i] + B[i] * B[i]
        A_bar[i] = 2.0 * A[i]
        B_bar[i] = 2.0 * B[i]
    for _ in range(steps - 1):
        spread_line(B_bar, A_bar)
        spread_line(A_bar, B_bar)
    return loss, (A_bar, B_bar)


@njit(error_model="numpy")
def jacobi_2d(steps: int, A: Floats, B: Floats) -> float:
    """Five-point means, from one array to the other and back."""
    A, B = A.copy(), B.copy()
    n = A.shape[0]
    for _ in range(steps - 1):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
    loss = 0.0
    for i in range(n):
        for j in range(n):
            loss += A[i, j] * A[i, j] + B[i, j] * B[i, j]
    return loss


@njit(error_model="numpy")
def jacobi_2d_slices(steps: int, A: Floats, B: Floats) -> float:
    """`jacobi_2d` in array notation."""
    A, B = A.copy(), B.copy()
    for _ in range(steps - 1):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return np.sum(A * A) + np.sum(B * B)


@njit(error_model="numpy")
def seidel_2d(steps: int, A: Floats) -> float:
    """Means of nine entries, some of this sweep and some of the last."""
    A = A.copy()
    n = A.shape[0]
    for _ in range(steps - 1):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (
                    A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
                    + A[i, j - 1] + A[i, j] + A[i, j + 1]
                    + A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]
                ) / 9.0  # fmt: skip
    loss = 0.0
    for i in range(n):
        for j in range(n):
            loss += A[i, j] * A[i, j]
    return loss


@njit(error_model="numpy")
def spread(target: Floats, source: Floats) -> None:
    """The adjoint of one half step: `source`, an interior, goes to `target` and is cleared."""
    n = source.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            source[i, j] *= 0.2
            target[i - 1, j] += source[i, j]
        for j in range(1, n - 1):
            target[i + 1, j] += source[i, j]
        target[i, 0] += source[i, 1]
        target[i, n - 1] += source[i, n - 2]
        # Gathered, so that each entry is written once and the loop vectorises.
        target[i, 1] += source[i, 1] + source[i, 2]
        target[i, n - 2] += source[i, n - 3] + source[i, n - 2]
        for j in range(2, n - 2):
            target[i, j] += source[i, j - 1] + source[i, j] + source[i, j + 1]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            source[i, j] = 0.0


@njit(error_model="numpy")
def jacobi_2d_by_hand(steps: int, A: Floats, B: Floats) -> Any:
    """Value and gradient of `jacobi_2d`; n is at least 5."""
    A, B = A.copy(), B.copy()
    n = A.shape[0]
    for _ in range(steps - 1):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
    loss = 0.0
    A_bar, B_bar = np.empty_like(A), np.empty_like(B)
    for i in range(n):
        for j in range(n):
            loss += A[i, j] * A[i, j] + B[i, j] * B[i, j]
            A_bar[i, j] = 2.0 * A[i, j]
            B_bar[i, j] = 2.0 * B[i, j]
    for _ in range(steps - 1):
        spread(B_bar, A_bar)
        spread(A_bar, B_bar)
    return loss, (A_bar, B_bar)


@njit(error_model="numpy")
def seidel_2d_by_hand(steps: int, A: Floats) -> Any:
    """Value and gradient of `seidel_2d`."""
    A = A.copy()
    n = A.shape[0]
    for _ in range(steps - 1):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (
                    A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
                    + A[i, j - 1] + A[i, j] + A[i, j + 1]
                    + A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]
                ) / 9.0  # fmt: skip
    loss = 0.0
    A_bar = np.empty_like(A)
    for i in range(n):
        for j in range(n):
            loss += A[i, j] * A[i, j]
            A_bar[i, j] = 2.0 * A[i, j]
    for _ in range(steps - 1):
        for i in range(n - 2, 0, -1):
            for j in range(n - 2, 0, -1):
                g = A_bar[i, j] / 9.0
                A_bar[i, j] = g
                A_bar[i, j + 1] += g
                A_bar[i, j - 1] += g
                for k in range(j - 1, j + 2):
                    A_bar[i - 1, k] += g
                    A_bar[i + 1, k] += g
    return loss, (A_bar,)


SHAPES = {
    "jacobi_1d": {"tiny": (3, 9), "S": (800, 3200), "M": (3000, 12000)},
    "jacobi_2d": {"tiny": (3, 7), "S": (20, 150), "M": (80, 350)},
    "seidel_2d": {"tiny": (3, 7), "S": (10, 100), "M": (40, 200)},
}


def jacobi_1d_instance(size: str) -> tuple[int, Floats, Floats]:
    """The number of steps, A and B."""
    steps, n = SHAPES["jacobi_1d"][size]
    i = np.arange(n)
    return steps, (i + 2) / n, (i + 3) / n


def jacobi_instance(size: str) -> tuple[int, Floats, Floats]:
    """The number of steps, A and B."""
    steps, n = SHAPES["jacobi_2d"][size]
    i, j = np.indices((n, n))
    return steps, i * (j + 2) / n, i * (j + 3) / n


def seidel_instance(size: str) -> tuple[int, Floats]:
    """The number of steps, and A."""
    steps, n = SHAPES["seidel_2d"][size]
    i, j = np.indices((n, n))
    return steps, (i * (j + 2) + 2) / n


PROBLEMS = (
    Problem("jacobi_1d", jacobi_1d, jacobi_1d_instance, (1, 2), jacobi_1d_by_hand),
    Problem("jacobi_2d", jacobi_2d, jacobi_instance, (1, 2), jacobi_2d_by_hand),
    Problem("jacobi_2d_slices", jacobi_2d_slices, jacobi_instance, (1, 2), jacobi_2d_by_hand),
    Problem("seidel_2d", seidel_2d, seidel_instance, (1,), seidel_2d_by_hand),
)
