"""Adjoint of `k2mm` (k2mm.py:10) with respect to alpha, beta, a, b, c, d. Written by backsweep."""
import numpy as np


def k2mm_value_and_grad(alpha, beta, a, b, c, d):
    # forward sweep
    a_shape = a.shape
    n = a_shape[0]
    b_shape = b.shape
    m = b_shape[1]
    c_size0, c_size1 = c.shape
    d_size0, d_size1 = d.shape
    if b_shape[0] != a_shape[1]:
        raise ValueError('this code is for b.shape[0] == a.shape[1]')
    if c_size0 != m:
        raise ValueError('this code is for c.shape[0] == b.shape[1]')
    if d_size1 != c_size1 or d_size0 != n:
        raise ValueError('this code is for d.shape[1] == c.shape[1] and d.shape[0] == a.shape[0]')
    a_at_b = a @ b
    a_at_b_at_c = a_at_b @ c
    out = np.empty_like(a_at_b_at_c)
    result = 0.0
    for i in range(n):
        for j in range(c_size1):
            out_i_j = alpha * a_at_b_at_c[i, j] + beta * d[i, j]
            out[i, j] = out_i_j
            result += out_i_j * out_i_j
    # reverse sweep
    # return np.sum(out * out)
    d_bar = np.empty_like(a_at_b_at_c)
    out_bar = np.empty_like(a_at_b_at_c)
    beta_bar = 0.0
    alpha_bar = 0.0
    for i in range(n):
        for j in range(c_size1):
            out_bar_1 = 2.0 * out[i, j]
            # out = alpha * a @ b @ c + beta * d
            d_i_j = d[i, j]
            d_bar[i, j] = out_bar_1 * beta
            a_at_b_at_c_i_j = a_at_b_at_c[i, j]
            out_bar[i, j] = out_bar_1 * alpha
            beta_bar += out_bar_1 * d_i_j
            alpha_bar += out_bar_1 * a_at_b_at_c_i_j
    out_bar_at_transpose_c = out_bar @ c.T
    c_bar = a_at_b.T @ out_bar
    a_bar = out_bar_at_transpose_c @ b.T
    b_bar = a.T @ out_bar_at_transpose_c
    return result, (alpha_bar, beta_bar, a_bar, b_bar, c_bar, d_bar)
