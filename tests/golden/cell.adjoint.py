"""Adjoint of `cell` (cell.py:15) with respect to w, u, b. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.memory import check_room


def cell_value_and_grad(w, u, b, xs):
    # forward sweep
    w_shape = w.shape
    n = w_shape[0]
    length = n // 4
    m = w_shape[1]
    u_size0, u_size1 = u.shape
    b_size0 = b.shape[0]
    if xs.shape[1] != m:
        raise ValueError('this code is for xs.shape[1] == w.shape[1]')
    if u_size0 != n or u_size1 != length:
        raise ValueError('this code is for u.shape[0] == w.shape[0] and u.shape[1] == (w.shape[0] // 4)')
    if b_size0 != n:
        raise ValueError('this code is for b.shape[0] == w.shape[0]')
    h = np.zeros(length)
    c = np.zeros(length)
    xs_size = len(xs)
    tapes = np.empty((8, xs_size, length))
    h_tape = tapes[0]
    tanh_keep_tape = tapes[1]
    c_tape = tapes[2]
    gate_tape = tapes[3]
    tanh_new_tape = tapes[4]
    sin_gate_tape = tapes[5]
    tanh_out_tape = tapes[6]
    tanh_c_tape = tapes[7]
    z = np.empty(n)
    check_room(8 * tapes.size)
    for i in range(xs_size):
        for j in range(length):
            h_tape[i, j] = h[j]
            c_tape[i, j] = c[j]
        x = xs[i]
        w_at_x = w @ x
        u_at_h = u @ h
        for j in range(n):
            z_j = w_at_x[j] + u_at_h[j] + b[j]
            z[j] = z_j
        if n % 4 != 0:
            raise ValueError('array split does not result in an equal division')
        length_times_2 = 2 * length
        length_times_3 = 3 * length
        c_next = np.empty_like(c)
        h = np.empty_like(c)
        for j in range(length):
            tanh_keep = math.tanh(z[j])
            tanh_keep_tape[i, j] = tanh_keep
        for j in range(length):
            tanh_new = math.tanh(z[j + length])
            tanh_new_tape[i, j] = tanh_new
        for j in range(length):
            sin_gate = np.sin(z[j + length_times_3])
            sin_gate_tape[i, j] = sin_gate
        for j in range(length):
            tanh_out = math.tanh(z[j + length_times_2])
            tanh_out_tape[i, j] = tanh_out
        for j in range(length):
            tanh_keep = tanh_keep_tape[i, j]
            tanh_new = tanh_new_tape[i, j]
            sin_gate = sin_gate_tape[i, j]
            tanh_c = math.tanh(tanh_keep * c[j] + tanh_new * sin_gate)
            tanh_c_tape[i, j] = tanh_c
        for j in range(length):
            gate_tape[i, j] = z[j + length_times_3]
            tanh_keep = tanh_keep_tape[i, j]
            tanh_new = tanh_new_tape[i, j]
            sin_gate = sin_gate_tape[i, j]
            c_next[j] = tanh_keep * c[j] + tanh_new * sin_gate
            tanh_out = tanh_out_tape[i, j]
            tanh_c = tanh_c_tape[i, j]
            h[j] = tanh_out * tanh_c
        c = c_next
    result = 0.0
    for i in range(length):
        h_i = h[i]
        result += h_i * h_i
    # reverse sweep
    # return np.sum(h * h)
    h_bar = np.empty_like(h)
    for i in range(length):
        h_bar[i] = 2.0 * h[i]
    w_bar = np.zeros_like(w)
    u_bar = np.zeros_like(u)
    b_bar = np.zeros_like(b)
    c_bar = np.zeros_like(c)
    for i in range(xs_size - 1, -1, -1):
        length_times_2 = 2 * length
        length_times_3 = 3 * length
        # h = np.tanh(out) * np.tanh(c)
        z_bar = np.zeros_like(b)
        c_bar_next = np.empty_like(h_bar)
        for j in range(length):
            h_term = h_bar[j] * tanh_out_tape[i, j]
            tanh_c_tape_i_j = tanh_c_tape[i, j]
            c_bar[j] += h_term * (1.0 - tanh_c_tape_i_j * tanh_c_tape_i_j)
            h_bar_times_tanh_c_tape = h_bar[j] * tanh_c_tape[i, j]
            tanh_out_tape_i_j = tanh_out_tape[i, j]
            z_bar[j + length_times_2] += h_bar_times_tanh_c_tape * (1.0 - tanh_out_tape_i_j
                    * tanh_out_tape_i_j)
            # c = np.tanh(keep) * c + np.tanh(new) * np.sin(gate)
            c_term = c_bar[j] * tanh_new_tape[i, j]
            z_bar_term = c_term * np.cos(gate_tape[i, j])
            z_bar[j + length_times_3] += z_bar_term
            c_term = c_bar[j] * sin_gate_tape[i, j]
            tanh_new_tape_i_j = tanh_new_tape[i, j]
            z_bar[j + length] += c_term * (1.0 - tanh_new_tape_i_j * tanh_new_tape_i_j)
            c_bar_j = c_bar[j] * tanh_keep_tape[i, j]
            c_bar_next[j] = c_bar_j
        for j in range(length):
            c_bar_j_times_c_tape_i_j = c_bar[j] * c_tape[i, j]
            tanh_keep_tape_i_j = tanh_keep_tape[i, j]
            z_bar[j] += c_bar_j_times_c_tape_i_j * (1.0 - tanh_keep_tape_i_j * tanh_keep_tape_i_j)
        # z = w @ x + u @ h + b
        for j in range(n):
            b_bar[j] += z_bar[j]
        for j in range(n):
            for k in range(length):
                z_bar_j_times_h_tape_i_k = z_bar[j] * h_tape[i, k]
                u_bar[j, k] += z_bar_j_times_h_tape_i_k
        h_bar = u.T @ z_bar
        for j in range(n):
            for k in range(m):
                z_bar_j_times_xs_i_k = z_bar[j] * xs[i, k]
                w_bar[j, k] += z_bar_j_times_xs_i_k
        c_bar = c_bar_next
    return result, (w_bar, u_bar, b_bar)
