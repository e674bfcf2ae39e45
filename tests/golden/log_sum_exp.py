"""A reduction made stable by the largest entry."""

import math

import numpy as np

ARGS = (np.array([0.3, 1.8, 0.1, -0.4]),)
WRT = ("x",)


def log_sum_exp(x):
    m = np.max(x)
    s = 0.0
    for i in range(x.size):
        s += math.exp(x[i] - m)
    return m + math.log(s)
