"""An array written in place in a nest: the overwritten element is saved and put back."""

import numpy as np

ARGS = (np.array([0.5, 0.2, 0.4, 0.3, 0.1]), 0.3)
WRT = ("x", "w")


def relax(x, w):
    y = x.copy()
    for sweep in range(3):
        for i in range(1, y.size):
            y[i] = y[i] * y[i] * w + y[i - 1]
    return y.sum()
