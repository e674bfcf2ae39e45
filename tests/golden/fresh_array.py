"""A new array in every iteration."""

import numpy as np

ARGS = (np.array([0.3, 0.8, 0.1]), np.array([[0.2, 0.5, -0.1], [0.4, -0.3, 0.6], [0.1, 0.2, 0.7]]), 3)
WRT = ("h", "W")


def fresh_array(h, W, steps):
    for t in range(steps):
        z = W @ h
        h = np.tanh(z)
    return np.sum(h)
