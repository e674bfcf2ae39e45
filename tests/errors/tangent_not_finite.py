import math

import backsweep as bs


def distance(x, y):
    s = x * x + y * y
    return math.sqrt(s)


def fail():
    bs.jvp(distance, (0.0, 0.0), (1.0, 0.0), debug_nan=True, strong_zeros=False)
