"""`continue`, decided by the index alone."""

import math

import numpy as np

ARGS = (np.array([0.3, 0.8, 0.5, 1.1, 0.2]),)
WRT = ("x",)


def skip(x):
    s = 1.0
    for i in range(x.size):
        if i % 3 == 1:
            continue
        s = math.sqrt(s) * x[i] + x[0]
    return s
