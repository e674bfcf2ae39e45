import math

import backsweep as bs


def two_ways(x):
    if x > 0.0:
        f = math.sin
    else:
        f = math.cos
    return f(x)


def fail():
    bs.grad(two_ways)(1.0)
