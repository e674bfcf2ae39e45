"""Adjoint of `layers` (layers.py:18) with respect to x, w. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.memory import check_room


def layer(x, w):
    for _ in range(3):
        x += math.tanh(w * x)
    return x


def layer_adjoint(x, w, x_bar):
    # forward sweep
    x_tape = np.empty(3)
    tanh_tape = np.empty(3)
    for i in range(3):
        x_tape[i] = x
        tanh = math.tanh(w * x)
        tanh_tape[i] = tanh
        x += tanh
    # reverse sweep
    w_bar = 0.0
    for i in range(2, -1, -1):
        x = x_tape[i]
        tanh = tanh_tape[i]
        # x = math.tanh(w * x) + x
        x_bar_times_x_term = x_bar * (1.0 - tanh * tanh)
        w_bar += x_bar_times_x_term * x
        x_bar += x_bar_times_x_term * w
    return x_bar, w_bar


def layers_value_and_grad(x, w, n):
    # forward sweep
    x_tape = np.empty(max(n, 0))
    check_room(8 * x_tape.size)
    for i in range(n):
        x_tape[i] = x
        x = layer(x, w)
    # reverse sweep
    x_bar = 1.0
    w_bar = 0.0
    for i in range(n - 1, -1, -1):
        x_1 = x_tape[i]
        # x = layer(x, w)
        layer_adjoint_x = layer_adjoint(x_1, w, x_bar)
        x_bar = layer_adjoint_x[0]
        w_bar += layer_adjoint_x[1]
    return x, (x_bar, w_bar)
