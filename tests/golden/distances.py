"""A pullback of the user's own in a loop: its residual is recorded, and no slope is infinite."""

import numpy as np

import backsweep as bs

ARGS = (np.array([0.5, -0.2, 0.9]), np.array([0.1, 0.7, 0.3]))
WRT = ("x", "y")


@bs.custom_vjp
def root(square):
    return np.sqrt(square)


def root_forward(square):
    length = np.sqrt(square)
    return length, length


def root_backward(length, length_bar):
    return (0.5 * length_bar / max(length, 1e-9),)


root.defvjp(root_forward, root_backward)


def distances(x, y):
    total = 0.0
    for i in range(x.size):
        square = x[i] * x[i] + y[i] * y[i]
        total += root(square) * x[i]
    return total
