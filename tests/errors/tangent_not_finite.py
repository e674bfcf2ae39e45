import math

import backsweep as bs


def geometric_mean(x, y):
    s = x * y
    return math.sqrt(s)


def fail():
    bs.jvp(geometric_mean, (0.0, 0.0), (1.0, 0.0), debug_nan=True, strong_zeros=False)
