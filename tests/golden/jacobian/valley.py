"""The Hessian of a sum: tangents of the emitted gradient, one for each entry."""

import numpy as np

ARGS = (np.array([0.3, 1.2, 0.7]),)
WAY = "hessian"
WRT = ("x",)


def valley(x):
    total = 0.0
    for i in range(1, x.size):
        total += 100.0 * (x[i] - x[i - 1] ** 2) ** 2 + (1.0 - x[i - 1]) ** 2
    return total
