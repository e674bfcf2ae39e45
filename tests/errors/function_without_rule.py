import numpy as np

import backsweep as bs


def spectral(A):
    return np.sum(np.abs(np.linalg.eig(A)[0]))


def fail():
    bs.grad(spectral)(np.eye(2))
