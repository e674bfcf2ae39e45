"""A nest that accumulates into an array element: nothing is saved."""

import numpy as np

ARGS = (np.array([[0.3, 0.8], [0.1, -0.4], [0.9, 0.2]]), np.array([[0.5, 0.2, -0.7], [0.6, 0.1, 0.3]]))
WRT = ("A", "B")


def matmul_loops(A, B):
    n, m = A.shape
    p = B.shape[1]
    C = np.zeros((n, p))
    for i in range(n):
        for j in range(p):
            for k in range(m):
                C[i, j] += A[i, k] * B[k, j]
    return np.sum(C * C)
