import numpy as np

import backsweep as bs


def folded(x, n):
    if n == 0:
        return x
    return np.sin(folded(x, n - 1)) + x


def total(x):
    s = 0.0
    for i in bs.prange(x.size):
        s += folded(x[i], i)
    return s


def fail():
    bs.cuda(bs.grad(total))(np.ones(3))
