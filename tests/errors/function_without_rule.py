import numpy as np

import backsweep as bs


def windows(v):
    return np.sum(np.lib.stride_tricks.as_strided(v, (2, 2, 1), (8, 8, 8)))


def fail():
    bs.grad(windows)(np.ones(3))
