import math

import numpy as np

import backsweep as bs


def spread(x):
    s = 0.0
    for i in bs.prange(x.size):
        row = np.ones(i + 1)
        for k in range(1, i + 1):
            row[k] = math.sin(row[k - 1] * row[k // 2] + x[i])
        s += row[i]
    return s


def fail():
    bs.cuda(bs.grad(spread))(np.ones(3))
