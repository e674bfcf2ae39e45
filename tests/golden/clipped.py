"""A mask that is read and written, and an index array with an entry twice."""

import numpy as np

ARGS = (np.array([0.5, -1.5, 2.0, -0.3]), np.array([0, 2, 2, 3]))
WRT = ("x",)


def clipped(x, places):
    y = np.tanh(x)
    y[x < -1.0] = 0.5
    return np.sum(y[places] ** 2)
