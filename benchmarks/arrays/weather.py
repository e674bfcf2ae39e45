"""Kernels of a weather model: horizontal diffusion with a limiter, implicit vertical advection."""

from __future__ import annotations

import numba
import numpy as np

from benchmarks.arrays.kernel import Kernel, by_size

HALF = 0.5
RATE = 3.0 / 20.0


def hdiff_arrays(field, weight):
    rows, columns = weight.shape[0], weight.shape[1]
    curved = 4.0 * field[1:-1, 1:-1, :] - (
        field[2:, 1:-1, :] + field[:-2, 1:-1, :] + field[1:-1, 2:, :] + field[1:-1, :-2, :]
    )
    along = curved[1:, 1:-1, :] - curved[:-1, 1:-1, :]
    rise = field[2 : rows + 3, 2:-2, :] - field[1 : rows + 2, 2:-2, :]
    along = np.where(along * rise > 0.0, 0.0, along)
    across = curved[1:-1, 1:, :] - curved[1:-1, :-1, :]
    climb = field[2:-2, 2 : columns + 3, :] - field[2:-2, 1 : columns + 2, :]
    across = np.where(across * climb > 0.0, 0.0, across)
    out = field[2:-2, 2:-2, :] - weight * (
        along[1:, :, :] - along[:-1, :, :] + across[:, 1:, :] - across[:, :-1, :]
    )
    return np.sum(out * out)


def hdiff_scratch(field, weight):
    rows, columns, levels = weight.shape
    curved = np.empty((rows + 2, columns + 2, levels))
    along = np.empty((rows + 1, columns, levels))
    across = np.empty((rows, columns + 1, levels))
    for i in range(rows + 2):
        for j in range(columns + 2):
            for k in range(levels):
                curved[i, j, k] = 4.0 * field[i + 1, j + 1, k] - (
                    field[i + 2, j + 1, k] + field[i, j + 1, k] + field[i + 1, j + 2, k] + field[i + 1, j, k]
                )
    for i in range(rows + 1):
        for j in range(columns):
            for k in range(levels):
                flux = curved[i + 1, j + 1, k] - curved[i, j + 1, k]
                if flux * (field[i + 2, j + 2, k] - field[i + 1, j + 2, k]) > 0.0:
                    flux = 0.0
                along[i, j, k] = flux
    for i in range(rows):
        for j in range(columns + 1):
            for k in range(levels):
                flux = curved[i + 1, j + 1, k] - curved[i + 1, j, k]
                if flux * (field[i + 2, j + 2, k] - field[i + 2, j + 1, k]) > 0.0:
                    flux = 0.0
                across[i, j, k] = flux
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            for k in range(levels):
                spread = along[i + 1, j, k] - along[i, j, k] + across[i, j + 1, k] - across[i, j, k]
                out = field[i + 2, j + 2, k] - weight[i, j, k] * spread
                total += out * out
    return total


@numba.njit
def curvature(field, i, j, k):
    return 4.0 * field[i, j, k] - (
        field[i + 1, j, k] + field[i - 1, j, k] + field[i, j + 1, k] + field[i, j - 1, k]
    )


@numba.njit
def limited(flux, rise):
    return 0.0 if flux * rise > 0.0 else flux


def hdiff_scalars(field, weight):
    rows, columns, levels = weight.shape
    total = 0.0
    for i in range(2, rows + 2):
        for j in range(2, columns + 2):
            for k in range(levels):
                here = field[i, j, k]
                bend = curvature(field, i, j, k)
                down = limited(curvature(field, i + 1, j, k) - bend, field[i + 1, j, k] - here)
                up = limited(bend - curvature(field, i - 1, j, k), here - field[i - 1, j, k])
                right = limited(curvature(field, i, j + 1, k) - bend, field[i, j + 1, k] - here)
                left = limited(bend - curvature(field, i, j - 1, k), here - field[i, j - 1, k])
                out = here - weight[i - 2, j - 2, k] * (down - up + right - left)
                total += out * out
    return total


def hdiff_instance(rows, columns, levels):
    rng = np.random.default_rng(42)
    return rng.random((rows + 4, columns + 4, levels)), rng.random((rows, columns, levels))


def vadv_arrays(tendency, stage, wind, start, given):
    rows, columns, levels = stage.shape
    upper = np.zeros((rows, columns, levels))
    right = np.zeros((rows, columns, levels))
    out = np.zeros((rows, columns, levels))
    for k in range(levels):
        above = np.zeros((rows, columns))
        below = np.zeros((rows, columns))
        change = np.zeros((rows, columns))
        if k > 0:
            above = -0.25 * (wind[1:, :, k] + wind[:-1, :, k])
            change = change - HALF * above * (stage[:, :, k - 1] - stage[:, :, k])
        if k < levels - 1:
            below = 0.25 * (wind[1:, :, k + 1] + wind[:-1, :, k + 1])
            change = change - HALF * below * (stage[:, :, k + 1] - stage[:, :, k])
        pivot = RATE - HALF * above - HALF * below
        side = RATE * start[:, :, k] + given[:, :, k] + tendency[:, :, k] + change
        if k > 0:
            pivot = pivot - upper[:, :, k - 1] * (HALF * above)
            side = side - right[:, :, k - 1] * (HALF * above)
        upper[:, :, k] = HALF * below / pivot
        right[:, :, k] = side / pivot
    solved = right[:, :, levels - 1].copy()
    out[:, :, levels - 1] = RATE * (solved - start[:, :, levels - 1])
    for k in range(levels - 2, -1, -1):
        solved = right[:, :, k] - upper[:, :, k] * solved
        out[:, :, k] = RATE * (solved - start[:, :, k])
    return np.sum(out * out)


def vadv_scratch(tendency, stage, wind, start, given):
    rows, columns, levels = stage.shape
    upper = np.zeros((rows, columns, levels))
    right = np.zeros((rows, columns, levels))
    out = np.zeros((rows, columns, levels))
    for i in range(rows):
        for j in range(columns):
            for k in range(levels):
                above = 0.0
                below = 0.0
                side = RATE * start[i, j, k] + given[i, j, k] + tendency[i, j, k]
                if k > 0:
                    above = -0.125 * (wind[i + 1, j, k] + wind[i, j, k])
                    side -= above * (stage[i, j, k - 1] - stage[i, j, k])
                if k < levels - 1:
                    below = 0.125 * (wind[i + 1, j, k + 1] + wind[i, j, k + 1])
                    side -= below * (stage[i, j, k + 1] - stage[i, j, k])
                pivot = RATE - above - below
                if k > 0:
                    pivot -= upper[i, j, k - 1] * above
                    side -= right[i, j, k - 1] * above
                upper[i, j, k] = below / pivot
                right[i, j, k] = side / pivot
            solved = right[i, j, levels - 1]
            out[i, j, levels - 1] = RATE * (solved - start[i, j, levels - 1])
            for k in range(levels - 2, -1, -1):
                solved = right[i, j, k] - upper[i, j, k] * solved
                out[i, j, k] = RATE * (solved - start[i, j, k])
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            for k in range(levels):
                total += out[i, j, k] ** 2
    return total


@numba.njit
def between(wind, i, j, k):
    return 0.125 * (wind[i + 1, j, k] + wind[i, j, k])


def vadv_scalars(tendency, stage, wind, start, given):
    rows, columns, levels = stage.shape
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            upper = np.empty(levels)
            right = np.empty(levels)
            factor, side = 0.0, 0.0
            for k in range(levels):
                above = -between(wind, i, j, k) if k > 0 else 0.0
                below = between(wind, i, j, k + 1) if k < levels - 1 else 0.0
                here = stage[i, j, k]
                fall = above * (stage[i, j, k - 1] - here) if k > 0 else 0.0
                climb = below * (stage[i, j, k + 1] - here) if k < levels - 1 else 0.0
                pivot = RATE - above - below - factor * above
                known = RATE * start[i, j, k] + given[i, j, k] + tendency[i, j, k]
                side = (known - fall - climb - side * above) / pivot
                factor = below / pivot
                upper[k] = factor
                right[k] = side
            solved = 0.0
            for k in range(levels - 1, -1, -1):
                solved = right[k] - upper[k] * solved
                total += (RATE * (solved - start[i, j, k])) ** 2
    return total


def vadv_instance(rows, columns, levels):
    rng = np.random.default_rng(42)
    shape = (rows, columns, levels)
    # A weak wind keeps the tridiagonal system dominated by its diagonal.
    return (
        rng.random(shape),
        rng.random(shape),
        0.2 * rng.random((rows + 1, columns, levels)),
        rng.random(shape),
        rng.random(shape),
    )


KERNELS = (
    Kernel(
        "hdiff",
        {"arrays": hdiff_arrays, "scratch": hdiff_scratch, "scalars": hdiff_scalars},
        hdiff_instance,
        by_size((3, 4, 2), (64, 64, 60), (128, 128, 160)),
        (0, 1),
    ),
    Kernel(
        "vadv",
        {"arrays": vadv_arrays, "scratch": vadv_scratch, "scalars": vadv_scalars},
        vadv_instance,
        by_size((2, 3, 4), (60, 60, 40), (112, 112, 80)),
        (0, 1, 2, 3, 4),
    ),
)
