"""Adjoint of `closure` (closure.py:10) with respect to x, rate. Written by backsweep."""
import math

DECAY = 0.5


def closure_value_and_grad(x, rate):
    # forward sweep
    value_bar = math.exp(-(DECAY * rate))
    value = x * value_bar + x
    value_bar_times_value = value * value_bar
    result = value_bar_times_value + x
    # reverse sweep
    # return step(step(x))
    rate_bar = -(value_bar_times_value * DECAY)
    x_bar = 1.0 + value_bar
    x_bar += value_bar * value_bar
    rate_bar -= value_bar * x * value_bar * DECAY
    return result, (x_bar, rate_bar)
