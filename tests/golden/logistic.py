"""A range loop that carries a scalar: one tape, indexed by the iteration."""

import math

ARGS = (2.9, 0.3, 12)
WRT = ("r", "x")


def logistic(r, x, steps):
    for i in range(steps):
        x = r * x * (1.0 - x) + 0.1 * math.sin(x)
    return x * x
