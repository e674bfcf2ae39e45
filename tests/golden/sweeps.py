"""Recursion that writes to its argument: the shadow is in and out."""

import numpy as np

ARGS = (np.array([0.3, 0.7, 0.1, 0.4, 0.9]),)
WRT = ("x",)


def relaxed(u, n):
    if n < 2:
        return
    for i in range(1, n):
        u[i] = 0.5 * u[i] + 0.5 * u[i - 1] * u[i]
    relaxed(u, n - 1)


def sweeps(x):
    u = x * x
    relaxed(u, u.size)
    return np.sum(u)
