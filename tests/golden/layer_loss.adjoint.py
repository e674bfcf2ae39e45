"""Adjoint of `layer_loss` (layer_loss.py:14) with respect to W, x, b. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.broadcasting import aligned, sum_to


def layer_loss_value_and_grad(W, x, b, target):
    # forward sweep
    W_at_x = W @ x
    aligned_W_at_x = aligned(W_at_x, b)
    b_1 = aligned(b, aligned_W_at_x)
    h = np.empty_like(aligned_W_at_x)
    for i in range(h.size):
        h[i] = math.tanh(aligned_W_at_x[i] + b_1[i])
    h_1 = aligned(h, target)
    target = aligned(target, h_1)
    empty_like_h = np.empty_like(h_1)
    result = 0.0
    for i in range(empty_like_h.size):
        h_i_minus_target_i = h_1[i] - target[i]
        empty_like_h[i] = h_i_minus_target_i
        result += h_i_minus_target_i ** 2
    # reverse sweep
    # return np.sum((h - target) ** 2)
    empty_like_h_1 = np.empty_like(h_1)
    for i in range(empty_like_h_1.size):
        empty_like_h_1[i] = 2.0 * empty_like_h[i]
    h_bar = sum_to(empty_like_h_1, aligned_W_at_x)
    # h = np.tanh(W @ x + b)
    empty_like_h_bar = np.empty_like(h_bar)
    for i in range(empty_like_h_bar.size):
        h_i = h[i]
        empty_like_h_bar[i] = h_bar[i] * (1.0 - h_i * h_i)
    b_bar = sum_to(empty_like_h_bar, b)
    sum_to_1 = sum_to(empty_like_h_bar, W_at_x)
    W_bar = np.outer(sum_to_1, x)
    x_bar = W.T @ sum_to_1
    return result, (W_bar, x_bar, b_bar)
