import numpy as np

import backsweep as bs


def solved(a, b):
    s = 0.0
    for i in bs.prange(b.shape[0]):
        s += np.linalg.det(a[i])
    return s


def fail():
    bs.cuda(bs.grad(solved))(np.ones((2, 4, 4)), np.ones((2, 4)))
