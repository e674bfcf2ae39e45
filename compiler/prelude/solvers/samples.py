"""Integrals of samples, of `scipy.integrate`: by trapezia, by Simpson's rule and by Romberg's, and Gauss's rule for a function."""

from __future__ import annotations

import numpy as np
import scipy.integrate as sg

from backsweep.prelude.declare import computed, is_known, means, refuse
from backsweep.prelude.solvers.options import more
from backsweep.runtime.solvers.weights import romberg_weights, simpson_weights


def _along(name, y, x, dx, axis):
    """Samples along the last axis, and the steps between them."""
    y = np.moveaxis(np.asarray(y), axis, -1)
    if x is None:
        if isinstance(dx, np.ndarray):
            refuse(f"`dx` of `scipy.integrate.{name}` is no number", "give the points as `x`")
        return y, dx
    x = np.asarray(x)
    if x.ndim not in (1, y.ndim):
        refuse(
            f"`x` of `scipy.integrate.{name}` is neither a vector nor an array with the axes of `y`",
            "give the points along the axis as a vector",
        )
    if x.ndim > 1:
        x = np.moveaxis(x, axis, -1)
    if x.shape[-1] != y.shape[-1]:
        raise ValueError("If given, length of x along axis must be the same as y.")
    return y, x[..., 1:] - x[..., :-1]


def _trapezia(y, steps):
    """The areas of the trapezia."""
    return steps * (0.5 * (y[..., 1:] + y[..., :-1]))


def _from_the_first(sums, initial, axis):
    """Integrals up to each point but the first, to which an `initial` one is added, and before which it stands."""
    if initial is not None:
        first = np.zeros((*sums.shape[:-1], 1), sums.dtype)
        sums = np.concatenate((first, sums), axis=-1) + initial
    return np.moveaxis(sums, -1, axis)


@means(sg.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The sum of trapezia."""
    y, steps = _along("trapezoid", y, x, dx, axis)
    return np.sum(_trapezia(y, steps), axis=-1)


@means(sg.cumulative_trapezoid)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """The sums of the first trapezia, with `initial=0` the empty one, too."""
    if initial is not None and not (is_known(initial) and initial == 0):
        refuse("`initial` of `scipy.integrate.cumulative_trapezoid` is None or 0", "add it to the result")
    y, steps = _along("cumulative_trapezoid", y, x, dx, axis)
    if y.shape[-1] == 0:
        raise ValueError("At least one point is required along `axis`.")
    return _from_the_first(np.cumsum(_trapezia(y, steps), axis=-1), initial, axis)


def _share(above, below):
    """The quotient, and 0 where the divisor is."""
    return np.where(below == 0.0, 0.0, above / np.where(below == 0.0, 1.0, below))


@means(sg.simpson)
def simpson(y, x=None, *, dx=1.0, axis=-1):
    """The integral by parabolas; with an even number of points, Cartwright's for the last step."""
    y, steps = _along("simpson", y, x, dx, axis)
    count = y.shape[-1]
    if x is None:
        return dx * np.sum(simpson_weights(count) * y, axis=-1)
    if count == 2:
        return np.sum(_trapezia(y, steps), axis=-1)
    end = (count - 1) // 2 * 2
    one, two = steps[..., 0:end:2], steps[..., 1:end:2]
    both, share = one + two, _share(one, two)
    middle = y[..., 1:end:2] * (both * _share(both, one * two))
    sides = y[..., 0:end:2] * (2.0 - _share(1.0, share)) + y[..., 2 : end + 1 : 2] * (2.0 - share)
    total = np.sum(both / 6.0 * (sides + middle), axis=-1)
    if end < count - 1:
        one, two = steps[..., count - 3], steps[..., count - 2]
        total = total + _share(2.0 * two**2 + 3.0 * one * two, 6.0 * (one + two)) * y[..., count - 1]
        total = total + _share(two**2 + 3.0 * one * two, 6.0 * one) * y[..., count - 2]
        total = total - _share(two**3, 6.0 * one * (one + two)) * y[..., count - 3]
    return total


@means(sg.cumulative_simpson)
def cumulative_simpson(y, *, x=None, dx=1.0, axis=-1, initial=None):
    """The integrals up to each point by parabolas, with `initial` that up to the first, too."""
    y, steps = _along("cumulative_simpson", y, x, dx, axis)
    count = y.shape[-1]
    if x is None:
        steps = np.full(count - 1, 1.0 * dx)
    elif np.any(steps <= 0.0):
        raise ValueError("Input x must be strictly increasing.")
    if count < 3:
        parts = _trapezia(y, steps)
    else:  # each step by the parabola of three points
        k = np.arange(count - 1)
        turned = (k % 2 == 1) | (k == count - 2)
        near, far = np.where(turned, k + 1, k), np.where(turned, k - 1, k + 2)
        other = steps[..., np.where(turned, k - 1, k + 1)]
        share, ratio = steps / (steps + other), steps / other
        ends = (3.0 - share) * y[..., near] - share * ratio * y[..., far]
        parts = steps / 6.0 * (ends + (3.0 + share * ratio + share) * y[..., np.where(turned, k, k + 1)])
    return _from_the_first(np.cumsum(parts, axis=-1), initial, axis)


@means(sg.romb)
def romb(y, dx=1.0, axis=-1, show=False):
    """The integral by extrapolation to steps of length zero."""
    if show:
        refuse("`show` of `scipy.integrate.romb` is not supported", "leave it out")
    y, _ = _along("romb", y, None, dx, axis)
    return dx * np.sum(romberg_weights(y.shape[-1]) * y, axis=-1)


@means(sg.fixed_quad)
def fixed_quad(func, a, b, args=(), n=5):
    """Gauss's rule; the second part of the result is None, as SciPy's is."""
    points, weights = computed(np.polynomial.legendre.leggauss)(n)
    return 0.5 * (b - a) * np.sum(weights * func((b - a) * (0.5 * (points + 1.0)) + a, *more(args))), None
