"""Adjoint of `three_entries` (three_entries.py:9) with respect to x. Written by backsweep."""
import numpy as np


def three_entries_value_and_grad(x):
    # forward sweep
    if x.shape[0] < 3:
        raise IndexError('x[2] is out of bounds')
    x_0 = x[0]
    x_1 = x[1]
    a = x_0 * x_1
    x_1_1 = x[1]
    x_2 = x[2]
    b = x_1_1 * x_2
    result = a / b
    # reverse sweep
    # return a / b
    a_bar = 1.0 / b
    result_over_b = result / b
    # b = x[1] * x[2]
    x_bar = np.zeros_like(x)
    x_bar[2] = -(result_over_b * x_1_1)
    x_bar[1] = -(result_over_b * x_2)
    # a = x[0] * x[1]
    x_bar[1] += a_bar * x_0
    x_bar[0] = a_bar * x_1
    return result, (x_bar,)
