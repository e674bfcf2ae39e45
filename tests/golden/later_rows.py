"""Elements that are written later only, behind a branch and squared: read where they were copied from, not recorded."""

import numpy as np

ARGS = (
    np.array([[0.5, 0.3, -0.4], [0.2, -0.7, 0.6], [0.9, 0.1, 0.8]]),
    np.array([[1.2, 0.4], [-0.3, 0.7], [0.5, -0.6]]),
)
WRT = ("A", "B")


def later_rows(A, B):
    C = B.copy()
    m, n = C.shape
    for i in range(m):
        for j in range(n):
            for k in range(i + 1, m):
                if C[k, j] > 0.0:
                    C[i, j] += A[k, i] * C[k, j] ** 2
    return np.sum(C * C)
