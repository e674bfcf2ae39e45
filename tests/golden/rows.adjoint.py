"""Adjoint of `rows` (rows.py:9) with respect to A, w. Written by backsweep."""
import numpy as np


def rows_value_and_grad(A, w):
    # forward sweep
    m = A.shape[1]
    if w.shape[0] != m:
        raise ValueError('this code is for w.shape[0] == A.shape[1]')
    B = A.copy()
    n = B.shape[0]
    if n > 0 and m < 2:
        raise IndexError('row[1] is out of bounds')
    row_tape = np.empty(m)
    B_bar = np.full_like(B, 1.0)
    w_bar = np.zeros_like(w)
    total = 0.0
    for i in range(n):
        row = B[i]
        for j in range(m):
            B_i_j = B[i, j]
            row_tape[j] = B_i_j
            B[i, j] = B_i_j * w[j]
        total += row[0] * row[1]
        # reverse sweep
        # return total + np.sum(B)
        row = B[i]
        # total += row[0] * row[1]
        row_1 = row[1]
        row_bar = B_bar[i]
        row_bar[1] += row[0]
        row_bar[0] += row_1
        # row *= w
        for j in range(m):
            B_bar_i_j = B_bar[i, j]
            B_bar[i, j] = B_bar_i_j * w[j]
            w_bar[j] += B_bar_i_j * row_tape[j]
    result = total + B.sum()
    # B = A.copy()
    return result, (B_bar, w_bar)
