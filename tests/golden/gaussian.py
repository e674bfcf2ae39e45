"""Linear algebra: a solve and a determinant."""

import numpy as np

ARGS = (np.array([[2.0, 0.3], [0.4, 1.5]]), np.array([0.7, -0.2]))
WRT = ("S", "x")


def gaussian(S, x):
    y = np.linalg.solve(S, x)
    return 0.5 * np.dot(x, y) + 0.5 * np.log(np.linalg.det(S))
