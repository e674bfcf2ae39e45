import math

import backsweep as bs


def sums(x, n):
    total = 0.0
    for i in range(n):
        total += math.sin(x * i)
    return total


def fail():
    bs.trace(sums)(0.5, 10_000_000)
