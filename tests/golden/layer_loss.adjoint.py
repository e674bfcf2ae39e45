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
    tanh_W_at_x_plus_b = np.empty_like(W_at_x)
    result = 0.0
    for i in range(n):
        h_i = math.tanh(W_at_x[i] + b[i])
        h[i] = h_i
        tanh_W_at_x_plus_b_i = h_i - target[i]
        tanh_W_at_x_plus_b[i] = tanh_W_at_x_plus_b_i
        result += tanh_W_at_x_plus_b_i ** 2
    # reverse sweep
    # h = np.tanh(W @ x + b)
    tanh_W_at_x_plus_b_1 = np.empty_like(W_at_x)
    b_bar = np.empty_like(W_at_x)
    for i in range(n):
        h_i = h[i]
        tanh_W_at_x_plus_b_i = 2.0 * tanh_W_at_x_plus_b[i] * (1.0 - h_i * h_i)
        tanh_W_at_x_plus_b_1[i] = tanh_W_at_x_plus_b_i
        b_bar[i] = tanh_W_at_x_plus_b_i
    W_bar = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            W_bar[i, j] = tanh_W_at_x_plus_b_1[i] * x[j]
    x_bar = W.T @ tanh_W_at_x_plus_b_1
    return result, (W_bar, x_bar, b_bar)
