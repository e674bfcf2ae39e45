"""A list that grows, and a comprehension."""

import math

import numpy as np

ARGS = (np.array([0.3, 1.2, 0.7]), 0.8, 4)
WRT = ("x", "rate")


def collected(x, rate, n):
    levels = [rate * value for value in x]
    seen = []
    level = 1.0
    for _ in range(n):
        level *= rate
        seen.append(math.sin(level))
    total = 0.0
    for k in range(len(seen)):
        total += seen[k] * levels[k % 3]
    return total
