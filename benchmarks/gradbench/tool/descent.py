"""Gradient descent as the evals `particle` and `saddle` prescribe it, for points of one or two numbers."""

from __future__ import annotations

import numpy as np
from numba import njit

NEAR = 1e-5


@njit
def least(value, slope, start, about):
    """Where `value(x, about)` is least, by steps that double after ten good ones and halve after a bad one."""
    x = start.copy()
    height, gradient = value(x, about), slope(x, about)
    step, good = 1e-5, 0
    while np.sqrt(np.sum(gradient * gradient)) > NEAR:
        if good == 10:
            step, good = 2.0 * step, 0
            continue
        to = x - step * gradient
        if np.sqrt(np.sum((to - x) ** 2)) <= NEAR:
            break
        there = value(to, about)
        if there < height:
            x, height, good = to, there, good + 1
            gradient = slope(x, about)
        else:
            step, good = 0.5 * step, 0
    return x
