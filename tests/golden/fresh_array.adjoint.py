"""Adjoint of `fresh_array` (fresh_array.py:9) with respect to h, W. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.broadcasting import joint_shape, stretched


def fresh_array_value_and_grad(h, W, steps):
    # forward sweep
    h_tape = list()
    h_tape_1 = np.empty((max(steps, 0), W.shape[0]))
    for t in range(steps):
        h_tape.append(h)
        z = W @ h
        h = np.empty_like(z)
        for i in range(h.size):
            tanh_z_i = math.tanh(z[i])
            h[i] = tanh_z_i
            h_tape_1[t, i] = tanh_z_i
    result = h.sum()
    # reverse sweep
    # return np.sum(h)
    h_bar = np.full_like(h, 1.0)
    W_bar = np.zeros_like(W)
    for t in range(steps - 1, -1, -1):
        h = h_tape[t]
        h_1 = h_tape_1[t]
        # h = np.tanh(z)
        shape = joint_shape(h_bar.shape, h_1.shape)
        h_bar = stretched(h_bar, shape)
        h_1 = stretched(h_1, shape)
        z_bar = np.empty(shape)
        for i in range(z_bar.size):
            h_i = h_1[i]
            z_bar[i] = h_bar[i] * (1.0 - h_i * h_i)
        # z = W @ h
        W_bar_shape = W_bar.shape
        n = W_bar_shape[0]
        z_bar_part = stretched(z_bar[:, None], (n, 1))
        m = W_bar_shape[1]
        h = stretched(h, (m,))
        for i in range(n):
            for j in range(m):
                z_bar_part_i_0_times_h_j = z_bar_part[i, 0] * h[j]
                W_bar[i, j] += z_bar_part_i_0_times_h_j
        h_bar = W.T @ z_bar
    return result, (h_bar, W_bar)
