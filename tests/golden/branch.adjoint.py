"""Adjoint of `branch` (branch.py:9) with respect to x, y. Written by backsweep."""
import math


def branch_value_and_grad(x, y):
    # forward sweep
    x_above_y = x > y
    if x_above_y:
        z = x * y
        w = math.sin(z)
    else:
        z = x + y
        w = z * z
    result = w * z
    # reverse sweep
    # return w * z
    if x_above_y:
        z_1 = x * y
        # w = math.sin(z)
        z_bar = w + z * math.cos(z_1)
        # z = x * y
        x_bar = z_bar * y
        y_bar = z_bar * x
    else:
        z_1 = x + y
        # w = z * z
        z_bar = w + 2.0 * (z * z_1)
        # z = x + y
        x_bar = z_bar
        y_bar = z_bar
    return result, (x_bar, y_bar)
