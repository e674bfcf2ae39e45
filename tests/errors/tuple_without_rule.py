import numpy as np

import backsweep as bs


def leading(A):
    values, _ = np.linalg.eigh(A)
    return values[-1]


def fail():
    bs.grad(leading)(np.eye(3))
