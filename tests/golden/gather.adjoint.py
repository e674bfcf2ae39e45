"""Adjoint of `gather` (gather.py:9) with respect to x. Written by backsweep."""
import numpy as np


def gather_value_and_grad(x, index):
    # forward sweep
    x_bar = np.zeros_like(x)
    s = 0.0
    for k in range(index.size):
        i = index[k]
        n = x.shape[0]
        if i >= n or i < -n:
            raise IndexError('x[i] is out of bounds')
        x_i = x[i]
        s += x_i * x_i * (k + 1)
        # reverse sweep
        i = index[k]
        # s += x[i] * x[i] * (k + 1)
        x_bar[i] += 2.0 * (1.0 * (k + 1) * x[i])
    return s, (x_bar,)
