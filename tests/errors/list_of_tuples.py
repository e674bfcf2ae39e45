import numpy as np

import backsweep as bs


def pairs(x):
    found = []
    for i in range(3):
        found.append((x[i], x[i] * i))
    return found[2][0] * found[1][1]


def fail():
    bs.grad(pairs)(np.ones(3))
