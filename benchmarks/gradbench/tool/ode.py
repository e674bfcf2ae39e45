"""The eval `ode`: a linear chain of equations by the classical Runge-Kutta method up to time 2."""

from __future__ import annotations

import backsweep as bs
import numpy as np
from timed import Function, floats, listed


@bs.njit(error_model="numpy")
def rates(x, y, step, before, rate):
    """Write the rates a step further along the rates before."""
    rate[0] = x[0]
    for i in range(1, x.size):
        rate[i] = x[i] * (y[i - 1] + step * before[i - 1])


@bs.njit(error_model="numpy")
def solution(x, steps):
    n = x.size
    h = 2.0 / steps
    y = np.zeros(n)
    k1, k2, k3, k4 = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    for _ in range(steps):
        rates(x, y, 0.0, k4, k1)
        rates(x, y, 0.5 * h, k1, k2)
        rates(x, y, 0.5 * h, k2, k3)
        rates(x, y, h, k3, k4)
        for i in range(n):
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
    return y


@bs.njit(error_model="numpy")
def last(x, steps):
    return solution(x, steps)[-1]


def arguments(given):
    return floats(given["x"]), int(given["s"])


FUNCTIONS = {
    "primal": Function(solution, arguments, listed),
    "gradient": Function(bs.grad(last), arguments, listed),
}
