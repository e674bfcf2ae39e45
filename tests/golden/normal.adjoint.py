"""Adjoint of `normal` (normal.py:10) with respect to x, mean, s. Written by backsweep."""
import numpy as np

FULL_TURN = 2.0 * np.pi


def normal_value_and_grad(x, mean, s):
    # forward sweep
    n = x.shape[0]
    total = 0.0
    for i in range(n):
        e = (x[i] - mean) / s
        total -= 0.5 * e * e + np.log(s) + 0.5 * np.log(FULL_TURN)
    full_turn_times_mean = FULL_TURN * mean
    result = total + np.cos(full_turn_times_mean)
    # reverse sweep
    # return total + np.cos(FULL_TURN * mean)
    mean_bar = -(np.sin(full_turn_times_mean) * FULL_TURN)
    x_bar = np.zeros_like(x)
    s_bar = 0.0
    for i in range(n):
        e = (x[i] - mean) / s
        # total -= 0.5 * e * e + np.log(s) + 0.5 * np.log(FULL_TURN)
        s_bar -= 1.0 / s
        # e = (x[i] - mean) / s
        e_over_s = e / s
        s_bar += e * e / s
        mean_bar += e_over_s
        x_bar[i] -= e_over_s
    return result, (x_bar, mean_bar, s_bar)
