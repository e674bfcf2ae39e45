"""A triangular nest: forward substitution."""

import numpy as np

ARGS = (np.array([[2.0, 0.0, 0.0], [0.3, 1.5, 0.0], [-0.4, 0.7, 1.2]]), np.array([1.0, 0.5, -0.3]))
WRT = ("L", "b")


def triangular(L, b):
    n = b.size
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / L[i, i]
    return np.dot(x, x)
