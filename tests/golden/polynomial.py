"""Horner's scheme: a loop that runs backwards, an integer power, a conditional expression."""

import numpy as np

ARGS = (np.array([0.3, -0.8, 0.5, 1.2]), 0.6)
WRT = ("coefficients", "x")


def polynomial(coefficients, x):
    p = 0.0
    for k in range(coefficients.size - 1, -1, -1):
        p = p * x + coefficients[k]
    q = p if p > 0.0 else -p
    return q**3
