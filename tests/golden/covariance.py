"""A mean over an axis, which is broadcast, and a product of a matrix with its transpose."""

import numpy as np

ARGS = (np.array([[1.0, 0.2, -0.4], [0.3, -1.1, 0.8], [0.7, 0.5, 0.1], [-0.2, 0.9, 1.3]]),)
WRT = ("data",)


def covariance(data):
    count = data.shape[0]
    centred = data - np.sum(data, axis=0) / count
    spread = centred.T @ centred / (count - 1.0)
    return np.sum(spread * spread)
