"""Values between points: `np.interp`."""

from __future__ import annotations

import numpy as np

from backsweep.prelude.declare import core, means


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
