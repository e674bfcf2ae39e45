"""Adjoint of `early_return` (early_return.py:7) with respect to x. Written by backsweep."""
import numpy as np

from backsweep.runtime.tape import grown


def early_return_value_and_grad(x, n):
    # forward sweep
    x_tape = np.empty(16)
    done = False
    trips = 0
    for i in range(n):
        if trips == x_tape.size:
            x_tape = grown(x_tape)
        x_tape[trips] = x
        x = x * 1.3 + 0.1 * x * x
        done = x > 2.0
        if done:
            result = x * x * i
        trips += 1
        if done:
            break
    if not done:
        result = x
    # reverse sweep
    if done:
        result_bar = 1.0
        x_bar = 0.0
    else:
        result_bar = 0.0
        x_bar = 1.0
    for trip in range(trips - 1, -1, -1):
        x = x_tape[trip]
        x_term = 0.1 * x
        x_1 = x * 1.3 + x_term * x
        if x_1 > 2.0:
            # return x * x * i
            x_bar += 2.0 * (result_bar * trip * x_1)
        # x = x * 1.3 + 0.1 * x * x
        x_bar_times_x = x_bar * x
        x_bar_1 = x_bar * x_term
        x_bar_1 += x_bar_times_x * 0.1
        x_bar = x_bar_1 + x_bar * 1.3
        result_bar = 0.0
    return result, (x_bar,)
