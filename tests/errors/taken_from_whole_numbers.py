import numpy as np

import backsweep as bs


def lowered(x, counts):
    counts[:] -= x
    return np.sum(counts) * x


def fail():
    bs.grad(lowered)(0.5, np.array([1, 2]))
