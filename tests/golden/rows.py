"""Views: rows of a matrix are normalised through a view of each."""

import numpy as np

ARGS = (np.array([[0.3, 0.8], [0.1, 0.4], [0.9, 0.2]]), np.array([0.5, 2.0]))
WRT = ("A", "w")


def rows(A, w):
    B = A.copy()
    total = 0.0
    for i in range(B.shape[0]):
        row = B[i]
        row *= w
        total += row[0] * row[1]
    return total + np.sum(B)
