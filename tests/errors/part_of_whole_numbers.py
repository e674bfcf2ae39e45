import numpy as np

import backsweep as bs


def halved(x, counts):
    counts[0] *= x
    return np.sum(counts[0]) * x


def fail():
    bs.grad(halved)(0.5, np.array([[1, 2], [3, 4]]))
