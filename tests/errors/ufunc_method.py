import numpy as np

import backsweep as bs


def histogram(weights, bins):
    total = np.zeros(4)
    np.arctan2.at(total, bins, weights)
    return np.sum(total * total)


def fail():
    bs.grad(histogram)(np.ones(3), np.array([0, 2, 2]))
