"""Adjoint of `sensor32` (sensor32.py:9) with respect to x, y. Written by backsweep."""
import numpy as np


def sensor32_value_and_grad(x, y):
    # forward sweep
    n = x.shape[0]
    if y.shape[0] != n:
        raise ValueError('this code is for y.shape[0] == x.shape[0]')
    z = np.empty_like(x)
    exp_minus_z = np.empty_like(x)
    result = np.float32(0.0)
    for i in range(n):
        z_i = x[i] / y[i]
        z[i] = z_i
        exp_minus_z_i = np.exp(-z_i)
        exp_minus_z[i] = exp_minus_z_i
        result -= z_i * exp_minus_z_i
    # reverse sweep
    # return np.sum(-z * np.exp(-z))
    x_bar = np.empty_like(x)
    y_bar = np.empty_like(x)
    for i in range(n):
        exp_minus_z_i = exp_minus_z[i]
        z_bar = z[i] * exp_minus_z_i - exp_minus_z_i
        # z = x / y
        x_bar[i] = z_bar / y[i]
        y_bar[i] = -(z_bar * z[i] / y[i])
    return result, (x_bar, y_bar)
