"""A layer in single precision: what is stored is rounded by the store."""

import numpy as np

ARGS = (np.array([0.2, 1.1], np.float32), np.array([[0.5, 0.1], [0.3, -0.2], [1.0, 0.7]], np.float32))
WRT = ("x", "w")


def layer32(x, w):
    h = np.tanh(w @ x)
    loss = np.float32(0.0)
    for i in range(h.shape[0]):
        loss -= np.float32(0.5) * h[i] * h[i]
    return loss
