"""A linear stencil written with slices: nothing is saved."""

import numpy as np

ARGS = (np.array([0.0, 0.4, 0.9, 0.5, 0.2, 0.0]), 0.1, 3)
WRT = ("u", "k")


def heat(u, k, steps):
    u = u.copy()
    for t in range(steps):
        u[1:-1] = u[1:-1] + k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)
