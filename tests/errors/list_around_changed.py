import numpy as np

import backsweep as bs

NEIGHBOURS = [[1, 2], [0], [2, 1, 0]]


def grown(x):
    total = 0.0
    for i in range(x.size):
        NEIGHBOURS[i].append(1)
        total += x[NEIGHBOURS[i][-1]]
    return total


def fail():
    bs.grad(grown)(np.ones(3))
