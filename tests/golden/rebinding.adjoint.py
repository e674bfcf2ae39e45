"""Adjoint of `rebinding` (rebinding.py:9) with respect to x, w. Written by backsweep."""
import numpy as np


def rebinding_value_and_grad(x, w):
    # forward sweep
    y = x * x
    y_1 = np.empty_like(w)
    n = w.size
    for i in range(n):
        y_1[i] = np.sin(w[i] * y)
    if n < 3:
        raise IndexError('y[2] is out of bounds')
    y_0 = y_1[0]
    y_2 = y_1[2]
    y_3 = y_0 * y_2 + y_1[1]
    result = y_3 * x
    # reverse sweep
    # y = y[0] * y[2] + y[1]
    y_bar = np.zeros_like(w)
    y_bar[1] = x
    y_bar[2] = x * y_0
    y_bar[0] = x * y_2
    # y = np.sin(w * y)
    w_bar = np.empty_like(y_bar)
    y_bar_1 = 0.0
    for i in range(n):
        y_term = y_bar[i] * np.cos(w[i] * y)
        w_bar[i] = y_term * y
        y_bar_1 += y_term * w[i]
    # y = x * x
    x_bar = y_3 + 2.0 * (y_bar_1 * x)
    return result, (x_bar, w_bar)
