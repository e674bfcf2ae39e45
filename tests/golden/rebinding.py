"""One name, three meanings: a scalar, an array, a scalar again."""

import numpy as np

ARGS = (0.7, np.array([0.2, 0.5, 0.9]))
WRT = ("x", "w")


def rebinding(x, w):
    y = x * x
    y = np.sin(w * y)
    y = y[0] * y[2] + y[1]
    return y * x
