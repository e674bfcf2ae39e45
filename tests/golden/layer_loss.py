"""Array statements around a matrix product."""

import numpy as np

ARGS = (
    np.array([[0.1, -0.4], [0.3, 0.2], [-0.5, 0.6]]),
    np.array([0.7, -0.3]),
    np.array([0.1, 0.0, -0.2]),
    np.array([0.5, 0.1, -0.4]),
)
WRT = ("W", "x", "b")


def layer_loss(W, x, b, target):
    h = np.tanh(W @ x + b)
    return np.sum((h - target) ** 2)
