"""Roots of systems of equations, and fixed points of several numbers.

The search is Powell's dogleg within a region that is trusted, with the Jacobian of each point; the derivatives of the root are
those of steps with the Jacobian at the root, as for one equation (`roots.followed`).

Sources: M. Powell, A hybrid method for nonlinear equations (1970); J. More, B. Garbow, K. Hillstrom, User guide for MINPACK-1
(1980), how variables are scaled and the region changes; J. Nocedal and S. Wright, Numerical Optimization (2006), section 11.2.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from backsweep.runtime.solvers import roots
from backsweep.runtime.solvers.marks import as_vector, matrix_of
from backsweep.runtime.solvers.roots import NOT_FOUND
from backsweep.runtime.support.compiled import inlined
from backsweep.runtime.support.marks import stop_gradient

Equations = Callable[..., Any]
SystemResults = namedtuple("SystemResults", ("x", "success", "fun"))  # noqa: PYI024  the compiler knows these
MOST_STEPS = 400
EPS = 2.220446049250313e-16


@inlined
def held(values):
    """A vector of the same numbers, which are constants."""
    result = np.empty(values.size)
    for k in range(values.size):
        result[k] = stop_gradient(values[k])
    return result


@inlined
def held_matrix(values):
    """The same of a matrix."""
    result = np.empty(values.shape)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            result[i, j] = stop_gradient(values[i, j])
    return result


@inlined
def followed(equations: Equations, found):
    """The root that was found, with its derivatives up to order four."""
    start = held(found)
    matrix = held_matrix(matrix_of(equations)(start))
    root = start
    for _ in range(4):
        root = root - np.linalg.solve(matrix, equations(root))
    return start + (root - held(root))


@inlined
def without_slope(values):
    """Zeros, whose derivatives are not finite, for what is no root."""
    return np.sqrt(np.abs(values - held(values)))


@inlined
def fsolve(f: Equations, x0, args, xtol, factor):
    """The root of a system; RuntimeError if none is found."""
    found, has_converged = dogleg(lambda x: as_vector(f(x, *args)), x0, xtol, factor)
    if not has_converged:
        raise RuntimeError(NOT_FOUND)
    return followed(lambda x: as_vector(f(x, *args)), found)


@inlined
def root(f: Equations, x0, args, xtol, factor):
    """The root of a system, whether it was found, and the values of the equations there."""
    found, has_converged = dogleg(lambda x: as_vector(f(x, *args)), x0, xtol, factor)
    if has_converged:
        x = followed(lambda x: as_vector(f(x, *args)), found)
    else:
        x = held(found) + without_slope(as_vector(f(held(found), *args)))
    return SystemResults(x, has_converged, as_vector(f(x, *args)))


@inlined
def dogleg(equations: Equations, x0, xtol, factor):
    """The best point of the search, and whether Newton's step there is as short as the tolerance."""
    x = as_vector(x0).astype(np.float64)
    values = equations(x)
    size = length_of(values)
    scale = np.zeros(x.size)
    radius, extent, has_converged = -1.0, 0.0, False
    for _ in range(MOST_STEPS):
        if size == 0.0:
            has_converged = True
            break
        matrix = matrix_of(equations)(x)
        lengths = np.sqrt(np.sum(matrix * matrix, axis=0))
        if radius < 0.0:
            lengths[lengths == 0.0] = 1.0
        scale = np.maximum(scale, lengths)
        extent = max(extent, length_of(scale * x))
        if radius < 0.0:
            radius = factor * extent if extent > 0.0 else 1.0 * factor
        uphill = matrix.T @ values / scale
        along = matrix @ (uphill / scale)
        if length_of(uphill) == 0.0 or length_of(along) == 0.0:
            break
        downhill = -uphill * (np.sum(uphill * uphill) / np.sum(along * along))
        determinant = np.linalg.det(matrix)
        is_whole = False
        if determinant != 0.0 and math.isfinite(determinant):
            step = -scale * np.linalg.solve(matrix, values)
            is_whole = length_of(step) <= radius
            if not is_whole:
                step = within(radius, downhill, step)
        else:
            step = within(radius, downhill, downhill)
        length = length_of(step)
        new = x + step / scale
        new_values = equations(new)
        new_size = length_of(new_values)
        left = length_of(values + matrix @ (step / scale)) / size
        gain = 1.0 - (new_size / size) ** 2 if new_size < 10.0 * size else -1.0
        expected = 1.0 - left * left
        ratio = gain / expected if expected > 0.0 else 0.0
        if ratio < 0.1:
            radius = 0.5 * min(radius, length)
        elif ratio >= 0.5:
            radius = max(radius, 2.0 * length)
        if ratio >= 1e-4:
            x, values, size = new, new_values, new_size
        if is_whole and length <= xtol * extent:
            has_converged = True
            break
        if radius <= EPS * extent:
            break
    return x, has_converged


@inlined
def length_of(values):
    """The Euclidean norm."""
    return np.sqrt(np.sum(values * values))


@inlined
def within(radius, downhill, newton):
    """The step of the dogleg that ends at the radius: downhill, and from there towards Newton's step."""
    length = length_of(downhill)
    if length >= radius:
        return downhill * (radius / length)
    rest = newton - downhill
    square, product = np.sum(rest * rest), np.sum(rest * downhill)
    if square == 0.0:
        return downhill
    gap = radius * radius - length * length
    return downhill + rest * (gap / (product + math.sqrt(product * product + square * gap)))


@inlined
def fixed_point(f: Equations, x0, args, xtol, maxiter, is_accelerated: bool):
    """The fixed point of a function of a number or an array, by its steps, with Aitken's extrapolation if it is accelerated."""
    if np.ndim(x0) == 0:
        found = point(lambda x: f(x, *args), x0, xtol, maxiter, is_accelerated)
        return roots.followed(lambda x: x - f(x, *args), found)
    found = points(lambda x: np.asarray(f(x, *args)), np.asarray(x0), xtol, maxiter, is_accelerated)
    return followed(lambda x: x - np.asarray(f(x, *args)), found)


@inlined
def point(step: Equations, x0, xtol, maxiter, is_accelerated: bool):
    """The fixed point of a function of a number; RuntimeError if it is not reached."""
    x, has_converged = 1.0 * x0, False
    for _ in range(maxiter):
        new = step(x)
        if is_accelerated:
            after = step(new)
            bend = after - 2.0 * new + x
            new = after if bend == 0.0 else x - (new - x) ** 2 / bend
        change = new if x == 0.0 else (new - x) / x
        x = new
        if abs(change) < xtol:
            has_converged = True
            break
    if not has_converged:
        raise RuntimeError(NOT_FOUND)
    return x


@inlined
def points(step: Equations, x0, xtol, maxiter, is_accelerated: bool):
    """The same for an array, entry by entry."""
    x, has_converged = x0.astype(np.float64), False
    for _ in range(maxiter):
        new = step(x)
        if is_accelerated:
            after = step(new)
            bend = after - 2.0 * new + x
            safe = np.where(bend == 0.0, 1.0, bend)
            new = np.where(bend == 0.0, after, x - (new - x) ** 2 / safe)
        change = np.where(x == 0.0, new, (new - x) / np.where(x == 0.0, 1.0, x))
        x = new
        if np.all(np.abs(change) < xtol):
            has_converged = True
            break
    if not has_converged:
        raise RuntimeError(NOT_FOUND)
    return x
