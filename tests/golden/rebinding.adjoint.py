"""Adjoint of `rebinding` (rebinding.py:9) with respect to x, w. Written by backsweep."""
import math

import numpy as np


def rebinding_value_and_grad(x, w):
    # forward sweep
    y = x * x
    w_times_y = np.empty_like(w)
    y_1 = np.empty_like(w)
    for i in range(w_times_y.size):
        w_i_times_y = w[i] * y
        w_times_y[i] = w_i_times_y
        y_1[i] = math.sin(w_i_times_y)
    if w.shape[0] < 3:
        raise IndexError('y[2] is out of bounds')
    y_0 = y_1[0]
    y_2 = y_1[2]
    y_3 = y_0 * y_2 + y_1[1]
    result = y_3 * x
    # reverse sweep
    # y = y[0] * y[2] + y[1]
    y_bar = np.zeros_like(w)
    y_bar[1] += x
    y_bar[2] += x * y_0
    y_bar[0] += x * y_2
    # y = np.sin(w * y)
    w_bar = np.empty_like(y_bar)
    y_bar_1 = 0.0
    for i in range(w_bar.size):
        y_term = y_bar[i] * math.cos(w_times_y[i])
        w_bar[i] = y_term * y
        y_bar_1 += y_term * w[i]
    # y = x * x
    x_bar = y_3 + 2.0 * (y_bar_1 * x)
    return result, (x_bar, w_bar)
