"""Adjoint of `chosen_entry` (chosen_entry.py:9) with respect to x. Written by backsweep."""
import numpy as np


def chosen_entry_value_and_grad(x, k):
    # forward sweep
    n = x.shape[0]
    if k >= n or k < -n:
        raise IndexError('x[k] is out of bounds')
    x_k = x[k]
    result = x_k ** 2 * n
    # reverse sweep
    # return x[k] ** 2 * x.size
    x_bar = np.zeros_like(x)
    x_bar[k] = 1.0 * n * 2.0 * x_k
    return result, (x_bar,)
