"""Two accumulators, one of which multiplies."""

import numpy as np

ARGS = (np.array([0.9, 1.2, 0.7, 1.1]),)
WRT = ("x",)


def product(x):
    p = 1.0
    s = 0.0
    for i in range(x.size):
        p *= x[i]
        s += p
    return s
