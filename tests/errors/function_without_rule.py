import numpy as np

import backsweep as bs


def powers(A):
    return np.sum(np.linalg.eigvals(A))


def fail():
    bs.grad(powers)(np.eye(2))
