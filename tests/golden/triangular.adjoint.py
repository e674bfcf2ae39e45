"""Adjoint of `triangular` (triangular.py:9) with respect to L, b. Written by backsweep."""
import numpy as np


def triangular_value_and_grad(L, b):
    # forward sweep
    n = b.size
    x = np.zeros(n)
    L_shape = L.shape
    if L_shape[0] < n or L_shape[1] < n:
        raise IndexError('L[i, i] is out of bounds')
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / L[i, i]
    result = np.dot(x, x)
    # reverse sweep
    # return np.dot(x, x)
    x_bar = np.empty_like(x)
    for i in range(n):
        x_bar[i] = 2.0 * x[i]
    b_bar = np.zeros_like(b)
    L_bar = np.zeros_like(L)
    for i in range(n - 1, -1, -1):
        # x[i] = s / L[i, i]
        L_i_i = L[i, i]
        x_bar_i = x_bar[i]
        s_bar = x_bar_i / L_i_i
        L_bar[i, i] -= x_bar_i * x[i] / L_i_i
        for j in range(i):
            # s -= L[i, j] * x[j]
            x_j = x[j]
            x_bar[j] -= s_bar * L[i, j]
            L_bar[i, j] -= s_bar * x_j
        # s = b[i]
        b_bar[i] += s_bar
    return result, (L_bar, b_bar)
