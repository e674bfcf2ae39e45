import numpy as np

import backsweep as bs


def placed(x, y, index):
    z = x.copy()
    z[index] = y
    return np.sum(z)


def fail():
    bs.grad(placed)(np.ones(3), np.ones((2, 2)), np.array([0, 2]))
