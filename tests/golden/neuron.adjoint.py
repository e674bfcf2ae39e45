"""Adjoint of `neuron` (neuron.py:9) with respect to x, w, b. Written by backsweep."""
import math


def neuron_value_and_grad(x, w, b):
    # forward sweep
    u = x * w
    v = u + b
    a = math.tanh(v)
    # reverse sweep
    # a = math.tanh(v)
    v_bar = 1.0 - a * a
    # u = x * w
    x_bar = v_bar * w
    w_bar = v_bar * x
    return a, (x_bar, w_bar, v_bar)
