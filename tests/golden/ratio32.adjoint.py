"""Adjoint of `ratio32` (ratio32.py:9) with respect to x, y. Written by backsweep."""
import numpy as np


def ratio32_value_and_grad(x, y):
    # forward sweep
    n = x.shape[0]
    if y.shape[0] != n:
        raise ValueError('this code is for y.shape[0] == x.shape[0]')
    float32_2 = np.float32(2.0)
    x_minus_y = np.empty_like(x)
    x_1 = np.empty_like(x)
    float32_x_minus_y_over_x = np.empty_like(x)
    result = np.float32(0.0)
    for i in range(n):
        x_minus_y_i = x[i] - y[i]
        x_minus_y[i] = x_minus_y_i
        x_i = x[i] + float32_2
        x_1[i] = x_i
        result_term_over_x_i = np.float32(x_minus_y_i ** 2) / x_i
        float32_x_minus_y_over_x[i] = result_term_over_x_i
        result += result_term_over_x_i
    # reverse sweep
    # return np.sum((x - y) ** 2 / (x + np.float32(2.0)))
    x_bar = np.empty_like(x)
    y_bar = np.empty_like(x)
    for i in range(n):
        x_i = x_1[i]
        float32_result_term = np.float32(np.float32(1.0) / x_i * 2.0 * x_minus_y[i])
        x_bar[i] = float32_result_term - float32_x_minus_y_over_x[i] / x_i
        y_bar[i] = -float32_result_term
    return result, (x_bar, y_bar)
