"""Adjoint of `relax` (relax.py:9) with respect to x, w. Written by backsweep."""
import numpy as np


def relax_value_and_grad(x, w):
    # forward sweep
    y = x.copy()
    n = y.size
    y_i_tape = np.empty((3, max(n - 1, 0)))
    for sweep in range(3):
        for i in range(1, n):
            y_i = y[i]
            y_i_tape[sweep, i - 1] = y_i
            y[i] = y_i * y_i * w + y[i - 1]
    result = y.sum()
    # reverse sweep
    # return y.sum()
    y_bar = np.full_like(y, 1.0)
    w_bar = 0.0
    for sweep in range(2, -1, -1):
        for i in range(n - 1, 0, -1):
            y_i = y_i_tape[sweep, i - 1]
            # y[i] = y[i] * y[i] * w + y[i - 1]
            y_bar_i = y_bar[i]
            y_bar[i] = 0.0
            y_bar[i - 1] += y_bar_i
            w_bar += y_bar_i * (y_i * y_i)
            y_bar[i] += 2.0 * (y_bar_i * w * y_i)
    # y = x.copy()
    return result, (y_bar, w_bar)
