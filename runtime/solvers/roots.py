"""Roots of one equation: the searches of SciPy, and the derivative of what they find.

A search decides by comparing, so that its steps have no derivative that is the root's: that of bisection is zero. The root is
held constant instead, and followed by steps with the slope there: each makes one more order of derivatives right, whatever found
the root (docs/decisions/0038-roots-by-steps-with-one-slope.md).

Sources: R. Brent, Algorithms for Minimization without Derivatives (1973), chapter 4; C. Ridders, A new algorithm for computing a
single root of a real continuous function (1979); J. Bus and T. Dekker, Two efficient algorithms with guaranteed convergence for
finding a zero of a function (1975); A. Griewank and A. Walther, Evaluating Derivatives (2008), section 15.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from backsweep.runtime.solvers.marks import slope_of
from backsweep.runtime.support.compiled import inlined
from backsweep.runtime.support.marks import stop_gradient

Equation = Callable[..., Any]
RootResults = namedtuple("RootResults", ("root", "converged"))  # noqa: PYI024  the compiler knows these
ONE_SIGN = "f(a) and f(b) must have different signs"
NOT_FOUND = "Failed to converge to a root"


@inlined
def followed(equation: Equation, found):
    """The root that was found, with its derivatives up to order four."""
    start = stop_gradient(found)
    slope = stop_gradient(slope_of(equation)(start))
    if slope == 0.0:
        return start + without_slope(equation(start))
    root = start
    for _ in range(4):
        root = root - equation(root) / slope
    return start + (root - stop_gradient(root))


@inlined
def without_slope(value):
    """Zero, whose derivative is not finite, for what is no root, and for one at which the equation has no slope."""
    return np.sqrt(abs(value - stop_gradient(value)))


@inlined
def root_of(search, f: Equation, args, *options):
    """The root that the search finds; RuntimeError if it finds none."""
    found, has_converged = search(lambda x: f(x, *args), *options)
    if not has_converged:
        raise RuntimeError(NOT_FOUND)
    return followed(lambda x: f(x, *args), found)


@inlined
def results_of(search, f: Equation, args, *options):
    """The root, and whether the search found it."""
    found, has_converged = search(lambda x: f(x, *args), *options)
    if has_converged:
        root = followed(lambda x: f(x, *args), found)
    else:
        root = stop_gradient(found) + without_slope(f(stop_gradient(found), *args))
    return RootResults(root, has_converged)


@inlined
def brentq(equation: Equation, a, b, xtol, rtol, maxiter):
    """Brent's search by inverse quadratic interpolation."""
    return brent(equation, a, b, xtol, rtol, maxiter, is_hyperbolic=False)


@inlined
def brenth(equation: Equation, a, b, xtol, rtol, maxiter):
    """The same by interpolation with hyperbolas."""
    return brent(equation, a, b, xtol, rtol, maxiter, is_hyperbolic=True)


@inlined
def brent(equation: Equation, a, b, xtol, rtol, maxiter, is_hyperbolic: bool):
    """The best point of the search, and whether its bracket is as short as the tolerance."""
    last, best = float(a), float(b)
    last_value, value = equation(last), equation(best)
    if last_value == 0.0:
        return last, True
    if value == 0.0:
        return best, True
    if (last_value < 0.0) == (value < 0.0):
        raise ValueError(ONE_SIGN)
    other, other_value, step_before, step = 0.0, 0.0, 0.0, 0.0
    has_converged = False
    for _ in range(maxiter):
        if last_value != 0.0 and value != 0.0 and (last_value < 0.0) != (value < 0.0):
            other, other_value = last, last_value
            step = best - last
            step_before = step
        if abs(other_value) < abs(value):
            last, best, other = best, other, best
            last_value, value, other_value = value, other_value, value
        tolerance = 0.5 * (xtol + rtol * abs(best))
        half = 0.5 * (other - best)
        if value == 0.0 or abs(half) < tolerance:
            has_converged = True
            break
        tried = math.inf
        if abs(step_before) > tolerance and abs(value) < abs(last_value):
            if last == other:
                tried = -value * (best - last) / (value - last_value)
            else:
                slope = (last_value - value) / (last - best)
                other_slope = (other_value - value) / (other - best)
                if is_hyperbolic:
                    tried = (
                        -value * (other_value - last_value) / (other_value * slope - last_value * other_slope)
                    )
                else:
                    tried = (
                        -value
                        * (other_value * other_slope - last_value * slope)
                        / (other_slope * slope * (other_value - last_value))
                    )
        if 2.0 * abs(tried) < min(abs(step_before), 3.0 * abs(half) - tolerance):
            step_before, step = step, tried
        else:
            step_before, step = half, half
        last, last_value = best, value
        if abs(step) > tolerance:
            best = best + step
        elif half > 0.0:
            best = best + tolerance
        else:
            best = best - tolerance
        value = equation(best)
    return best, has_converged


@inlined
def bisect(equation: Equation, a, b, xtol, rtol, maxiter):
    """The search that halves the bracket."""
    start, stop = float(a), float(b)
    value, other_value = equation(start), equation(stop)
    if value == 0.0:
        return start, True
    if other_value == 0.0:
        return stop, True
    if (value < 0.0) == (other_value < 0.0):
        raise ValueError(ONE_SIGN)
    width, best, has_converged = stop - start, start, False
    for _ in range(maxiter):
        width *= 0.5
        best = start + width
        at_best = equation(best)
        if (at_best < 0.0) == (value < 0.0):
            start = best
        if at_best == 0.0 or abs(width) < xtol + rtol * abs(best):
            has_converged = True
            break
    return best, has_converged


@inlined
def ridder(equation: Equation, a, b, xtol, rtol, maxiter):
    """Ridders' search, by a line through values that an exponential straightens."""
    start, stop = float(a), float(b)
    value, other_value = equation(start), equation(stop)
    if value == 0.0:
        return start, True
    if other_value == 0.0:
        return stop, True
    if (value < 0.0) == (other_value < 0.0):
        raise ValueError(ONE_SIGN)
    tolerance = xtol + rtol * min(abs(start), abs(stop))
    best, has_converged = start, False
    for _ in range(maxiter):
        half = 0.5 * (stop - start)
        middle = start + half
        at_middle = equation(middle)
        way = half * at_middle / math.sqrt(at_middle * at_middle - value * other_value)
        if other_value < value:
            way = -way
        length = min(abs(way), abs(half) - 0.5 * tolerance)
        best = middle - length if way > 0.0 else middle + length
        at_best = equation(best)
        if (at_best < 0.0) != (at_middle < 0.0):
            start, value, stop, other_value = best, at_best, middle, at_middle
        elif (at_best < 0.0) != (value < 0.0):
            stop, other_value = best, at_best
        else:
            start, value = best, at_best
        tolerance = xtol + rtol * best
        if at_best == 0.0 or abs(stop - start) < tolerance:
            has_converged = True
            break
    return best, has_converged


@inlined
def newton(equation: Equation, slope: Equation, curvature, x0, tol, rtol, maxiter):
    """Newton's search, with Halley's correction if there is a second derivative."""
    root, has_converged = 1.0 * x0, False
    for _ in range(maxiter):
        value = equation(root)
        if value == 0.0:
            has_converged = True
            break
        steepness = slope(root)
        if steepness == 0.0:
            break
        step = value / steepness
        if curvature is not None:
            change = 0.5 * step * curvature(root) / steepness
            if abs(change) < 1.0:
                step = step / (1.0 - change)
        last, root = root, root - step
        if abs(root - last) <= tol + rtol * abs(last):
            has_converged = True
            break
    return root, has_converged


@inlined
def secant(equation: Equation, x0, x1, tol, rtol, maxiter):
    """The search by lines through two points."""
    last = 1.0 * x0
    if x1 is not None:
        best = 1.0 * x1
        if best == last:
            raise ValueError("x1 and x0 must be different")
    else:
        best = last * (1.0 + 1e-4)
        best = best + 1e-4 if best >= 0.0 else best - 1e-4
    last_value, value = equation(last), equation(best)
    if abs(value) < abs(last_value):
        last, best, last_value, value = best, last, value, last_value
    root, has_converged = best, False
    for _ in range(maxiter):
        if value == last_value:
            root = 0.5 * (best + last)
            has_converged = best == last
            break
        if abs(value) > abs(last_value):
            root = (-last_value / value * best + last) / (1.0 - last_value / value)
        else:
            root = (-value / last_value * last + best) / (1.0 - value / last_value)
        if abs(root - best) <= tol + rtol * abs(best):
            has_converged = True
            break
        last, last_value, best = best, value, root
        value = equation(best)
    return root, has_converged


@inlined
def with_more(function: Equation, args, x):
    """The value of a function that has further arguments."""
    return function(x, *args)


@inlined
def own_slope(f: Equation, x, *args):
    """The slope of a function whose slope is not given."""
    return slope_of(lambda unknown: f(unknown, *args))(x)
