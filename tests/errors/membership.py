import numpy as np

import backsweep as bs


def listed(x, k):
    if k in np.array([1, 3, 5]):
        return x * x
    return x


def fail():
    bs.grad(listed)(1.0, 3)
