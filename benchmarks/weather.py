"""Horizontal diffusion with a limiter, a kernel of weather models, and its adjoint by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.problem import Problem

Floats = NDArray[np.float64]


@njit(error_model="numpy")
def laplacian(field: Floats) -> Floats:
    """Four times each inner column, less its neighbours."""
    rows, columns, levels = field.shape
    lap = np.empty((rows - 2, columns - 2, levels))
    for i in range(rows - 2):
        for j in range(columns - 2):
            for k in range(levels):
                lap[i, j, k] = 4.0 * field[i + 1, j + 1, k] - (
                    field[i + 2, j + 1, k] + field[i, j + 1, k] + field[i + 1, j + 2, k] + field[i + 1, j, k]
                )
    return lap


@njit(error_model="numpy")
def fluxes(field: Floats, lap: Floats) -> tuple[Floats, Floats]:
    """Differences of `lap` along rows and columns; those that point uphill are zero."""
    rows, columns, levels = lap.shape[0] - 2, lap.shape[1] - 2, lap.shape[2]
    along = np.empty((rows + 1, columns, levels))
    for i in range(rows + 1):
        for j in range(columns):
            for k in range(levels):
                flux = lap[i + 1, j + 1, k] - lap[i, j + 1, k]
                uphill = flux * (field[i + 2, j + 2, k] - field[i + 1, j + 2, k]) > 0.0
                along[i, j, k] = 0.0 if uphill else flux
    across = np.empty((rows, columns + 1, levels))
    for i in range(rows):
        for j in range(columns + 1):
            for k in range(levels):
                flux = lap[i + 1, j + 1, k] - lap[i + 1, j, k]
                uphill = flux * (field[i + 2, j + 2, k] - field[i + 2, j + 1, k]) > 0.0
                across[i, j, k] = 0.0 if uphill else flux
    return along, across


@njit(error_model="numpy")
def hdiff(field: Floats, weight: Floats) -> float:
    """The sum of squares of the diffused field."""
    along, across = fluxes(field, laplacian(field))
    rows, columns, levels = weight.shape
    loss = 0.0
    for i in range(rows):
        for j in range(columns):
            for k in range(levels):
                change = along[i + 1, j, k] - along[i, j, k] + across[i, j + 1, k] - across[i, j, k]
                out = field[i + 2, j + 2, k] - weight[i, j, k] * change
                loss += out * out
    return loss


@njit(error_model="numpy")
def hdiff_by_hand(field: Floats, weight: Floats) -> Any:
    """Value and gradient of `hdiff`: the limiter is asked again, so nothing is recorded."""
    lap = laplacian(field)
    along, across = fluxes(field, lap)
    rows, columns, levels = weight.shape
    field_bar, weight_bar = np.zeros_like(field), np.empty_like(weight)
    change_bar = np.empty_like(weight)
    loss = 0.0
    for i in range(rows):
        for j in range(columns):
            for k in range(levels):
                change = along[i + 1, j, k] - along[i, j, k] + across[i, j + 1, k] - across[i, j, k]
                out = field[i + 2, j + 2, k] - weight[i, j, k] * change
                loss += out * out
                field_bar[i + 2, j + 2, k] = 2.0 * out
                weight_bar[i, j, k] = -2.0 * out * change
                change_bar[i, j, k] = -2.0 * out * weight[i, j, k]
    lap_bar = np.zeros_like(lap)
    for i in range(rows + 1):
        for j in range(columns):
            for k in range(levels):
                flux = lap[i + 1, j + 1, k] - lap[i, j + 1, k]
                uphill = flux * (field[i + 2, j + 2, k] - field[i + 1, j + 2, k]) > 0.0
                bar = change_bar[i - 1, j, k] if i > 0 else 0.0
                bar -= change_bar[i, j, k] if i < rows else 0.0
                bar = 0.0 if uphill else bar
                lap_bar[i + 1, j + 1, k] += bar
                lap_bar[i, j + 1, k] -= bar
    for i in range(rows):
        for j in range(columns + 1):
            for k in range(levels):
                flux = lap[i + 1, j + 1, k] - lap[i + 1, j, k]
                uphill = flux * (field[i + 2, j + 2, k] - field[i + 2, j + 1, k]) > 0.0
                bar = change_bar[i, j - 1, k] if j > 0 else 0.0
                bar -= change_bar[i, j, k] if j < columns else 0.0
                bar = 0.0 if uphill else bar
                lap_bar[i + 1, j + 1, k] += bar
                lap_bar[i + 1, j, k] -= bar
    for i in range(rows + 2):
        for j in range(columns + 2):
            for k in range(levels):
                bar = lap_bar[i, j, k]
                field_bar[i + 1, j + 1, k] += 4.0 * bar
                field_bar[i + 2, j + 1, k] -= bar
                field_bar[i, j + 1, k] -= bar
                field_bar[i + 1, j + 2, k] -= bar
                field_bar[i + 1, j, k] -= bar
    return loss, (field_bar, weight_bar)


def hdiff_instance(size: str) -> tuple[Floats, Floats]:
    """A field, wider by two on each side, and the weights of its diffusion."""
    rows, columns, levels = {"tiny": (3, 4, 2), "S": (64, 64, 60), "M": (128, 128, 160)}[size]
    rng = np.random.default_rng(42)
    return rng.random((rows + 4, columns + 4, levels)), rng.random((rows, columns, levels))


PROBLEMS = (Problem("hdiff", hdiff, hdiff_instance, (0, 1), hdiff_by_hand),)
