"""Adjoint of `gaussian` (gaussian.py:9) with respect to S, x. Written by backsweep."""
import numpy as np

from backsweep.runtime.broadcasting import stretched
from backsweep.runtime.linalg import cofactors


def gaussian_value_and_grad(S, x):
    # forward sweep
    y = np.linalg.solve(S, x)
    det_S = np.linalg.det(S)
    result = 0.5 * np.dot(x, y) + 0.5 * np.log(det_S)
    # reverse sweep
    # return 0.5 * np.dot(x, y) + 0.5 * np.log(np.linalg.det(S))
    result_term = 0.5 / det_S
    cofactors_S = cofactors(S)
    S_bar = np.empty_like(cofactors_S)
    S_bar_shape = S_bar.shape
    n = S_bar_shape[0]
    for i in range(n):
        for j in range(S_bar_shape[1]):
            S_bar[i, j] = result_term * cofactors_S[i, j]
    x_bar = np.empty_like(y)
    y_bar = np.empty_like(y)
    x_bar_size = x_bar.size
    for i in range(x_bar_size):
        x_bar[i] = 0.5 * y[i]
        y_bar[i] = 0.5 * x[i]
    # y = np.linalg.solve(S, x)
    solve_transpose_S_part = stretched(np.linalg.solve(S.T, y_bar)[:, None], (n, 1))
    m = S_bar_shape[1]
    y = stretched(y, (m,))
    for i in range(n):
        for j in range(m):
            minus_y_term = -(solve_transpose_S_part[i, 0] * y[j])
            S_bar[i, j] += minus_y_term
    solve_transpose_S = np.linalg.solve(S.T, y_bar)
    for i in range(x_bar_size):
        x_bar[i] += solve_transpose_S[i]
    return result, (S_bar, x_bar)
