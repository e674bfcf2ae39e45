"""A function made in the function, and a global constant."""

import math

DECAY = 0.5
ARGS = (0.8, 1.3)
WRT = ("x", "rate")


def closure(x, rate):
    def step(value):
        return value * math.exp(-DECAY * rate) + x

    return step(step(x))
