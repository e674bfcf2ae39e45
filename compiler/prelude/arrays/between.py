"""Values between points, slopes at points, integrals, and numbers at even distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.prelude.arrays.choices import axes_of, one_axis
from backsweep.prelude.declare import as_array, core, has_array, is_complex, is_known, means, refuse


@means(np.interp)
def interp(x, xp, fp, left=None, right=None, period=None):
    """Values between points. What lies outside, or how the points repeat, is written out."""
    if isinstance(x, (list, tuple)):
        x = np.array(x)
    if isinstance(x, np.ndarray) and x.ndim != 1:
        return np.reshape(_between(np.ravel(x), xp, fp, left, right, period), np.shape(x))
    return _between(x, xp, fp, left, right, period)


def _between(x, xp, fp, left, right, period):
    """The same of a vector or a number."""
    if period is not None:
        return _periodic(x, np.asarray(xp), np.asarray(fp), period)
    between = core(np.interp)
    if left is None and right is None:
        return between(x, xp, fp)
    left, right = fp[0] if left is None else left, fp[-1] if right is None else right
    if isinstance(x, np.ndarray):
        return np.where(x < xp[0], left, np.where(x > xp[-1], right, between(x, xp, fp)))
    if x < xp[0]:
        return left * 1.0
    if x > xp[-1]:
        return right * 1.0
    return between(x, xp, fp)


def _periodic(x, xp, fp, period):
    """The same of points that repeat."""
    length = abs(period)
    if length == 0:
        raise ValueError("period must be a non-zero value")
    places = xp % length
    order = np.argsort(places)
    places, values = places[order], fp[order]
    places = np.concatenate((places[-1:] - length, places, places[:1] + length))
    values = np.concatenate((values[-1:], values, values[:1]))
    return core(np.interp)(x % length, places, values)


@means(np.gradient, in_njit=True)
def gradient(f, spacing=None, spacing_1=None, spacing_2=None, spacing_3=None, axis=None, edge_order=1):
    """Slopes by differences of neighbours, along one axis or, as a tuple, along several."""
    f = as_array(f)
    if not is_known(edge_order) or edge_order not in (1, 2):
        refuse("`np.gradient` is supported with edge_order=1 and edge_order=2", "write one of them")
    axes = axes_of("np.gradient", axis, f.ndim)
    steps = _given((spacing, spacing_1, spacing_2, spacing_3))
    if len(steps) > 1 and len(steps) != len(axes):
        refuse(f"`np.gradient` has {len(steps)} spacings for {len(axes)} axes", "give one for each axis")
    if len(steps) == 1 and np.ndim(steps[0]) == 1 and len(axes) > 1:
        refuse("`np.gradient` with points goes along one axis", "name it: axis=0")
    slopes: Any = ()
    for k, at in enumerate(axes):
        step = 1.0 if len(steps) == 0 else steps[min(k, len(steps) - 1)]
        slopes = (*slopes, _slopes(f, step, at, edge_order))
    return slopes if len(axes) > 1 else slopes[0]


def _given(things):
    """Those before the first that is None, as arrays and numbers."""
    first, rest = things[0], things[1:]
    return () if first is None else (as_array(first), *(_given(rest) if rest else ()))


def _slopes(f, step, axis, order):
    """The slopes along one axis, at even distances or at points."""
    if f.shape[axis] < order + 1:
        raise ValueError(
            f"Shape of array too small to calculate a numerical gradient, at least {order + 1} elements are required."
        )
    ahead = (slice(None),) * axis
    y = np.empty(f.shape, f.dtype if f.dtype.kind in "fc" else np.float64)
    before, middle, after = (
        f[(*ahead, slice(None, -2))],
        f[(*ahead, slice(1, -1))],
        f[(*ahead, slice(2, None))],
    )
    near = tuple([f[(*ahead, k)] for k in (0, 1, 2)[: order + 1]])
    far = tuple([f[(*ahead, k)] for k in (-1, -2, -3)[: order + 1]])
    if np.ndim(step) == 0:
        step = step.item() if isinstance(step, np.ndarray) else step
        y[(*ahead, slice(1, -1))] = (after - before) / (2.0 * step)
        y[(*ahead, 0)] = _rise(near) / step
        y[(*ahead, -1)] = -_rise(far) / step
        return y
    if np.ndim(step) != 1:
        refuse("the spacing of `np.gradient` is a number or a vector of points", "give one of them")
    if step.size != f.shape[axis]:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    h = step[1:] - step[:-1]
    p, q = h[:-1], h[1:]
    across = (slice(None), *(np.newaxis,) * (f.ndim - 1 - axis))
    less, own, more = (q / (p * (p + q)))[across], ((q - p) / (p * q))[across], (p / (q * (p + q)))[across]
    y[(*ahead, slice(1, -1))] = after * more + middle * own - before * less
    y[(*ahead, 0)] = _end_slope(near, h[0], h[1] if order == 2 else h[0])
    y[(*ahead, -1)] = -_end_slope(far, h[-1], h[-2] if order == 2 else h[-1])
    return y


def _rise(values):
    """The slope at an end, in steps of one, by a line through two points or by a parabola through three."""
    return values[1] - values[0] if len(values) == 2 else 2.0 * values[1] - 1.5 * values[0] - 0.5 * values[2]


def _end_slope(values, near, far):
    """The slope at an end, seen from there, by a line through two points or by a parabola through three."""
    if len(values) == 2:
        return (values[1] - values[0]) / near
    one = (near + far) / (near * far) * values[1]
    rest = (2.0 * near + far) / (near * (near + far)) * values[0]
    return one - rest - near / (far * (near + far)) * values[2]


@means(np.trapezoid, getattr(np, "trapz", np.trapezoid), in_njit=True)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integrals by trapezoids along an axis; the core has those along the last."""
    y, x = as_array(y), as_array(x)
    if is_known(axis) and axis == -1:
        return core(np.trapezoid)(y, dx=dx) if x is None else core(np.trapezoid)(y, x)
    at = one_axis("np.trapezoid", axis, y.ndim)
    ahead = (slice(None),) * at
    step = np.float32(dx) if y.dtype == np.float32 else dx
    if x is not None:
        if np.ndim(x) not in (1, y.ndim):
            refuse("the points of `np.trapezoid` have other axes than the values", "give one axis, or all")
        step = x[(*ahead, slice(1, None))] - x[(*ahead, slice(None, -1))] if x.ndim > 1 else x[1:] - x[:-1]
        if x.ndim < y.ndim:
            step = step[(slice(None), *(np.newaxis,) * (y.ndim - 1 - at))]
    sums = y[(*ahead, slice(1, None))] + y[(*ahead, slice(None, -1))]
    return np.sum(step * ((np.float32(0.5) if y.dtype == np.float32 else 0.5) * sums), axis=at)


@means(np.linspace)
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """Numbers at even distances between two ends; the core has those of two numbers, with both ends."""
    start, stop = as_array(start), as_array(stop)
    if not is_known(retstep):
        refuse("`retstep=` of `np.linspace` is known only when the program runs", "write retstep=True")
    if not has_array(start, stop) and is_known(endpoint) and endpoint and not retstep:
        return _converted(core(np.linspace)(start, stop, num), dtype)
    if num < 0:
        raise ValueError("Number of samples must be non-negative.")
    parts = num - 1 if endpoint else num
    whole = stop - start
    y = start + np.arange(num)[(slice(None), *(np.newaxis,) * np.ndim(whole))] * (whole / max(parts, 1))
    if endpoint and num > 1:
        y[-1] = stop
    y = _converted(y, dtype)
    if dtype is None and has_array(whole) and whole.dtype in (np.float32, np.complex64):
        y = y.astype(whole.dtype)
    y = y if is_known(axis) and axis == 0 else np.moveaxis(y, 0, axis)
    return (y, whole * (1.0 / parts if parts > 0 else np.nan)) if retstep else y


def _converted(y, dtype):
    """Numbers of a dtype; whole ones are the next below."""
    if dtype is None:
        return y
    return np.floor(y).astype(dtype) if np.issubdtype(dtype, np.integer) else y.astype(dtype)


@means(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Powers of a base with exponents at even distances."""
    y = np.power(as_array(base) * 1.0, np.linspace(start, stop, num, endpoint, axis=axis))
    return y if dtype is None else y.astype(dtype)


@means(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers with one ratio."""
    del axis  # there is one
    start, stop = as_array(start), as_array(stop)
    if not has_array(start, stop) and is_known(endpoint) and endpoint and dtype is None:
        return core(np.geomspace)(start, stop, num)
    if has_array(start, stop) or is_complex(start) or is_complex(stop):
        refuse("`np.geomspace` is supported for two real numbers", "write np.exp(np.linspace(...))")
    if start * stop <= 0.0:
        raise ValueError("Geometric sequence cannot include zero, or numbers of both signs")
    sign = 1.0 if start > 0.0 else -1.0
    y = sign * 10.0 ** np.linspace(np.log10(sign * start), np.log10(sign * stop), num, endpoint)
    if num > 0:
        y[0] = start
    if endpoint and num > 1:
        y[-1] = stop
    return y if dtype is None else y.astype(dtype)
