import numpy as np

import backsweep as bs


def fitted(A):
    values, _ = np.linalg.eig(A)
    return values[0]


def fail():
    bs.grad(fitted)(np.eye(3))
