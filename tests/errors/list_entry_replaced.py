import numpy as np

import backsweep as bs


def rows(x):
    found = []
    for i in range(3):
        found.append(x * i)
    found[1] = x
    return np.sum(found[2] * found[1])


def fail():
    bs.grad(rows)(np.ones(3))
