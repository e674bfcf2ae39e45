"""Quadratic forms of triangular matrices: the differences are computed once for all rows, in the reverse sweep too."""

import numpy as np

ARGS = (
    np.array([[1.2, 0.0, 0.0], [0.3, 0.9, 0.0], [-0.4, 0.2, 1.1]]),
    np.array([0.2, -0.5, 0.4]),
    np.array([[0.7, -0.1, 0.3], [-0.6, 0.8, 0.5]]),
)
WRT = ("L", "m")


def quadratic(L, m, x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(m.size):
            row = 0.0
            for c in range(j + 1):
                row += L[j, c] * (x[i, c] - m[c])
            total += row * row
    return total
