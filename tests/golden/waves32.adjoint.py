"""Adjoint of `waves32` (waves32.py:10) with respect to x. Written by backsweep."""
import numpy as np

PI = np.float32(np.pi)


def waves32_value_and_grad(x):
    # forward sweep
    result_term = np.float32(np.pi)
    x_1 = np.empty_like(x)
    n = x.size
    result = np.float32(0.0)
    for i in range(n):
        x_i = PI * x[i]
        x_1[i] = x_i
        result += np.sin(x_i) * result_term
    # reverse sweep
    # return np.sum(np.sin(PI * x) * np.float32(np.pi))
    x_bar = np.empty_like(x)
    for i in range(n):
        x_bar[i] = result_term * np.cos(x_1[i]) * PI
    return result, (x_bar,)
