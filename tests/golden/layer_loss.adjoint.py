"""Adjoint of `layer_loss` (layer_loss.py:14) with respect to W, x, b. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.broadcasting import aligned, sum_to


def layer_loss_value_and_grad(W, x, b, target):
    # forward sweep
    W_at_x = W @ x
    W_at_x_1 = aligned(W_at_x, b)
    b_1 = aligned(b, W_at_x_1)
    h = np.empty_like(W_at_x_1)
    for i in range(h.size):
        h[i] = math.tanh(W_at_x_1[i] + b_1[i])
    h_1 = aligned(h, target)
    target = aligned(target, h_1)
    h_minus_target = np.empty_like(h_1)
    result = 0.0
    for i in range(h_minus_target.size):
        h_i_minus_target_i = h_1[i] - target[i]
        h_minus_target[i] = h_i_minus_target_i
        result += h_i_minus_target_i ** 2
    # reverse sweep
    # return np.sum((h - target) ** 2)
    h_bar = np.empty_like(h_1)
    for i in range(h_bar.size):
        h_bar[i] = 2.0 * h_minus_target[i]
    h_bar = sum_to(h_bar, W_at_x_1)
    # h = np.tanh(W @ x + b)
    h_bar_1 = np.empty_like(h_bar)
    for i in range(h_bar_1.size):
        h_i = h[i]
        h_bar_1[i] = h_bar[i] * (1.0 - h_i * h_i)
    b_bar = sum_to(h_bar_1, b)
    h_bar = sum_to(h_bar_1, W_at_x)
    W_bar = np.empty((W.shape[0], x.size))
    W_bar_shape = W_bar.shape
    for i in range(W_bar_shape[0]):
        for j in range(W_bar_shape[1]):
            W_bar[i, j] = h_bar[i] * x[j]
    x_bar = W.T @ h_bar
    return result, (W_bar, x_bar, b_bar)
