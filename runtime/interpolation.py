"""Adjoints of `np.interp(x, points, values)`, which is flat outside the points, and derivatives of `np.sinc`, which interpolates between whole numbers."""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numba.extending import overload

from backsweep.runtime.support.compiled import declared, kernel, shaped_like


@kernel
def cell(x: float, points) -> int:
    """The number of the interval between points that holds `x`; -1 before the first, their count less one behind."""
    if x < points[0]:
        return -1
    if x >= points[-1]:
        return int(points.size - 1)
    return int(np.searchsorted(points, x, "right") - 1)


@kernel
def lies_in(k: int, x: float, y, points, values) -> bool:
    """Whether `y` is the value of the interpolation in its interval `k`. Where points do not increase, NumPy may have taken another: then no derivative is known."""
    if k < 0 or k == points.size - 1:
        expected, size = values[max(k, 0)], np.abs(values[max(k, 0)])
    else:
        share = (x - points[k]) / (points[k + 1] - points[k])
        expected = values[k] * (1.0 - share) + values[k + 1] * share
        size = np.abs(values[k]) + np.abs(values[k + 1])
        if not 0.0 <= share <= 1.0:
            return False
    return not np.abs(y - expected) > 1e-9 * size  # nan among values is no other interval


@shaped_like("x")
@kernel
def interp_slopes(x, y, points, values):
    """The slope of the interpolation `y` at each entry of the vector `x`; at a point, the slope to its right; nan where the points do not increase."""
    slopes = np.zeros(x.size)  # of floats, also where the values are whole numbers
    for i in range(x.size):
        k = cell(x[i], points)
        if 0 <= k < points.size - 1:
            slopes[i] = (values[k + 1] - values[k]) / (points[k + 1] - points[k])
        if not lies_in(k, x[i], y[i], points, values):
            slopes[i] = np.nan
    return slopes


@shaped_like("points")
@kernel
def interp_pullback_points(y_bar, x, y, points, values):
    """The adjoint of `points`."""
    points_bar = np.zeros_like(points)
    for i in range(x.size):
        k = cell(x[i], points)
        if y_bar[i] != 0.0 and not lies_in(k, x[i], y[i], points, values):
            points_bar[:] = np.nan
        elif 0 <= k < points.size - 1:
            width = points[k + 1] - points[k]
            slope = (values[k + 1] - values[k]) / width
            share = (x[i] - points[k]) / width
            points_bar[k] -= y_bar[i] * slope * (1.0 - share)
            points_bar[k + 1] -= y_bar[i] * slope * share
    return points_bar


@shaped_like("values")
@kernel
def interp_pullback_values(y_bar, x, y, points, values):
    """The adjoint of `values`."""
    values_bar = np.zeros_like(values)
    for i in range(x.size):
        k = cell(x[i], points)
        if y_bar[i] != 0.0 and not lies_in(k, x[i], y[i], points, values):
            values_bar[:] = np.nan
        elif k < 0:
            values_bar[0] += y_bar[i]
        elif k == points.size - 1:
            values_bar[k] += y_bar[i]
        else:
            share = (x[i] - points[k]) / (points[k + 1] - points[k])
            values_bar[k] += y_bar[i] * (1.0 - share)
            values_bar[k + 1] += y_bar[i] * share
    return values_bar


@declared(by_entry=True)
def sinc_derivative(order, x):
    """Derivative of `np.sinc` of this order: that of sin(u) / u at u = pi x, times a power of pi.

    It is the integral of t^n cos(u t + n pi / 2) for t from 0 to 1. For large u these obey u S_n = sin(u + n pi / 2) - n S_(n-1),
    where rounding errors shrink; for others it is a power series.
    """
    dtype = np.result_type(np.asarray(x), np.float32)
    y = np.empty(np.shape(x), dtype)
    for place in np.ndindex(y.shape):
        y[place] = _sinc_derivative(order, x[place] if place else x)
    return y[()]


@overload(sinc_derivative)
def _sinc_derivative_of(order, x):  # noqa: ARG001  as Numba compares it with the function
    kind = getattr(x, "dtype", x)
    dtype = (
        np.complex128
        if isinstance(kind, types.Complex)
        else np.float32
        if kind == types.float32
        else np.float64
    )

    def of_a_number(order, x):
        return dtype(_sinc_derivative(order, x))

    def of_an_array(order, x):
        y = np.empty(x.shape, dtype)
        for place in np.ndindex(x.shape):
            y[place] = _sinc_derivative(order, x[place])
        return y

    return of_an_array if isinstance(x, types.Array) else of_a_number


@kernel
def _sinc_derivative(order: int, x):
    u = math.pi * x
    if not np.isfinite(u):
        return u * np.nan
    total = 0.0 * u
    if abs(u) > 1.0 + order:
        sine, cosine = np.sin(u), np.cos(u)
        total = sine / u
        for n in range(1, order + 1):
            sine, cosine = cosine, -sine
            total = (sine - n * total) / u
    else:  # every second derivative of the cosine at zero is zero
        first = order % 2
        half = (order + first) // 2
        term = (1.0 if half % 2 == 0 else -1.0) * (u if first == 1 else 1.0 + 0.0 * u)
        k = first
        while abs(term) > 1e-18 * abs(total):
            total += term / (order + 1 + k)
            term *= -u * u / ((k + 1) * (k + 2))
            k += 2
    return math.pi**order * total
