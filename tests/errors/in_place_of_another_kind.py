import numpy as np

import backsweep as bs


def scaled(x, counts):
    weights = counts.copy()
    weights *= 0.5
    return np.sum(weights * x)


def fail():
    bs.grad(scaled)(np.ones(3), np.array([1, 2, 3]))
