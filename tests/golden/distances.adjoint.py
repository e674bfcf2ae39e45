"""Adjoint of `distances` (distances.py:28) with respect to x, y. Written by backsweep."""
import numpy as np


def distances_value_and_grad(x, y):
    # forward sweep
    n = x.size
    if y.shape[0] < n:
        raise IndexError('y[i] is out of bounds')
    total = 0.0
    for i in range(n):
        x_i = x[i]
        y_i = y[i]
        square = x_i * x_i + y_i * y_i
        length = np.sqrt(square)
        total += length * x[i]
    # reverse sweep
    x_bar = np.zeros_like(x)
    y_bar = np.zeros_like(y)
    for i in range(n):
        x_i = x[i]
        y_i = y[i]
        square = x_i * x_i + y_i * y_i
        length = np.sqrt(square)
        # total += root(square) * x[i]
        x_i_1 = x[i]
        x_bar[i] += length
        square_bar = 0.5 * x_i_1 / max(length, 1e-09)
        # square = x[i] * x[i] + y[i] * y[i]
        y_bar[i] += 2.0 * (square_bar * y_i)
        x_bar[i] += 2.0 * (square_bar * x_i)
    return total, (x_bar, y_bar)
