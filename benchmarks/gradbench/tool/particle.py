"""The eval `particle`: the place of a charge for which a particle, repelled by two, crosses the axis at the origin.

The force is a gradient, of which Euler's method takes steps; descent asks for the gradient of what comes of them. The letters of a
function are the modes of the outer and of the inner gradient: `f`orward or `r`everse.
"""

from __future__ import annotations

import numpy as np
from descent import least
from numba import njit
from timed import Function

import backsweep as bs

STEP = 0.1


@njit
def potential(at, w):
    return 1.0 / np.hypot(at[0] - 10.0, at[1] - 10.0 + w) + 1.0 / np.hypot(at[0] - 10.0, at[1])


rise_r = bs.grad(potential, wrt="at")
rise_f = bs.jacfwd(potential, wrt="at")


@njit
def crossing(w, rise):
    """The square of where the particle crosses the axis."""
    at = np.array([0.0, 8.0])
    velocity = np.array([0.75, 0.0])
    while True:
        force = -rise(at, w[0])
        at = at + STEP * velocity
        if at[1] <= 0.0:
            return (at[0] - at[1] / velocity[1] * velocity[0]) ** 2
        velocity = velocity + STEP * force


def of(outer, rise):
    slope = outer(crossing, wrt="w")

    @njit
    def found(start):
        return least(crossing, slope, start, rise)[0]

    return Function(found, arguments)


def arguments(given):
    return (np.array([float(given["w"])]),)


FUNCTIONS = {
    "ff": of(bs.jacfwd, rise_f),
    "fr": of(bs.jacfwd, rise_r),
    "rf": of(bs.grad, rise_f),
    "rr": of(bs.grad, rise_r),
}
