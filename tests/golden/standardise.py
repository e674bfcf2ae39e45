"""Broadcasting and reductions along an axis."""

import numpy as np

ARGS = (np.array([[0.3, 0.8, 0.1], [0.1, 0.4, 0.7], [0.9, 0.2, 0.5], [0.6, 0.3, 0.2]]), np.array([1.0, -0.5, 2.0]))
WRT = ("X", "w")


def standardise(X, w):
    centred = X - np.sum(X, axis=0) / X.shape[0]
    scale = np.sqrt(np.sum(centred * centred, axis=0) + 0.1)
    return np.sum(np.exp(centred / scale) * w)
