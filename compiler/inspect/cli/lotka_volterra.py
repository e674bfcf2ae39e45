"""The program that the demo fits: hares and lynxes by Lotka and Volterra, written as any user of Numba would.

Nothing here knows of Backsweep, and Numba alone runs it.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@njit()
def slopes(u: float, v: float, p: Floats) -> tuple[float, float]:
    """Rates of change of the hares `u` and the lynxes `v`."""
    return p[0] * u - p[1] * u * v, p[3] * u * v - p[2] * v


@njit()
def step(u: float, v: float, p: Floats, h: float) -> tuple[float, float]:
    """One step of the classical Runge-Kutta method."""
    u1, v1 = slopes(u, v, p)
    u2, v2 = slopes(u + 0.5 * h * u1, v + 0.5 * h * v1, p)
    u3, v3 = slopes(u + 0.5 * h * u2, v + 0.5 * h * v2, p)
    u4, v4 = slopes(u + h * u3, v + h * v3, p)
    return u + h * (u1 + 2.0 * u2 + 2.0 * u3 + u4) / 6.0, v + h * (v1 + 2.0 * v2 + 2.0 * v3 + v4) / 6.0


@njit()
def misfit(log_p: Floats, hare: Floats, lynx: Floats, steps: int) -> float:
    """Sum of squared log residuals; `log_p` holds the logarithms of alpha, beta, gamma, delta, u(0), v(0)."""
    p = np.exp(log_p)
    u = p[4]
    v = p[5]
    total = (math.log(u / hare[0])) ** 2 + (math.log(v / lynx[0])) ** 2
    for year in range(1, hare.size):
        for _ in range(steps):
            u, v = step(u, v, p, 1.0 / steps)
        total += (math.log(u / hare[year])) ** 2 + (math.log(v / lynx[year])) ** 2
    return total


@njit()
def trajectory(log_p: Floats, years: int, steps: int) -> Floats:
    """Hares and lynxes after every step of `years` years, one row each."""
    p = np.exp(log_p)
    states = np.empty((years * steps + 1, 2))
    u = p[4]
    v = p[5]
    for t in range(states.shape[0]):
        states[t, 0] = u
        states[t, 1] = v
        u, v = step(u, v, p, 1.0 / steps)
    return states
