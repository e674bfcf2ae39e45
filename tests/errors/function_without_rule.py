import numpy as np

import backsweep as bs


def powers(A):
    return np.sum(np.vander(A[0]))


def fail():
    bs.grad(powers)(np.eye(2))
