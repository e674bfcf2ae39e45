"""The eval `saddle`: descent over `x` of the most that ascent over `y` finds; the gradient of the outer one goes through the inner one.

The letters of a function are the modes of the outer and of the inner gradient: `f`orward or `r`everse.
"""

from __future__ import annotations

import numpy as np
from descent import least
from numba import njit
from timed import Function, floats, listed

import backsweep as bs


@njit
def below(y, x):
    """The function at `x` and `y`, negative: what it is most of is what this is least of."""
    return np.sum(y * y) - np.sum(x * x)


below_r = bs.grad(below, wrt="y")
below_f = bs.jacfwd(below, wrt="y")


def of(outer, inner):
    @njit
    def most(x, start):
        return -below(least(below, inner, start, x), x)

    slope = outer(most, wrt="x")

    @njit
    def found(start):
        x = least(most, slope, start, start)
        return np.concatenate((x, least(below, inner, start, x)))

    return Function(found, arguments, listed)


def arguments(given):
    return (floats(given["start"]),)


FUNCTIONS = {
    "ff": of(bs.jacfwd, below_f),
    "fr": of(bs.jacfwd, below_r),
    "rf": of(bs.grad, below_f),
    "rr": of(bs.grad, below_r),
}
