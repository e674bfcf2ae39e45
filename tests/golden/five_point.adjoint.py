"""Adjoint of `five_point` (five_point.py:9) with respect to a. Written by backsweep."""
import numpy as np


def five_point_value_and_grad(a, steps):
    # forward sweep
    a_1 = a.copy()
    b = a_1.copy()
    for _ in range(steps):
        a_shape = a_1.shape
        n = a_shape[0]
        for i in range(1, n - 1):
            for j in range(1, a_shape[1] - 1):
                b_term_plus_a_next_j = a_1[i, j] + a_1[i, j - 1] + a_1[i, j + 1] + a_1[i + 1, j]
                b[i, j] = 0.2 * (b_term_plus_a_next_j + a_1[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, a_shape[1] - 1):
                a_1[i, j] = b[i, j]
    a_shape = a.shape
    a_size0 = a_shape[0]
    result = 0.0
    for i in range(a_size0):
        for j in range(a_shape[1]):
            a_i_j = a_1[i, j]
            result += a_i_j * a_i_j
    # reverse sweep
    # return np.sum(a * a)
    a_bar = np.empty_like(a_1)
    for i in range(a_size0):
        for j in range(a_shape[1]):
            a_bar[i, j] = 2.0 * a_1[i, j]
    b_bar = np.zeros_like(b)
    for _ in range(steps - 1, -1, -1):
        a_shape_1 = a_1.shape
        for i in range(1, a_size0 - 1):
            for j in range(1, a_shape_1[1] - 1):
                # a[i, j] = b[i, j]
                a_bar_i_j = a_bar[i, j]
                a_bar[i, j] = 0.0
                b_bar[i, j] += a_bar_i_j
        for i in range(1, a_size0 - 1):
            m = a_shape_1[1]
            for j in range(1, m - 1):
                # b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
                a_bar[i - 1, j] += b_bar[i, j] * 0.2
            for j in range(1, m - 1):
                a_bar[i + 1, j] += b_bar[i, j] * 0.2
            for j in range(1, m - 1):
                a_bar[i, j + 1] += b_bar[i, j] * 0.2
            for j in range(1, m - 1):
                a_bar[i, j - 1] += b_bar[i, j] * 0.2
            for j in range(1, m - 1):
                b_bar_i_j = b_bar[i, j]
                b_bar[i, j] = 0.0
                a_bar[i, j] += b_bar_i_j * 0.2
    # b = a.copy()
    for i in range(a_size0):
        for j in range(a_shape[1]):
            a_bar[i, j] += b_bar[i, j]
    return result, (a_bar,)
