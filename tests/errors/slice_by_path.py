import numpy as np

import backsweep as bs


def one_end(x, first):
    part = slice(0, 2) if first else slice(1, 3)
    return np.sum(x[part])


def fail():
    bs.grad(one_end)(np.ones(3), True)
