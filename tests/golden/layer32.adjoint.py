"""Adjoint of `layer32` (layer32.py:9) with respect to x, w. Written by backsweep."""
import numpy as np


def layer32_value_and_grad(x, w):
    # forward sweep
    n = x.shape[0]
    w_shape = w.shape
    if w_shape[1] != n:
        raise ValueError('this code is for w.shape[1] == x.shape[0]')
    w_at_x = w @ x
    h = np.empty_like(w_at_x)
    w_size0 = w_shape[0]
    for i in range(w_size0):
        h[i] = np.tanh(w_at_x[i])
    loss = np.float32(0.0)
    for i in range(w_size0):
        h_i = h[i]
        loss -= np.float32(0.5) * h_i * h_i
    # reverse sweep
    h_bar = np.zeros_like(w_at_x)
    for i in range(w_size0):
        # loss -= np.float32(0.5) * h[i] * h[i]
        loss_term = np.float32(0.5)
        h_i = h[i]
        h_bar[i] += -(1.0 * (loss_term * h_i)) - 1.0 * h_i * loss_term
    # h = np.tanh(w @ x)
    h_bar_1 = np.empty_like(h_bar)
    for i in range(w_size0):
        h_i = h[i]
        h_bar_1[i] = h_bar[i] * (1.0 - h_i * h_i)
    w_bar = np.empty((w_size0, n), np.float32)
    for i in range(w_size0):
        for j in range(n):
            w_bar[i, j] = h_bar_1[i] * x[j]
    x_bar = w.T @ h_bar_1
    return loss, (x_bar, w_bar)
