"""Jacobian of `swing` (swing.py:18) with respect to state, length. Written by backsweep."""
import math
from collections import namedtuple

from backsweep.runtime.special import strong_product

Gradient = namedtuple('Gradient', ['state', 'length'])


def swing_jacrev(state, length, dt):
    # forward sweep
    angle = state.angle
    speed_term_over_length = dt * 9.81 / length
    sin_angle = math.sin(angle)
    # a reverse sweep for each item of the result
    state_bar = State(0.0, 0.0)
    length_bar = 0.0
    state_bar_1 = state_bar
    length_bar_1 = 0.0
    for i in range(2):
        result_bar = 1.0 if i == 0 else 0.0
        result_bar_1 = 1.0 if i == 1 else 0.0
        # return State(state.angle + dt * speed, speed)
        speed_bar = result_bar_1 + result_bar * dt
        # speed = state.speed - dt * 9.81 / length * math.sin(state.angle)
        angle_bar = result_bar - strong_product(speed_bar, speed_term_over_length) * math.cos(angle)
        length_bar = strong_product(speed_bar * sin_angle, speed_term_over_length / length)
        state_bar = state_bar_1
        state_bar_1 = State(angle_bar, speed_bar)
        length_bar, length_bar_1 = length_bar_1, length_bar
    return State(Gradient(state_bar, length_bar), Gradient(state_bar_1, length_bar_1))
