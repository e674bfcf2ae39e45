"""Adjoint of `fresh_array` (fresh_array.py:9) with respect to h, W. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.memory import check_room


def fresh_array_value_and_grad(h, W, steps):
    # forward sweep
    n = h.shape[0]
    W_shape = W.shape
    if W_shape[0] != n or W_shape[1] != n:
        raise ValueError('this code is for W.shape[0] == h.shape[0] and W.shape[1] == h.shape[0]')
    h_tape = np.empty((max(steps, 0), n))
    h_tape_1 = np.empty((max(steps, 0), n))
    check_room(8 * (h_tape.size + h_tape_1.size))
    for t in range(steps):
        z = W @ h
        h_next = np.empty_like(h)
        for i in range(n):
            h_tape[t, i] = h[i]
            h_i = math.tanh(z[i])
            h_next[i] = h_i
            h_tape_1[t, i] = h_i
        h = h_next
    result = h.sum()
    # reverse sweep
    # return np.sum(h)
    h_bar = np.full_like(h, 1.0)
    W_bar = np.zeros_like(W)
    for t in range(steps - 1, -1, -1):
        # h = np.tanh(z)
        z_bar = np.empty_like(h_bar)
        for i in range(n):
            h_tape_t_i = h_tape_1[t, i]
            z_bar[i] = h_bar[i] * (1.0 - h_tape_t_i * h_tape_t_i)
        # z = W @ h
        for i in range(n):
            for j in range(n):
                z_bar_i_times_h_tape_t_j = z_bar[i] * h_tape[t, j]
                W_bar[i, j] += z_bar_i_times_h_tape_t_j
        h_bar = W.T @ z_bar
    return result, (h_bar, W_bar)
