import numpy as np

import backsweep as bs


def sums(x, start):
    return np.sum(np.hypot.reduceat(x, start) ** 2)


def fail():
    bs.grad(sums)(np.ones(5), np.array([0, 2]))
