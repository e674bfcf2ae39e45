"""Adjoint of `rotate` (rotate.py:14) with respect to point, angle. Written by backsweep."""
import math

import numpy as np


def rotate_value_and_grad(point, angle):
    # forward sweep
    x = point[0]
    y = point[1]
    x_tape = np.empty(3)
    y_tape = np.empty(3)
    for k in range(3):
        x_tape[k] = x
        y_tape[k] = y
        c = math.cos(angle)
        s = math.sin(angle)
        x_1 = c * x - s * y
        y = s * x + c * y
        x = y
        y = x_1
    y_bar = x * x
    result = y_bar * y
    # reverse sweep
    # return x * x * y
    x_bar = 2.0 * (y * x)
    angle_bar = 0.0
    for k in range(2, -1, -1):
        x = x_tape[k]
        y = y_tape[k]
        c = math.cos(angle)
        s = math.sin(angle)
        # x, y = turned(x, y, angle)
        c_bar = x_bar * y
        y_bar_next = x_bar * c
        s_bar = x_bar * x
        x_bar *= s
        s_bar -= y_bar * y
        y_bar_next -= y_bar * s
        c_bar += y_bar * x
        x_bar += y_bar * c
        # c, s = math.cos(angle), math.sin(angle)
        angle_bar += s_bar * c
        angle_bar -= c_bar * s
        y_bar = y_bar_next
    return result, ((x_bar, y_bar), angle_bar)
