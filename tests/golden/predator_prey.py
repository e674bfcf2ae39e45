"""A call in a loop: the callee is written in place, states are stored."""

import numpy as np

ARGS = (1.0, 0.5, np.array([1.1, 0.4, 0.1, 0.4]), 20, 0.01)
WRT = ("u", "v", "p")


def slope(u, v, p):
    return p[0] * u - p[1] * u * v


def predator_prey(u, v, p, steps, h):
    for t in range(steps):
        du = slope(u, v, p)
        dv = p[2] * u * v - p[3] * v
        u = u + h * du
        v = v + h * dv
    return u * v
