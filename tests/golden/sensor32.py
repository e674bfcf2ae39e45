"""Arrays in single precision: no ones to multiply by, no conversions that convert nothing."""

import numpy as np

ARGS = (np.array([0.2, 1.1, -0.4], np.float32), np.array([1.5, 2.0, 3.5], np.float32))
WRT = ("x", "y")


def sensor32(x, y):
    z = x / y
    return np.sum(-z * np.exp(-z))
