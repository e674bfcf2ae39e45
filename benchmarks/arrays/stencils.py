"""Stencils that sweep to and fro between two grids."""

from __future__ import annotations

import numba
import numpy as np

from benchmarks.arrays.kernel import Kernel, by_size


def jacobi_1d_arrays(first, second, steps):
    a = first.copy()
    b = second.copy()
    for _ in range(1, steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return np.sum(a * a) + np.sum(b * b)


def jacobi_1d_scratch(first, second, steps):
    n = first.shape[0]
    a = first.copy()
    b = second.copy()
    for _ in range(1, steps):
        for i in range(1, n - 1):
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])
        for i in range(1, n - 1):
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1])
    total = 0.0
    for i in range(n):
        total += a[i] * a[i] + b[i] * b[i]
    return total


@numba.njit
def mean_of_three(left, here, right):
    return 0.33333 * (left + here + right)


def jacobi_1d_scalars(first, second, steps):
    n = len(first)
    source, target = first.copy(), second.copy()
    for _ in range(2 * (steps - 1)):
        left, here = source[0], source[1]
        for i in range(1, n - 1):
            right = source[i + 1]
            target[i] = mean_of_three(left, here, right)
            left, here = here, right
        source, target = target, source
    total = 0.0
    for i in range(n):
        total += source[i] ** 2 + target[i] ** 2
    return total


def jacobi_1d_instance(n, steps):
    i = np.arange(n)
    return (i + 2.0) / n, (i + 3.0) / n, steps


def jacobi_2d_arrays(first, second, steps):
    a = first.copy()
    b = second.copy()
    for _ in range(1, steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return np.sum(a * a) + np.sum(b * b)


def jacobi_2d_scratch(first, second, steps):
    rows, columns = first.shape
    a = first.copy()
    b = second.copy()
    for _ in range(1, steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                a[i, j] = 0.2 * (b[i, j] + b[i, j - 1] + b[i, j + 1] + b[i + 1, j] + b[i - 1, j])
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += a[i, j] * a[i, j] + b[i, j] * b[i, j]
    return total


@numba.njit
def cross(grid, i, j):
    return 0.2 * (grid[i, j] + grid[i, j - 1] + grid[i, j + 1] + grid[i + 1, j] + grid[i - 1, j])


@numba.njit
def relax(source, target):
    for i in range(1, source.shape[0] - 1):
        for j in range(1, source.shape[1] - 1):
            target[i, j] = cross(source, i, j)


def jacobi_2d_scalars(first, second, steps):
    a, b = first.copy(), second.copy()
    for _ in range(1, steps):
        relax(a, b)
        relax(b, a)
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j] ** 2 + b[i, j] ** 2
    return total


def jacobi_2d_instance(n, steps):
    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    return i * (j + 2.0) / n, i * (j + 3.0) / n, steps


def heat_3d_arrays(first, second, steps):
    a = first.copy()
    b = second.copy()
    for _ in range(1, steps):
        b[1:-1, 1:-1, 1:-1] = (
            0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[1:-1, 1:-1, :-2])
            + a[1:-1, 1:-1, 1:-1]
        )
        a[1:-1, 1:-1, 1:-1] = (
            0.125 * (b[2:, 1:-1, 1:-1] - 2.0 * b[1:-1, 1:-1, 1:-1] + b[:-2, 1:-1, 1:-1])
            + 0.125 * (b[1:-1, 2:, 1:-1] - 2.0 * b[1:-1, 1:-1, 1:-1] + b[1:-1, :-2, 1:-1])
            + 0.125 * (b[1:-1, 1:-1, 2:] - 2.0 * b[1:-1, 1:-1, 1:-1] + b[1:-1, 1:-1, :-2])
            + b[1:-1, 1:-1, 1:-1]
        )
    return np.sum(a * a) + np.sum(b * b)


def heat_3d_scratch(first, second, steps):
    n = first.shape[0]
    a = first.copy()
    b = second.copy()
    for step in range(2 * (steps - 1)):
        if step % 2 == 0:
            old, new = a, b
        else:
            old, new = b, a
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    new[i, j, k] = old[i, j, k] + 0.125 * (
                        old[i + 1, j, k]
                        + old[i - 1, j, k]
                        + old[i, j + 1, k]
                        + old[i, j - 1, k]
                        + old[i, j, k + 1]
                        + old[i, j, k - 1]
                        - 6.0 * old[i, j, k]
                    )
    return np.sum(a * a) + np.sum(b * b)


@numba.njit
def bend(before, here, after):
    return 0.125 * (after - 2.0 * here + before)


def heat_3d_scalars(first, second, steps):
    n = first.shape[0]
    old, new = first.copy(), second.copy()
    for _ in range(2 * (steps - 1)):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    here = old[i, j, k]
                    along = bend(old[i - 1, j, k], here, old[i + 1, j, k])
                    across = bend(old[i, j - 1, k], here, old[i, j + 1, k])
                    up = bend(old[i, j, k - 1], here, old[i, j, k + 1])
                    new[i, j, k] = here + along + across + up
        old, new = new, old
    total = 0.0
    for i in range(n):
        for j in range(n):
            for k in range(n):
                total += old[i, j, k] ** 2 + new[i, j, k] ** 2
    return total


def heat_3d_instance(n, steps):
    i, j, k = np.meshgrid(np.arange(n), np.arange(n), np.arange(n), indexing="ij")
    grid = 10.0 * (i + j + n - k) / n
    return grid, grid.copy(), steps


KERNELS = (
    Kernel(
        "jacobi_1d",
        {"arrays": jacobi_1d_arrays, "scratch": jacobi_1d_scratch, "scalars": jacobi_1d_scalars},
        jacobi_1d_instance,
        by_size((9, 4), (3200, 800), (12000, 3000)),
        (0, 1),
    ),
    Kernel(
        "jacobi_2d",
        {"arrays": jacobi_2d_arrays, "scratch": jacobi_2d_scratch, "scalars": jacobi_2d_scalars},
        jacobi_2d_instance,
        by_size((6, 3), (150, 50), (350, 80)),
        (0, 1),
    ),
    Kernel(
        "heat_3d",
        {"arrays": heat_3d_arrays, "scratch": heat_3d_scratch, "scalars": heat_3d_scalars},
        heat_3d_instance,
        by_size((5, 3), (25, 25), (40, 50)),
        (0, 1),
    ),
)
