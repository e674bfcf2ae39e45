"""The eval `saddle`: descent over `x` of the most that ascent over `y` finds; the gradient of the outer one goes through the inner one.

The letters of a function are the modes of the outer and of the inner gradient: `f`orward or `r`everse.
"""

from __future__ import annotations

from math import hypot

import backsweep as bs
from timed import Function

NEAR = 1e-5


@bs.njit
def least(value, slope, start, about):
    """Where `value(a, b, about)` is least, by steps that double after ten good ones and halve after a bad one."""
    a, b = start
    height, (across, up) = value(a, b, about), slope(a, b, about)
    step, good = 1e-5, 0
    while hypot(across, up) > NEAR:
        if good == 10:
            step, good = 2.0 * step, 0
            continue
        to_a, to_b = a - step * across, b - step * up
        if hypot(to_a - a, to_b - b) <= NEAR:
            break
        there = value(to_a, to_b, about)
        if there < height:
            a, b, height, good = to_a, to_b, there, good + 1
            across, up = slope(a, b, about)
        else:
            step, good = 0.5 * step, 0
    return a, b


@bs.njit
def below(a, b, x):
    """The function at `x` and `(a, b)`, negative: what it is most of is what this is least of."""
    return (a * a + b * b) - (x[0] * x[0] + x[1] * x[1])


def of(outer, inner):
    inner_slope = inner(below, wrt=("a", "b"))

    @bs.njit
    def most(a, b, start):
        c, d = least(below, inner_slope, start, (a, b))
        return -below(c, d, (a, b))

    slope = outer(most, wrt=("a", "b"))

    @bs.njit
    def found(start):
        x = least(most, slope, start, start)
        return x, least(below, inner_slope, start, x)

    return Function(found, arguments, four)


def arguments(given):
    return (tuple(map(float, given["start"])),)


def four(points):
    return [*points[0], *points[1]]


FUNCTIONS = {
    "ff": of(bs.jacfwd, bs.jacfwd),
    "fr": of(bs.jacfwd, bs.grad),
    "rf": of(bs.grad, bs.jacfwd),
    "rr": of(bs.grad, bs.grad),
}
