"""Two entries that may be one: the second is added."""

import numpy as np

ARGS = (np.array([0.4, 1.3, -0.2]), 2, -1)
WRT = ("x",)


def perhaps_one_entry(x, i, j):
    return x[i] * x[j]
