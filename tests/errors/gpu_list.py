import numpy as np

import backsweep as bs


def kept(x):
    s = 0.0
    for i in bs.prange(x.size):
        found = []
        for k in range(i):
            if x[k] > 0.0:
                found.append(x[k])
        for each in found:
            s += each * x[i]
    return s


def fail():
    bs.cuda(bs.grad(kept))(np.ones(3))
