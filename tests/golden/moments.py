"""Reductions along an axis, and what they are subtracted from."""

import numpy as np

ARGS = (np.array([[0.3, 1.2], [0.7, -0.4], [1.1, 0.2]]),)
WRT = ("a",)


def moments(a):
    means = np.sum(a, axis=0) / a.shape[0]
    spread = 0.0
    for i in range(a.shape[0]):
        d = a[i] - means
        spread += np.dot(d, d)
    return np.sqrt(spread)
