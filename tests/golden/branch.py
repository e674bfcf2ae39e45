"""A branch that can be decided again from the arguments."""

import math

ARGS = (0.7, 0.3)
WRT = ("x", "y")


def branch(x, y):
    if x > y:
        z = x * y
        w = math.sin(z)
    else:
        z = x + y
        w = z * z
    return w * z
