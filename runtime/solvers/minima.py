"""Minima of a function of one number: the searches of SciPy, and the derivative of what they find.

A minimum inside is a root of the slope, and is followed as one. One at a bound moves with the bound. Where the function has a kink
at its minimum, nothing is known of how it moves: the derivative is not finite.

Source: R. Brent, Algorithms for Minimization without Derivatives (1973), chapter 5.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from backsweep.runtime.solvers.marks import slope_of
from backsweep.runtime.solvers.roots import Equation, followed, without_slope
from backsweep.runtime.support.compiled import inlined
from backsweep.runtime.support.marks import stop_gradient

MinimizeResult = namedtuple("MinimizeResult", ("x", "fun", "success"))  # noqa: PYI024  the compiler knows these
NO_BRACKET = "No valid bracket was found before the iteration limit was reached."
NOT_A_BRACKET = (
    "Bracketing values do not fulfill this requirement: (xa < xb) and (xb < xc), with the least value at xb"
)


@inlined
def minimum_of(search, f: Equation, args, ends, tolerance, maxiter):
    """The minimum, its value, and whether the search found it; `ends` are the bounds of a search within bounds."""
    found, has_converged, width = search(lambda x: f(x, *args), *ends, tolerance, maxiter)
    lower, upper = ends if search is bounded else (-math.inf, math.inf)
    x = moved(lambda x: f(x, *args), found, lower, upper, width)
    return MinimizeResult(x, f(x, *args), has_converged)


@inlined
def moved(objective: Equation, found, lower, upper, width):
    """The minimum that was found up to this width, with its derivatives."""
    start = stop_gradient(found)
    slope = stop_gradient(slope_of(objective)(start))
    curvature = stop_gradient(slope_of(slope_of(objective))(start))
    step = slope / curvature if curvature > 0.0 else math.inf
    if slope > 0.0 and start - lower <= 4.0 * width and step > 10.0 * width:
        return start + (lower - stop_gradient(lower))
    if slope < 0.0 and upper - start <= 4.0 * width and not -10.0 * width <= step <= 0.0:
        return start + (upper - stop_gradient(upper))
    is_small = abs(step) <= 100.0 * width or abs(slope * step) <= 1e-10 * abs(stop_gradient(objective(start)))
    if curvature > 0.0 and is_small:
        return followed(slope_of(objective), found)
    return start + without_slope(objective(start))


@inlined
def to_least_of_parabola(x, w, v, value, w_value, v_value):
    """The way from `x` to the least value of the parabola through three points, as a numerator and a denominator that is not negative."""
    one = (x - w) * (value - v_value)
    other = (x - v) * (value - w_value)
    p = (x - v) * other - (x - w) * one
    q = 2.0 * (other - one)
    return (-p if q > 0.0 else p), abs(q)


@inlined
def bounded(objective: Equation, a, b, xatol, maxiter):
    """The search between bounds."""
    lower, upper = float(a), float(b)
    if lower > upper:
        raise ValueError("The lower bound exceeds the upper bound.")
    golden = 0.5 * (3.0 - math.sqrt(5.0))
    root_of_eps = math.sqrt(2.2e-16)
    third = lower + golden * (upper - lower)
    second = third
    best = third
    value = objective(best)
    third_value, second_value = value, value
    rat, e = 0.0, 0.0
    middle = 0.5 * (lower + upper)
    width = root_of_eps * abs(best) + xatol / 3.0
    count = 1
    while abs(best - middle) > 2.0 * width - 0.5 * (upper - lower):
        is_golden = True
        if abs(e) > width:
            p, q = to_least_of_parabola(best, second, third, value, second_value, third_value)
            before = e
            e = rat
            if abs(p) < abs(0.5 * q * before) and p > q * (lower - best) and p < q * (upper - best):
                is_golden = False
                rat = p / q
                x = best + rat
                if x - lower < 2.0 * width or upper - x < 2.0 * width:
                    rat = width if middle >= best else -width
        if is_golden:
            e = lower - best if best >= middle else upper - best
            rat = golden * e
        size = max(abs(rat), width)
        x = best + (size if rat >= 0.0 else -size)
        now = objective(x)
        count += 1
        if now <= value:
            if x >= best:
                lower = best
            else:
                upper = best
            third, third_value = second, second_value
            second, second_value = best, value
            best, value = x, now
        else:
            if x < best:
                lower = x
            else:
                upper = x
            if now <= second_value or second == best:
                third, third_value = second, second_value
                second, second_value = x, now
            elif now <= third_value or third in (best, second):
                third, third_value = x, now
        middle = 0.5 * (lower + upper)
        width = root_of_eps * abs(best) + xatol / 3.0
        if count >= maxiter:
            break
    return best, count < maxiter and not np.isnan(value), width


@inlined
def from_two(objective: Equation, first, second, tolerance, maxiter):
    """Brent's search, from a bracket that is found downhill from two points."""
    a, b = float(first), float(second)
    a_value, b_value = objective(a), objective(b)
    if a_value < b_value:
        a, b = b, a
        a_value, b_value = b_value, a_value
    c = b + 1.618034 * (b - a)
    c_value = objective(c)
    for _ in range(1000):
        if not c_value < b_value:
            break
        one = (b - a) * (b_value - c_value)
        other = (b - c) * (b_value - a_value)
        size = other - one
        divisor = 2e-21 if abs(size) < 1e-21 else 2.0 * size
        w = b - ((b - c) * other - (b - a) * one) / divisor
        limit = b + 110.0 * (c - b)
        if (w - c) * (b - w) > 0.0:
            w_value = objective(w)
            if w_value < c_value:
                a, b = b, w
                a_value, b_value = b_value, w_value
                break
            if w_value > b_value:
                c, c_value = w, w_value
                break
            w = c + 1.618034 * (c - b)
            w_value = objective(w)
        elif (w - limit) * (limit - c) >= 0.0:
            w = limit
            w_value = objective(w)
        elif (w - limit) * (c - w) > 0.0:
            w_value = objective(w)
            if w_value < c_value:
                b, c, w = c, w, w + 1.618034 * (w - c)
                b_value, c_value = c_value, w_value
                w_value = objective(w)
        else:
            w = c + 1.618034 * (c - b)
            w_value = objective(w)
        a, b, c = b, c, w
        a_value, b_value, c_value = b_value, c_value, w_value
    is_least = (b_value < c_value and b_value <= a_value) or (b_value < a_value and b_value <= c_value)
    is_between = a < b < c or c < b < a
    if not (is_least and is_between and np.isfinite(a) and np.isfinite(c)):
        raise RuntimeError(NO_BRACKET)
    return within(objective, min(a, c), b, max(a, c), tolerance, maxiter)


@inlined
def from_three(objective: Equation, a, b, c, tolerance, maxiter):
    """Brent's search from a bracket that is given."""
    lower, best, upper = min(float(a), float(c)), float(b), max(float(a), float(c))
    value = objective(best)
    if not (lower < best < upper and value < objective(lower) and value < objective(upper)):
        raise ValueError(NOT_A_BRACKET)
    return within(objective, lower, best, upper, tolerance, maxiter)


@inlined
def within(objective: Equation, a, b, c, tolerance, maxiter):
    """Brent's search within a bracket: the best point, whether it is known as well as the tolerance asks, and how well that is."""
    lower, upper = a, c
    x, w, v = b, b, b
    value = objective(x)
    w_value, v_value = value, value
    step_before, step = 0.0, 0.0
    width = 0.0
    has_converged = False
    for _ in range(maxiter):
        width = tolerance * abs(x) + 1e-11
        middle = 0.5 * (lower + upper)
        if abs(x - middle) < 2.0 * width - 0.5 * (upper - lower):
            has_converged = True
            break
        is_golden = True
        if abs(step_before) > width:
            p, q = to_least_of_parabola(x, w, v, value, w_value, v_value)
            before = step_before
            step_before = step
            if p > q * (lower - x) and p < q * (upper - x) and abs(p) < abs(0.5 * q * before):
                is_golden = False
                step = p / q
                u = x + step
                if u - lower < 2.0 * width or upper - u < 2.0 * width:
                    step = width if middle >= x else -width
        if is_golden:
            step_before = lower - x if x >= middle else upper - x
            step = 0.3819660 * step_before
        size = max(abs(step), width)
        u = x + (size if step >= 0.0 else -size)
        now = objective(u)
        if now > value:
            if u < x:
                lower = u
            else:
                upper = u
            if now <= w_value or w == x:
                v, v_value = w, w_value
                w, w_value = u, now
            elif now <= v_value or v in (x, w):
                v, v_value = u, now
        else:
            if u >= x:
                lower = x
            else:
                upper = x
            v, v_value = w, w_value
            w, w_value = x, value
            x, value = u, now
    return x, has_converged, width
