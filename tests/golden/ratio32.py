"""Powers and quotients in single precision."""

import numpy as np

ARGS = (np.array([0.2, 1.1, 0.4], np.float32), np.array([1.5, 2.0, 3.5], np.float32))
WRT = ("x", "y")


def ratio32(x, y):
    return np.sum((x - y) ** 2 / (x + np.float32(2.0)))
