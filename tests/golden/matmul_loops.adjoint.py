"""Adjoint of `matmul_loops` (matmul_loops.py:9) with respect to A, B. Written by backsweep."""
import numpy as np


def matmul_loops_value_and_grad(A, B):
    # forward sweep
    A_shape = A.shape
    n = A_shape[0]
    m = A_shape[1]
    B_size1 = B.shape[1]
    C = np.zeros((n, B_size1))
    for i in range(n):
        for j in range(B_size1):
            for k in range(m):
                C[i, j] += A[i, k] * B[k, j]
    C_shape = C.shape
    result = 0.0
    for l in range(C_shape[0]):
        for l_1 in range(C_shape[1]):
            C_l_l = C[l, l_1]
            result += C_l_l * C_l_l
    # reverse sweep
    # return np.sum(C * C)
    C_bar = np.empty_like(C)
    C_bar_shape = C_bar.shape
    for l in range(C_bar_shape[0]):
        for l_1 in range(C_bar_shape[1]):
            C_bar_1 = C[l, l_1]
            C_bar[l, l_1] = 2.0 * C_bar_1
    A_bar = np.zeros_like(A)
    B_bar = np.zeros_like(B)
    for i in range(n):
        for j in range(B_size1):
            for k in range(m):
                B_k_j = B[k, j]
                # C[i, j] += A[i, k] * B[k, j]
                C_bar_i_j = C_bar[i, j]
                B_bar[k, j] += C_bar_i_j * A[i, k]
                A_bar[i, k] += C_bar_i_j * B_k_j
    return result, (A_bar, B_bar)
