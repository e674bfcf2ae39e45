"""Jacobian of `differences` (differences.py:10) with respect to x. Written by backsweep."""
from collections import namedtuple

import numpy as np

from backsweep.runtime.special import mutual_product, strong_product, strong_quotient

Gradient = namedtuple('Gradient', ['x'])


def differences_jacobian(x, h):
    # forward sweep
    n = x.size
    y = np.empty(n - 1)
    y_size = y.size
    for i in range(y_size):
        y[i] = np.tanh((x[i + 1] - x[i]) / h)
    x_jacobian = np.empty((y_size, n))
    if n <= y_size:
        x_dot = np.zeros_like(x)
        # a tangent for each entry of x
        for j in range(n):
            x_dot[j] = 1.0
            x_dot_minus_x_dot_over_h = np.zeros_like(y)
            for i in range(y_size):
                y_term = strong_quotient(x_dot[i + 1] - x_dot[i], h)
                y_term_1 = np.tanh((x[i + 1] - x[i]) / h)
                y_term_times_y_term = mutual_product(y_term, 1.0 - y_term_1 * y_term_1)
                x_dot_minus_x_dot_over_h[i] = y_term_times_y_term
            for i in range(n - 1):
                x_jacobian[i, j] = x_dot_minus_x_dot_over_h[i]
            x_dot[j] = 0.0
    else:
        # a reverse sweep for each entry of the result
        for j in range(y_size):
            y_bar = np.zeros_like(y)
            y_bar[j] = 1.0
            x_bar = np.zeros_like(x)
            for i in range(y_size - 1, -1, -1):
                # y[i] = np.tanh((x[i + 1] - x[i]) / h)
                y_i = y[i]
                y_term = strong_product(y_bar[i], 1.0 - y_i * y_i)
                y_term_over_h = strong_quotient(y_term, h)
                x_bar[i] -= y_term_over_h
                x_bar[i + 1] += y_term_over_h
            for i in range(n):
                x_jacobian[j, i] = x_bar[i]
    return Gradient(x_jacobian)
