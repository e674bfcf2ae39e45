"""The eval `particle`: the place of a charge for which a particle, repelled by two, crosses the axis at the origin.

The force is a gradient, of which Euler's method takes steps; descent asks for the gradient of what comes of them. The letters of a
function are the modes of the outer and of the inner gradient: `f`orward or `r`everse.
"""

from __future__ import annotations

from math import hypot

import backsweep as bs
from timed import Function

STEP, NEAR = 0.1, 1e-5


@bs.njit
def potential(x, y, w):
    return 1.0 / hypot(x - 10.0, y - 10.0 + w) + 1.0 / hypot(x - 10.0, y)


rise_r = bs.grad(potential, wrt=("x", "y"))
rise_f = bs.jacfwd(potential, wrt=("x", "y"))


@bs.njit
def crossing(w, rise):
    """The square of where the particle crosses the axis."""
    x, y = 0.0, 8.0
    across, up = 0.75, 0.0
    while True:
        to_x, to_y = rise(x, y, w)
        x, y = x + STEP * across, y + STEP * up
        if y <= 0.0:
            return (x - y / up * across) ** 2
        across, up = across - STEP * to_x, up - STEP * to_y


@bs.njit
def least(value, slope, start, about):
    """Where `value(x, about)` is least, by steps that double after ten good ones and halve after a bad one."""
    x = start
    height, gradient = value(x, about), slope(x, about)
    step, good = 1e-5, 0
    while abs(gradient) > NEAR:
        if good == 10:
            step, good = 2.0 * step, 0
            continue
        to = x - step * gradient
        if abs(to - x) <= NEAR:
            break
        there = value(to, about)
        if there < height:
            x, height, good = to, there, good + 1
            gradient = slope(x, about)
        else:
            step, good = 0.5 * step, 0
    return x


def of(outer, rise):
    slope = outer(crossing, wrt="w")

    @bs.njit
    def found(start):
        return least(crossing, slope, start, rise)

    return Function(found, arguments)


def arguments(given):
    return (float(given["w"]),)


FUNCTIONS = {
    "ff": of(bs.jacfwd, rise_f),
    "fr": of(bs.jacfwd, rise_r),
    "rf": of(bs.grad, rise_f),
    "rr": of(bs.grad, rise_r),
}
