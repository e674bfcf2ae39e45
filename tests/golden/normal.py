"""A constant of the user's module, made of pi, and a logarithm of twice pi."""

import numpy as np

ARGS = (np.array([0.2, 1.1, -0.4]), 0.3, 1.7)
WRT = ("x", "mean", "s")
FULL_TURN = 2 * np.pi


def normal(x, mean, s):
    total = 0.0
    for i in range(x.shape[0]):
        e = (x[i] - mean) / s
        total -= 0.5 * e * e + np.log(s) + 0.5 * np.log(FULL_TURN)
    return total + np.cos(FULL_TURN * mean)
