"""Adjoint of `rotate` (rotate.py:14) with respect to point, angle. Written by backsweep."""
import math

import numpy as np


def rotate_value_and_grad(point, angle):
    # forward sweep
    s_tape = np.empty(3)
    x_tape = np.empty(3)
    c_tape = np.empty(3)
    y_tape = np.empty(3)
    x = point[0]
    y = point[1]
    for k in range(3):
        x_tape[k] = x
        y_tape[k] = y
        c = math.cos(angle)
        c_tape[k] = c
        s = math.sin(angle)
        s_tape[k] = s
        x_1 = c * x - s * y
        y = s * x + c * y
        x = y
        y = x_1
    y_bar = x * x
    result = y_bar * y
    # reverse sweep
    # return x * x * y
    x_bar = y * x
    x_bar *= 2.0
    angle_bar = 0.0
    for k in range(2, -1, -1):
        s = s_tape[k]
        x = x_tape[k]
        c = c_tape[k]
        y = y_tape[k]
        # return c * x - s * y, s * x + c * y
        c_bar = x_bar * y
        y_bar_next = x_bar * c
        s_bar = x_bar * x
        x_bar *= s
        s_bar -= y_bar * y
        y_bar_next -= y_bar * s
        c_bar += y_bar * x
        x_bar += y_bar * c
        # c, s = math.cos(angle), math.sin(angle)
        angle_bar += s_bar * math.cos(angle)
        angle_bar -= c_bar * math.sin(angle)
        y_bar = y_bar_next
    return result, ((x_bar, y_bar), angle_bar)
