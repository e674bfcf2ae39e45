"""Elements picked by an array of integers, which has no adjoint."""

import numpy as np

ARGS = (np.array([0.3, 0.8, 0.5, 1.2]), np.array([2, 0, 2]))
WRT = ("x",)


def gather(x, index):
    s = 0.0
    for k in range(index.size):
        i = index[k]
        s += x[i] * x[i] * (k + 1)
    return s
