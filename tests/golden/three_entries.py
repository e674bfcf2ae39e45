"""Entries that surely are others are written; one that is read twice is written once."""

import numpy as np

ARGS = (np.array([0.4, 1.3, -0.2]),)
WRT = ("x",)


def three_entries(x):
    a = x[0] * x[1]
    b = x[1] * x[2]
    return a / b
