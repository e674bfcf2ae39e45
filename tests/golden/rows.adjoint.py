"""Adjoint of `rows` (rows.py:9) with respect to A, w. Written by backsweep."""
import numpy as np

from backsweep.runtime.broadcasting import aligned, joint_shape, stretched, sum_to


def rows_value_and_grad(A, w):
    # forward sweep
    B = A.copy()
    B_shape = B.shape
    n = B_shape[0]
    if n > 0 and B_shape[1] < 2:
        raise IndexError('row[1] is out of bounds')
    m = A.shape[1]
    row_tape = np.empty(m)
    row_tape_1 = list()
    w_tape = list()
    tape = list()
    total = 0.0
    for i in range(n):
        row = B[i]
        row_1 = aligned(row, w)
        w_1 = aligned(w, row_1)
        w_tape.append(w_1)
        row_2 = row_1.copy()
        row_tape_1.append(row_2)
        row_times_w = np.empty_like(row_1)
        for j in range(row_times_w.size):
            row_times_w[j] = row_1[j] * w_1[j]
        tape.append(row_times_w)
        row_times_w = stretched(row_times_w, row[:].shape)
        for j in range(m):
            B[i, j] = row_times_w[j]
        total += row[0] * row[1]
    result = total + B.sum()
    # reverse sweep
    # return total + np.sum(B)
    B_bar = np.full_like(B, 1.0)
    w_bar = np.zeros_like(w)
    for i in range(n):
        row = row_tape_1[i]
        w_1 = w_tape[i]
        tape_i = tape[i]
        row_1 = B[i]
        # total += row[0] * row[1]
        row_1_1 = row_1[1]
        row_bar = B_bar[i]
        row_bar[1] += row_1[0]
        row_bar[0] += row_1_1
        # row *= w
        B_bar_1 = np.empty_like(row_bar)
        for j in range(B_bar_1.size):
            B_bar_1[j] = B_bar[i, j]
            B_bar[i, j] = 0.0
        B_bar_1 = sum_to(B_bar_1, tape_i)
        B_bar_shape = B_bar_1.shape
        shape = joint_shape(B_bar_shape, w_1.shape)
        B_bar_2 = stretched(B_bar_1, shape)
        w_1 = stretched(w_1, shape)
        row_bar = np.empty(shape)
        for j in range(row_bar.size):
            row_bar[j] = B_bar_2[j] * w_1[j]
        shape = joint_shape(B_bar_shape, row.shape)
        B_bar_1 = stretched(B_bar_1, shape)
        row = stretched(row, shape)
        w_bar_1 = np.empty(shape)
        for j in range(w_bar_1.size):
            w_bar_1[j] = B_bar_1[j] * row[j]
        w_bar_1 = sum_to(w_bar_1, w)
        for j in range(w_bar.size):
            w_bar[j] += w_bar_1[j]
        row_bar = sum_to(row_bar, row_tape)
        for j in range(m):
            B_bar[i, j] += row_bar[j]
    # B = A.copy()
    return result, (B_bar, w_bar)
