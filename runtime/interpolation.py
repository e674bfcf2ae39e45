"""Adjoints of `np.interp(x, points, values)`, which is flat outside the points."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.runtime.support.compiled import kernel, shaped_like


@kernel
def cell(x: float, points: Any) -> int:
    """The number of the interval between points that holds `x`; -1 before the first, their count less one behind."""
    if x < points[0]:
        return -1
    if x >= points[-1]:
        return int(points.size - 1)
    return int(np.searchsorted(points, x, "right") - 1)


@shaped_like("x")
@kernel
def interp_slopes(x: Any, points: Any, values: Any) -> Any:
    """The slope of the interpolation at each entry of the vector `x`; at a point, the slope to its right."""
    slopes = np.zeros(x.size)  # of floats, also where the values are whole numbers
    for i in range(x.size):
        k = cell(x[i], points)
        if 0 <= k < points.size - 1:
            slopes[i] = (values[k + 1] - values[k]) / (points[k + 1] - points[k])
    return slopes


@shaped_like("points")
@kernel
def interp_pullback_points(y_bar: Any, x: Any, points: Any, values: Any) -> Any:
    """The adjoint of `points`."""
    points_bar = np.zeros_like(points)
    for i in range(x.size):
        k = cell(x[i], points)
        if 0 <= k < points.size - 1:
            width = points[k + 1] - points[k]
            slope = (values[k + 1] - values[k]) / width
            share = (x[i] - points[k]) / width
            points_bar[k] -= y_bar[i] * slope * (1.0 - share)
            points_bar[k + 1] -= y_bar[i] * slope * share
    return points_bar


@shaped_like("values")
@kernel
def interp_pullback_values(y_bar: Any, x: Any, points: Any, values: Any) -> Any:
    """The adjoint of `values`."""
    values_bar = np.zeros_like(values)
    for i in range(x.size):
        k = cell(x[i], points)
        if k < 0:
            values_bar[0] += y_bar[i]
        elif k == points.size - 1:
            values_bar[k] += y_bar[i]
        else:
            share = (x[i] - points[k]) / (points[k + 1] - points[k])
            values_bar[k] += y_bar[i] * (1.0 - share)
            values_bar[k + 1] += y_bar[i] * share
    return values_bar
