import numpy as np

import backsweep as bs


def fitted(A, b):
    solution, _, _, _ = np.linalg.lstsq(A, b)
    return solution[0]


def fail():
    bs.grad(fitted)(np.eye(3), np.ones(3))
