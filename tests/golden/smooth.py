"""The example of the design notes: a recurrence along an array, a branch, a store in place."""

import numpy as np

ARGS = (np.array([0.5, -0.2, 0.9, 0.1, 0.7]), 0.6)
WRT = ("x", "w")


def smooth(x, w):
    y = x.copy()
    loss = 0.0
    for i in range(1, y.shape[0]):
        d = y[i] - w * y[i - 1]
        if d > 0.0:
            loss += d * d
        y[i] = np.tanh(d)
    return loss
