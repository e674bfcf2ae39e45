import math

import numpy as np

import backsweep as bs


def spread(x):
    s = 0.0
    for i in bs.prange(x.size):
        row = np.ones(1000)
        for k in range(1, 1000):
            row[k] = math.sin(row[k - 1] * row[k // 2] + x[i])
        s += row[999]
    return s


def fail():
    bs.cuda(bs.grad(spread))(np.ones(3))
