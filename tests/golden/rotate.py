"""Tuples: returned by a callee, unpacked, swapped."""

import math

ARGS = ((0.6, 0.8), 0.3)
WRT = ("point", "angle")


def turned(x, y, angle):
    c, s = math.cos(angle), math.sin(angle)
    return c * x - s * y, s * x + c * y


def rotate(point, angle):
    x, y = point
    for k in range(3):
        x, y = turned(x, y, angle)
        x, y = y, x
    return x * x * y
