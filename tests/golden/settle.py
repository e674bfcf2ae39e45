"""A checkpointed `while` loop: snapshots at equal distances, which double when the slots are full."""

import math

import backsweep as bs

ARGS = (0.7, 0.3)
WRT = ("x", "a")


def settle(x, a):
    error = 1.0
    while bs.checkpointed(error > 1e-8, slots=3):
        y = math.cos(a * x)
        error = abs(y - x)
        x = y
    return x
