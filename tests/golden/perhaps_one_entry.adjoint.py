"""Adjoint of `perhaps_one_entry` (perhaps_one_entry.py:9) with respect to x. Written by backsweep."""
import numpy as np


def perhaps_one_entry_value_and_grad(x, i, j):
    # forward sweep
    n = x.shape[0]
    if i >= n or i < -n:
        raise IndexError('x[i] is out of bounds')
    x_i = x[i]
    if j >= n or j < -n:
        raise IndexError('x[j] is out of bounds')
    x_j = x[j]
    result = x_i * x_j
    # reverse sweep
    # return x[i] * x[j]
    x_bar = np.zeros_like(x)
    x_bar[j] = x_i
    x_bar[i] += x_j
    return result, (x_bar,)
