"""Hessian of `valley` (valley.py:9) with respect to x. Written by backsweep."""
from collections import namedtuple

import numpy as np

Gradient = namedtuple('Gradient', ['x'])
Gradient_1 = namedtuple('Gradient', ['x'])


def valley_hessian(x):
    n = x.size
    x_jacobian = np.empty((n, n))
    x_dot = np.zeros_like(x)
    # a tangent for each entry of x, kept as a row: the Hessian is symmetric
    for j in range(n):
        x_dot[j] = 1.0
        x_prev_dot = np.zeros_like(x)
        for i in range(1, n):
            x_prev = x[i - 1]
            x_prev_dot_1 = x_dot[i - 1]
            total_term = 200.0 * (x[i] - x_prev ** 2)
            total_term_dot = (x_dot[i] - x_prev_dot_1 * 2.0 * x_prev) * 200.0
            x_bar_term = total_term_dot * 2.0 * x_prev + x_prev_dot_1 * (total_term * 2.0)
            x_prev_dot[i - 1] += x_prev_dot_1 * 2.0 - x_bar_term
            x_prev_dot[i] += total_term_dot
        for i in range(n):
            x_jacobian[j, i] = x_prev_dot[i]
        x_dot[j] = 0.0
    return Gradient_1(Gradient(x_jacobian))
