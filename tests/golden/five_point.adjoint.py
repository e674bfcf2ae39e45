"""Adjoint of `five_point` (five_point.py:9) with respect to a. Written by backsweep."""
import numpy as np


def five_point_value_and_grad(a, steps):
    # forward sweep
    a = a.copy()
    n, m = a.shape
    if n < 4 or m < 4:
        raise ValueError('this code is for a.shape[0] >= 4 and a.shape[1] >= 4')
    b = a.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b_term_plus_a_next_j = a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j]
                b[i, j] = 0.2 * (b_term_plus_a_next_j + a[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = b[i, j]
    result = 0.0
    for i in range(n):
        for j in range(m):
            a_i_j = a[i, j]
            result += a_i_j * a_i_j
    # reverse sweep
    # return np.sum(a * a)
    a_bar = np.empty_like(a)
    for i in range(n):
        for j in range(m):
            a_bar[i, j] = 2.0 * a[i, j]
    b_bar = np.zeros_like(b)
    for _ in range(steps - 1, -1, -1):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                # a[i, j] = b[i, j]
                a_bar_i_j = a_bar[i, j]
                a_bar[i, j] = 0.0
                b_bar[i, j] += a_bar_i_j
        for i in range(n - 4):
            for j in range(m - 4):
                # b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
                term = b_bar[i + 1, j + 2] + b_bar[i + 2, j + 1]
                term = term + b_bar[i + 2, j + 2] + b_bar[i + 2, j + 3]
                a_bar[i + 2, j + 2] += (term + b_bar[i + 3, j + 2]) * 0.2
            a_bar[i + 2, 0] += b_bar[i + 2, 1] * 0.2
            b_bar_plus_term = b_bar[i + 1, 1] + b_bar[i + 2, 1] + b_bar[i + 2, 2]
            a_bar[i + 2, 1] += (b_bar_plus_term + b_bar[i + 3, 1]) * 0.2
            term = b_bar[i + 1, m - 2] + b_bar[i + 2, m - 3]
            term = term + b_bar[i + 2, m - 2] + b_bar[i + 3, m - 2]
            a_bar[i + 2, m - 2] += term * 0.2
            a_bar[i + 2, m - 1] += b_bar[i + 2, m - 2] * 0.2
        # near the ends, where fewer terms are added
        for j in range(1, m - 1):
            a_bar[0, j] += b_bar[1, j] * 0.2
        for j in range(m - 4):
            b_bar_plus_term = b_bar[1, j + 1] + b_bar[1, j + 2] + b_bar[1, j + 3]
            a_bar[1, j + 2] += (b_bar_plus_term + b_bar[2, j + 2]) * 0.2
        a_bar[1, 0] += b_bar[1, 1] * 0.2
        a_bar[1, 1] += (b_bar[1, 1] + b_bar[1, 2] + b_bar[2, 1]) * 0.2
        term = b_bar[1, m - 3] + b_bar[1, m - 2]
        a_bar[1, m - 2] += (term + b_bar[2, m - 2]) * 0.2
        a_bar[1, m - 1] += b_bar[1, m - 2] * 0.2
        for j in range(m - 4):
            term = b_bar[n - 3, j + 2] + b_bar[n - 2, j + 1]
            term = term + b_bar[n - 2, j + 2] + b_bar[n - 2, j + 3]
            a_bar[n - 2, j + 2] += term * 0.2
        a_bar[n - 2, 0] += b_bar[n - 2, 1] * 0.2
        term = b_bar[n - 3, 1] + b_bar[n - 2, 1]
        a_bar[n - 2, 1] += (term + b_bar[n - 2, 2]) * 0.2
        term = b_bar[n - 3, m - 2] + b_bar[n - 2, m - 3]
        a_bar_term = (term + b_bar[n - 2, m - 2]) * 0.2
        a_bar[n - 2, m - 2] += a_bar_term
        a_bar_term = b_bar[n - 2, m - 2] * 0.2
        a_bar[n - 2, m - 1] += a_bar_term
        for j in range(1, m - 1):
            a_bar[n - 1, j] += b_bar[n - 2, j] * 0.2
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b_bar[i, j] = 0.0
    # b = a.copy()
    for i in range(n):
        for j in range(m):
            a_bar[i, j] += b_bar[i, j]
    return result, (a_bar,)
