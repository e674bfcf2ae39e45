"""Values between points, and numbers at even distances."""

from __future__ import annotations

import numpy as np

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
