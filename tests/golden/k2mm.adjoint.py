"""Adjoint of `k2mm` (k2mm.py:10) with respect to alpha, beta, a, b, c, d. Written by backsweep."""
import numpy as np


def k2mm_value_and_grad(alpha, beta, a, b, c, d):
    # forward sweep
    n, m = a.shape
    b_shape = b.shape
    b_size1 = b_shape[1]
    c_size0, c_size1 = c.shape
    d_size0, d_size1 = d.shape
    if b_shape[0] != m:
        raise ValueError('this code is for b.shape[0] == a.shape[1]')
    if c_size0 != b_size1:
        raise ValueError('this code is for c.shape[0] == b.shape[1]')
    if d_size1 != c_size1 or d_size0 != n:
        raise ValueError('this code is for d.shape[1] == c.shape[1] and d.shape[0] == a.shape[0]')
    alpha_times_a = np.empty_like(a)
    for i in range(n):
        for j in range(m):
            alpha_times_a[i, j] = alpha * a[i, j]
    alpha_times_a_at_b = alpha_times_a @ b
    alpha_times_a_at_b_at_c = alpha_times_a_at_b @ c
    out = np.empty_like(alpha_times_a_at_b_at_c)
    result = 0.0
    for i in range(n):
        for j in range(c_size1):
            out_i_j = alpha_times_a_at_b_at_c[i, j] + beta * d[i, j]
            out[i, j] = out_i_j
            result += out_i_j * out_i_j
    # reverse sweep
    # return np.sum(out * out)
    out_bar = np.empty_like(alpha_times_a_at_b_at_c)
    d_bar = np.empty_like(alpha_times_a_at_b_at_c)
    beta_bar = 0.0
    for i in range(n):
        for j in range(c_size1):
            out_bar_i_j = 2.0 * out[i, j]
            out_bar[i, j] = out_bar_i_j
            # out = alpha * a @ b @ c + beta * d
            d_i_j = d[i, j]
            d_bar[i, j] = out_bar_i_j * beta
            beta_bar += out_bar_i_j * d_i_j
    out_bar_at_transpose_c = out_bar @ c.T
    c_bar = alpha_times_a_at_b.T @ out_bar
    out_term_1 = out_bar_at_transpose_c @ b.T
    b_bar = alpha_times_a.T @ out_bar_at_transpose_c
    a_bar = np.empty_like(out_term_1)
    alpha_bar = 0.0
    for i in range(n):
        for j in range(m):
            out_term_i_j = out_term_1[i, j]
            a_i_j = a[i, j]
            a_bar[i, j] = out_term_i_j * alpha
            alpha_bar += out_term_i_j * a_i_j
    return result, (alpha_bar, beta_bar, a_bar, b_bar, c_bar, d_bar)
