"""Adjoint of `settled` (settled.py:15) with respect to a. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.special import strong_product, strong_quotient
from backsweep.runtime.tape import grown


def settled_value_and_grad(a, tolerance):
    # forward sweep
    state_value_tape = np.empty(16)
    done = False
    state_value = a
    trips = 0
    for _ in range(20):
        if trips == state_value_tape.size:
            state_value_tape = grown(state_value_tape)
        state_value_tape[trips] = state_value
        step = 0.5 * (state_value - a / state_value)
        done = abs(step) < tolerance
        trips += 1
        state_value -= step
        if done:
            break
    if done:
        result = math.log(state_value)
    else:
        result = -a
    # reverse sweep
    if done:
        # return math.log(state.value)
        state_value_bar = 1.0 / state_value
        a_bar = 0.0
    else:
        # return -a
        state_value_bar = 0.0
        a_bar = -1.0
    for trip in range(trips - 1, -1, -1):
        state_value = state_value_tape[trip]
        # step = 0.5 * (state.value - a / state.value)
        step_term = state_value_bar * 0.5
        state_value_bar -= step_term
        a_bar += strong_quotient(step_term, state_value)
        state_value_bar_term = strong_product(step_term, a / state_value / state_value)
        state_value_bar -= state_value_bar_term
    a_bar += state_value_bar
    return result, (a_bar,)
