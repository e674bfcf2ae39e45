"""Adjoint of `joined` (joined.py:9) with respect to x, y. Written by backsweep."""
import numpy as np


def joined_value_and_grad(x, y):
    # forward sweep
    n = x.shape[0]
    y_size0 = y.shape[0]
    z = np.empty(n + y_size0)
    for i in range(n):
        z[i] = x[i]
    for i in range(y_size0):
        y_i = y[i]
        z[i + n] = y_i * y_i
    z_size = z.size
    total = 0.0
    for i in range(1, z_size):
        total += z[i] * z[i - 1] ** 2
    # reverse sweep
    z_bar = np.zeros_like(z)
    for i in range(1, z_size):
        # total += z[i] * z[i - 1] ** 2
        z_i = z[i]
        z_prev = z[i - 1]
        z_bar[i] += z_prev ** 2
        z_bar[i - 1] += z_i * 2.0 * z_prev
    # z = np.concatenate((x, y * y))
    x_bar = z_bar[:n].copy()
    y_bar = np.empty_like(y)
    for i in range(y_size0):
        y_bar[i] = 2.0 * (z_bar[i + n] * y[i])
    return total, (x_bar, y_bar)
