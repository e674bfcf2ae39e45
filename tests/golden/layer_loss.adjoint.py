"""Adjoint of `layer_loss` (layer_loss.py:14) with respect to W, x, b. Written by backsweep."""
import math

import numpy as np


def layer_loss_value_and_grad(W, x, b, target):
    # forward sweep
    n, m = W.shape
    b_size0 = b.shape[0]
    target_size0 = target.shape[0]
    if x.shape[0] != m:
        raise ValueError('this code is for x.shape[0] == W.shape[1]')
    if b_size0 != n:
        raise ValueError('this code is for b.shape[0] == W.shape[0]')
    if target_size0 != n:
        raise ValueError('this code is for target.shape[0] == W.shape[0]')
    W_at_x = W @ x
    h = np.empty_like(W_at_x)
    h_minus_target = np.empty_like(W_at_x)
    result = 0.0
    for i in range(n):
        h_i = math.tanh(W_at_x[i] + b[i])
        h[i] = h_i
        h_minus_target_i = h_i - target[i]
        h_minus_target[i] = h_minus_target_i
        result += h_minus_target_i ** 2
    # reverse sweep
    # h = np.tanh(W @ x + b)
    h_bar = np.empty_like(W_at_x)
    b_bar = np.empty_like(W_at_x)
    for i in range(n):
        h_i = h[i]
        h_bar_i = 2.0 * h_minus_target[i] * (1.0 - h_i * h_i)
        h_bar[i] = h_bar_i
        b_bar[i] = h_bar_i
    W_bar = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            W_bar[i, j] = h_bar[i] * x[j]
    x_bar = W.T @ h_bar
    return result, (W_bar, x_bar, b_bar)
