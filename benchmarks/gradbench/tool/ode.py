"""The eval `ode`: a linear chain of equations by the classical Runge-Kutta method up to time 2."""

from __future__ import annotations

import numpy as np
from timed import Function, floats, listed

import backsweep as bs


@bs.njit
def rates(x, y):
    rate = np.empty_like(y)
    rate[0] = x[0]
    rate[1:] = x[1:] * y[:-1]
    return rate


@bs.njit
def solution(x, steps):
    h = 2.0 / steps
    y = np.zeros_like(x)
    for _ in range(steps):
        k1 = rates(x, y)
        k2 = rates(x, y + 0.5 * h * k1)
        k3 = rates(x, y + 0.5 * h * k2)
        k4 = rates(x, y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


@bs.njit
def last(x, steps):
    return solution(x, steps)[-1]


def arguments(given):
    return floats(given["x"]), int(given["s"])


FUNCTIONS = {
    "primal": Function(solution, arguments, listed),
    "gradient": Function(bs.grad(last), arguments, listed),
}
