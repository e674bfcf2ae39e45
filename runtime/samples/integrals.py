"""Integrals of samples, of `scipy.integrate`: by trapezia, by Simpson's rule and by Romberg's, and Gauss's rule for a function."""

from __future__ import annotations

import numpy as np
import scipy.integrate

from backsweep.runtime.overloads.forms import NumbaType, is_none, refused, single_axis
from backsweep.runtime.overloads.texts import INDICES, indented_loops, reduced, summed
from backsweep.runtime.samples.lines import (
    is_number,
    is_sampled,
    kind_of,
    line_of,
    of_samples,
    option,
    part_of,
    spread,
    taken_note_of,
)
from backsweep.runtime.scipy.instead import Implementation, instead
from backsweep.runtime.scipy.instead import register as register_instead
from backsweep.runtime.support.compiled import kernel


def register() -> None:
    """Tell Numba of these functions."""
    register_instead("scipy.integrate")
    taken_note_of()


def _has_points(function: str, y: NumbaType, x: NumbaType, dx: NumbaType) -> bool:
    """Whether the samples are taken at given points, and not at equal steps."""
    if is_none(x):
        if not is_number(dx):
            raise refused(f"`dx` of `{function}` is no number", "give the points as `x`.")
        return False
    if not is_sampled(function, x) or x.ndim not in (1, y.ndim):
        raise refused(
            f"`x` of `{function}` is neither a vector nor an array with the axes of `y`",
            "give the points along the axis as a vector.",
        )
    return True


def _steps(x: NumbaType, axis: int, ndim: int) -> str:
    """The text of the steps between points, which broadcasts with the samples."""
    if x.ndim == 1:
        return spread("(x[1:] - x[:-1])", axis, ndim)
    return f"({part_of('x', axis, '1:')} - {part_of('x', axis, ':-1')})"


def _trapezia(axis: int, steps: str) -> str:
    """The text of the areas of the trapezia."""
    areas = f"0.5 * ({part_of('y', axis, '1:')} + {part_of('y', axis, ':-1')})"
    return f"{steps} * ({areas})" if steps else areas


@of_samples(scipy.integrate.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The sum of trapezia."""
    if not is_sampled("scipy.integrate.trapezoid", y):
        return None
    at = single_axis("scipy.integrate.trapezoid", axis, y.ndim)
    if not _has_points("scipy.integrate.trapezoid", y, x, dx):
        return f"return dx * {summed(_trapezia(at, ''), (at,), y.ndim)}"
    return f"return {summed(_trapezia(at, _steps(x, at, y.ndim)), (at,), y.ndim)}"


@of_samples(scipy.integrate.cumulative_trapezoid)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """The sums of the first trapezia, with `initial=0` the empty one, too."""
    if not is_sampled("scipy.integrate.cumulative_trapezoid", y):
        return None
    name = "scipy.integrate.cumulative_trapezoid"
    at, first = single_axis(name, axis, y.ndim), option(name, "initial", initial, None, 0)
    few = "At least one point is required along `axis`."
    check = f"if y.shape[{at}] == 0:\n    raise ValueError({few!r})\n"
    steps = "dx"
    if _has_points(name, y, x, dx):
        steps = _steps(x, at, y.ndim)
        if x.ndim == 1 or y.ndim > 1:
            own = 0 if x.ndim == 1 else at
            other = "If given, length of x along axis must be the same as y."
            check += f"if x.shape[{own}] != y.shape[{at}]:\n    raise ValueError({other!r})\n"
    sums = f"np.cumsum({_trapezia(at, steps)}{'' if y.ndim == 1 else f', {at}'})"
    if first is None:
        return f"{check}return {sums}"
    kind = np.dtype(kind_of(y, x)).name
    extents = [f"y.shape[{each}]" for each in range(y.ndim)]
    shape = extents[0] if y.ndim == 1 else f"({', '.join(extents)})"
    return (
        f"{check}result = np.zeros({shape}, np.{kind})\n{part_of('result', at, '1:')} = {sums}\nreturn result"
    )


@kernel
def _simpson_weights(count: int):
    """The weights of Simpson's rule for equal steps of length 1; with an even number of points, Cartwright's for the last step."""
    weights = np.zeros(count)
    if count == 2:
        weights[:] = 0.5
        return weights
    odd = count if count % 2 == 1 else count - 1
    for k in range(0, odd - 2, 2):
        weights[k] += 1.0 / 3.0
        weights[k + 1] += 4.0 / 3.0
        weights[k + 2] += 1.0 / 3.0
    if odd < count:
        weights[count - 1] += 5.0 / 12.0
        weights[count - 2] += 2.0 / 3.0
        weights[count - 3] -= 1.0 / 12.0
    return weights


@kernel
def _simpson_at(y, x):
    """The integral of samples at points, by Simpson's rule."""
    if x.size != y.size:
        raise ValueError("If given, length of x along axis must be the same as y.")
    count = y.size
    if count == 2:
        return 0.5 * (x[1] - x[0]) * (y[0] + y[1])
    total = 0.0 * y[0]
    odd = count if count % 2 == 1 else count - 1
    for k in range(0, odd - 2, 2):
        one, two = x[k + 1] - x[k], x[k + 2] - x[k + 1]
        both, share = one + two, _share(one, two)
        total += (
            both
            / 6.0
            * (
                y[k] * (2.0 - _share(1.0, share))
                + y[k + 1] * (both * _share(both, one * two))
                + y[k + 2] * (2.0 - share)
            )
        )
    if odd < count:
        one, two = x[count - 2] - x[count - 3], x[count - 1] - x[count - 2]
        total += _share(2.0 * two**2 + 3.0 * one * two, 6.0 * (one + two)) * y[count - 1]
        total += _share(two**2 + 3.0 * one * two, 6.0 * one) * y[count - 2]
        total -= _share(two**3, 6.0 * one * (one + two)) * y[count - 3]
    return total


@kernel
def _share(above: float, below: float) -> float:
    """The quotient of numbers, and 0 where the divisor is."""
    return above / below if below != 0.0 else 0.0


@of_samples(scipy.integrate.simpson, _simpson_weights=_simpson_weights, _simpson_at=_simpson_at)
def simpson(y, x=None, dx=1.0, axis=-1):
    """The integral by parabolas."""
    if not is_sampled("scipy.integrate.simpson", y):
        return None
    at = single_axis("scipy.integrate.simpson", axis, y.ndim)
    if not _has_points("scipy.integrate.simpson", y, x, dx):
        weighted = f"{spread(f'_simpson_weights(y.shape[{at}])', at, y.ndim)} * y"
        return f"return dx * {summed(weighted, (at,), y.ndim)}"
    points = "x" if x.ndim == 1 else line_of("x", at, y.ndim)
    value = f"_simpson_at({{}}, {points})"
    body = reduced(value, "samples", (at,), y.ndim, keepdims=False, dtype=kind_of(y, x))
    return f"samples = y\n{body}"


@kernel
def _simpson_sums(y, steps, first: float):
    """The integrals up to each point but the first, each step by the parabola of three points."""
    if y.size < 3:
        return first + np.cumsum(steps * (0.5 * (y[1:] + y[:-1])))
    parts = np.empty(y.size - 1, y.dtype)
    for k in range(y.size - 1):
        back = k % 2 == 1 or k == y.size - 2
        here, other = steps[k], steps[k - 1] if back else steps[k + 1]
        near, far = (y[k + 1], y[k - 1]) if back else (y[k], y[k + 2])
        middle = y[k] if back else y[k + 1]
        share, ratio = here / (here + other), here / other
        parts[k] = (
            here / 6.0 * ((3.0 - share) * near + (3.0 + share * ratio + share) * middle - share * ratio * far)
        )
    return first + np.cumsum(parts)


@kernel
def _increasing(x):
    """The steps between points, which increase."""
    steps = x[1:] - x[:-1]
    if np.any(steps <= 0.0):
        raise ValueError("Input x must be strictly increasing.")
    return steps


@of_samples(scipy.integrate.cumulative_simpson, _simpson_sums=_simpson_sums, _increasing=_increasing)
def cumulative_simpson(y, x=None, dx=1.0, axis=-1, initial=None):
    """The integrals up to each point by parabolas, with `initial` that up to the first, too."""
    if not is_sampled("scipy.integrate.cumulative_simpson", y):
        return None
    name = "scipy.integrate.cumulative_simpson"
    at, kind = single_axis(name, axis, y.ndim), kind_of(y, x)
    points = _has_points(name, y, x, dx)
    if not is_none(initial) and not is_number(initial):
        raise refused(f"`initial` of `{name}` is no number", "add it to the result.")
    steps = f"np.full(y.shape[{at}] - 1, 1.0 * dx)"
    if points:
        steps = f"_increasing({'x' if x.ndim == 1 else line_of('x', at, y.ndim)})"
    dtype = f"np.{np.dtype(kind).name}"
    head = "samples = y\n" if str(y.dtype) == np.dtype(kind).name else f"samples = y.astype({dtype})\n"
    sums = f"_simpson_sums({line_of('samples', at, y.ndim)}, {steps}, {'0.0' if is_none(initial) else 'initial'})"
    bounds = {INDICES[each]: f"y.shape[{each}]" for each in range(y.ndim) if each != at}
    if is_none(initial):
        extents = [f"y.shape[{each}]{' - 1' if each == at else ''}" for each in range(y.ndim)]
        head += f"result = np.empty(({', '.join(extents)},), {dtype})\n"
        target = line_of("result", at, y.ndim) if y.ndim > 1 else "result[:]"
    else:
        head += f"result = np.full(y.shape, 1.0 * initial, {dtype})\n"
        target = line_of("result", at, y.ndim).replace(":", "1:") if y.ndim > 1 else "result[1:]"
    return "\n".join([head.rstrip(), *indented_loops(bounds, f"{target} = {sums}"), "return result"])


@kernel
def _romberg_weights(count: int):
    """The weights of Romberg's rule for steps of length 1."""
    intervals, order = 1, 0
    while intervals < count - 1:
        intervals *= 2
        order += 1
    if intervals != count - 1:
        raise ValueError("Number of samples must be one plus a non-negative power of 2.")
    rows = np.zeros((order + 1, count))
    for i in range(order + 1):
        step = intervals >> i
        rows[i, ::step] = step
        rows[i, 0] = rows[i, count - 1] = 0.5 * step
    for j in range(1, order + 1):
        for i in range(order, j - 1, -1):
            rows[i] += (rows[i] - rows[i - 1]) / (4.0**j - 1.0)
    return rows[order]


@of_samples(scipy.integrate.romb, _romberg_weights=_romberg_weights)
def romb(y, dx=1.0, axis=-1, show=False):
    """The integral by extrapolation to steps of length zero."""
    if not is_sampled("scipy.integrate.romb", y):
        return None
    name = "scipy.integrate.romb"
    option(name, "show", show, False)
    at = single_axis(name, axis, y.ndim)
    _has_points(name, y, None, dx)
    weighted = f"{spread(f'_romberg_weights(y.shape[{at}])', at, y.ndim)} * y"
    return f"return dx * {summed(weighted, (at,), y.ndim)}"


@instead(scipy.integrate.fixed_quad, "func", "a", "b", "args")
def _fixed_quad(func, a, b, args=None, n: int = 5) -> Implementation | str:
    """Gauss's rule; the second part of the result is None, as SciPy's is."""
    points, weights = np.polynomial.legendre.leggauss(n)
    places = 0.5 * (points + 1.0)

    def alone(func, a, b):
        return 0.5 * (b - a) * np.sum(weights * func((b - a) * places + a)), None

    def with_more(func, a, b, args):
        return 0.5 * (b - a) * np.sum(weights * func((b - a) * places + a, *args)), None

    return alone if args is None else with_more
