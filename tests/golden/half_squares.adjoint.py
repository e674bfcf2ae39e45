"""Adjoint of `half_squares` (half_squares.py:9) with respect to e. Written by backsweep."""
import numpy as np


def half_squares_value_and_grad(e, s):
    # forward sweep
    n = e.shape[0]
    total = 0.0
    for i in range(n):
        e_i = e[i]
        total += 0.5 / s * e_i ** 2 + 0.5 * e_i * e_i
    # reverse sweep
    e_bar = np.zeros_like(e)
    for i in range(n):
        # total += 0.5 / s * e[i] ** 2 + 0.5 * e[i] * e[i]
        e_i = e[i]
        e_bar[i] += e_i + 1.0 / s * e_i
    return total, (e_bar,)
