"""Tangent of `branch` (branch.py:9) with respect to x, y. Written by backsweep."""
import math


def branch_jvp(x, y, x_dot, y_dot):
    if x > y:
        z = x * y
        z_dot = x_dot * y + y_dot * x
        w = math.sin(z)
        w_dot = z_dot * math.cos(z)
    else:
        z = x + y
        z_dot = x_dot + y_dot
        w = z * z
        w_dot = 2.0 * (z_dot * z)
    result = w * z
    result_dot = w_dot * z + z_dot * w
    return result, result_dot
