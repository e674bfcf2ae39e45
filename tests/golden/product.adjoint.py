"""Adjoint of `product` (product.py:9) with respect to x. Written by backsweep."""
import numpy as np


def product_value_and_grad(x):
    # forward sweep
    n = x.size
    p_tape = np.empty(n)
    p = 1.0
    s = 0.0
    for i in range(n):
        p_tape[i] = p
        p *= x[i]
        s += p
    # reverse sweep
    x_bar = np.zeros_like(x)
    p_bar = 0.0
    for i in range(n - 1, -1, -1):
        p = p_tape[i]
        # s += p
        p_bar_1 = p_bar + 1.0
        # p *= x[i]
        p_bar = p_bar_1 * x[i]
        x_bar[i] += p_bar_1 * p
    return s, (x_bar,)
