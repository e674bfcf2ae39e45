import numpy as np

import backsweep as bs


def decayed(x):
    s = 0.0
    for i in bs.prange(x.size):
        s = 0.5 * s + x[i]
    return s


def fail():
    bs.cuda(bs.grad(decayed))(np.ones(3))
