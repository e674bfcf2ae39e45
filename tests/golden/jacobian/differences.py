"""Arrays of two sizes, known when it runs: the mode with fewer sweeps."""

import numpy as np

ARGS = (np.array([0.3, 1.2, 0.7]), 0.5)
WAY = "jacobian"
WRT = ("x",)


def differences(x, h):
    y = np.empty(x.size - 1)
    for i in range(y.size):
        y[i] = np.tanh((x[i + 1] - x[i]) / h)
    return y
