"""A gated cell over a sequence: many records of one shape share an array; a sigmoid's adjoint reads the sigmoid, and near one its exponential."""

import numpy as np

ARGS = (np.array([0.4, -0.3, 0.8]), np.array([0.1, 0.5, -0.2, 0.7]))
WRT = ("w",)


def gated(w, x):
    hidden, cell = 0.0, 0.0
    for t in range(x.size):
        gate = 1.0 / (1.0 + np.exp(-(w[0] * x[t] + hidden)))
        change = np.tanh(w[1] * hidden + x[t])
        cell = gate * cell + change * change
        hidden = gate * np.tanh(w[2] * cell)
    return hidden
