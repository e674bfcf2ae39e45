"""Adjoint of `newton_root` (newton_root.py:7) with respect to a. Written by backsweep."""
import numpy as np

from backsweep.runtime.tape import grown


def newton_root_value_and_grad(a):
    # forward sweep
    x_tape = np.empty(16)
    x = a
    trips = 0
    while True:
        if trips == x_tape.size:
            x_tape = grown(x_tape)
        x_tape[trips] = x
        step = 0.5 * (x - a / x)
        x -= step
        trips += 1
        if abs(step) < 1e-12:
            break
    # reverse sweep
    x_bar = 1.0
    a_bar = 0.0
    for trip in range(trips - 1, -1, -1):
        x_1 = x_tape[trip]
        # step = 0.5 * (x - a / x)
        step_term = x_bar * 0.5
        x_bar -= step_term
        a_bar += step_term / x_1
        x_bar -= step_term * (a / x_1) / x_1
    a_bar += x_bar
    return x, (a_bar,)
