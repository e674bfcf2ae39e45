"""Adjoint of `later_rows` (later_rows.py:12) with respect to A, B. Written by backsweep."""
import numpy as np


def later_rows_value_and_grad(A, B):
    # forward sweep
    C = B.copy()
    m, n = C.shape
    for i in range(m):
        for j in range(n):
            for k in range(i + 1, m):
                if B[k, j] > 0.0:
                    A_shape = A.shape
                    if k >= A_shape[0] or i >= A_shape[1]:
                        raise IndexError('A[k, i] is out of bounds')
                    C[i, j] += A[k, i] * B[k, j] ** 2
    result = 0.0
    for i in range(m):
        for j in range(n):
            C_i_j = C[i, j]
            result += C_i_j * C_i_j
    # reverse sweep
    # return np.sum(C * C)
    C_bar = np.empty_like(C)
    for i in range(m):
        for j in range(n):
            C_bar[i, j] = 2.0 * C[i, j]
    B_bar = np.zeros_like(B)
    A_bar = np.zeros_like(A)
    for i in range(m):
        for j in range(n):
            for k in range(i + 1, m):
                if B[k, j] > 0.0:
                    # C[i, j] += A[k, i] * C[k, j] ** 2
                    B_k_j = B[k, j]
                    C_bar_i_j = C_bar[i, j]
                    B_bar[k, j] += C_bar_i_j * A[k, i] * 2.0 * B_k_j
                    A_bar[k, i] += C_bar_i_j * B_k_j ** 2
    # C = B.copy()
    for i in range(m):
        for j in range(n):
            B_bar[i, j] += C_bar[i, j]
    return result, (A_bar, B_bar)
