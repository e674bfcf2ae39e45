"""Adjoint of `logistic` (logistic.py:9) with respect to r, x. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.memory import check_room


def logistic_value_and_grad(r, x, steps):
    # forward sweep
    x_tape = np.empty(max(steps, 0))
    check_room(8 * x_tape.size)
    for i in range(steps):
        x_tape[i] = x
        x = r * x * (1.0 - x) + 0.1 * math.sin(x)
    result = x * x
    # reverse sweep
    # return x * x
    x_bar = 2.0 * x
    r_bar = 0.0
    for i in range(steps - 1, -1, -1):
        x = x_tape[i]
        # x = r * x * (1.0 - x) + 0.1 * math.sin(x)
        x_bar_1 = x_bar * 0.1 * math.cos(x)
        x_bar_times_one_minus_x = x_bar * (1.0 - x)
        x_bar = x_bar_1 - x_bar * (r * x)
        r_bar += x_bar_times_one_minus_x * x
        x_bar += x_bar_times_one_minus_x * r
    return result, (r_bar, x_bar)
