"""Adjoint of `matmul_loops` (matmul_loops.py:9) with respect to A, B. Written by backsweep."""
import numpy as np


def matmul_loops_value_and_grad(A, B):
    # forward sweep
    n, m = A.shape
    B_shape = B.shape
    p = B_shape[1]
    C = np.zeros((n, p))
    if p > 0 and n > 0 and B_shape[0] < m:
        raise IndexError('B[k, j] is out of bounds')
    for i in range(n):
        for j in range(p):
            for k in range(m):
                C[i, j] += A[i, k] * B[k, j]
    result = 0.0
    for i in range(n):
        for j in range(p):
            C_i_j = C[i, j]
            result += C_i_j * C_i_j
    # reverse sweep
    # return np.sum(C * C)
    C_bar = np.empty_like(C)
    for i in range(n):
        for j in range(p):
            C_bar[i, j] = 2.0 * C[i, j]
    A_bar = np.zeros_like(A)
    B_bar = np.zeros_like(B)
    for i in range(n):
        for k in range(m):
            A_bar_i_k = 0.0
            for j in range(p):
                # C[i, j] += A[i, k] * B[k, j]
                B_k_j = B[k, j]
                C_bar_i_j = C_bar[i, j]
                B_bar[k, j] += C_bar_i_j * A[i, k]
                A_bar_i_k += C_bar_i_j * B_k_j
            if 0 < p:
                A_bar[i, k] += A_bar_i_k
    return result, (A_bar, B_bar)
