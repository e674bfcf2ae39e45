"""Adjoint of `smooth` (smooth.py:9) with respect to x, w. Written by backsweep."""
import numpy as np


def smooth_value_and_grad(x, w):
    # forward sweep
    y = x.copy()
    n = y.shape[0]
    d_tape = np.empty(max(n - 1, 0))
    loss = 0.0
    for i in range(1, n):
        d = y[i] - w * y[i - 1]
        d_tape[i - 1] = d
        if d > 0.0:
            loss += d * d
        y[i] = np.tanh(d)
    # reverse sweep
    y_bar = np.zeros_like(y)
    w_bar = 0.0
    for i in range(n - 1, 0, -1):
        d = d_tape[i - 1]
        y_prev = y[i - 1]
        # y[i] = np.tanh(d)
        y_i = y[i]
        y_bar_i = y_bar[i]
        y_bar[i] = 0.0
        d_bar = y_bar_i * (1.0 - y_i * y_i)
        if d > 0.0:
            # loss += d * d
            d_bar += 2.0 * d
        # d = y[i] - w * y[i - 1]
        w_bar -= d_bar * y_prev
        y_bar[i - 1] -= d_bar * w
        y_bar[i] += d_bar
    # y = x.copy()
    return loss, (y_bar, w_bar)
