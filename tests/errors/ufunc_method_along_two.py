import numpy as np

import backsweep as bs


def length(A):
    return np.hypot.reduce(A, axis=(0, 1))


def fail():
    bs.grad(length)(np.ones((2, 3)))
