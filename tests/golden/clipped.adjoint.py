"""Adjoint of `clipped` (clipped.py:9) with respect to x. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.gather import any_outside, scatter_add


def clipped_value_and_grad(x, places):
    # forward sweep
    y = np.empty_like(x)
    y_1 = np.empty_like(x)
    x_1 = np.empty(x.shape, np.bool_)
    n = x.size
    for i in range(n):
        y_i = math.tanh(x[i])
        y[i] = y_i
        y_1[i] = y_i
        x_1[i] = x[i] < -1.0
    flatnonzero_x = np.flatnonzero(x_1)
    flatnonzero_x_size0 = flatnonzero_x.shape[0]
    for i in range(flatnonzero_x_size0):
        y[flatnonzero_x[i]] = 0.5
    if any_outside(places, n):
        raise IndexError('y[places] is out of bounds')
    y_part = y[places]
    places_size = places.size
    result = 0.0
    for i in range(places_size):
        result += y_part[i] ** 2
    # reverse sweep
    # return np.sum(y[places] ** 2)
    result_bar = np.empty_like(y_part)
    for i in range(places_size):
        result_bar[i] = 2.0 * y_part[i]
    y_bar = np.zeros_like(x)
    scatter_add(y_bar, places, result_bar)
    for i in range(flatnonzero_x_size0 - 1, -1, -1):
        # y[x < -1.0] = 0.5
        y_bar[flatnonzero_x[i]] = 0.0
    # y = np.tanh(x)
    x_bar = np.empty_like(y_bar)
    for i in range(n):
        y_i = y_1[i]
        x_bar[i] = y_bar[i] * (1.0 - y_i * y_i)
    return result, (x_bar,)
