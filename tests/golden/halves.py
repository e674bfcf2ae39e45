"""A function that calls itself: it and its adjoint stay functions."""

import math

import numpy as np

ARGS = (np.array([0.3, 0.7, 0.1, 0.4, 0.9]), 0, 5)
WRT = ("x",)


def halves(x, low, high):
    if high - low == 1:
        return x[low]
    middle = (low + high) // 2
    left = halves(x, low, middle)
    right = halves(x, middle, high)
    top = max(left, right)
    return top + math.log(math.exp(left - top) + math.exp(right - top))
