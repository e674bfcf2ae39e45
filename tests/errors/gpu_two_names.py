import numpy as np

import backsweep as bs


def running(x):
    y = np.empty(x.size)
    for i in bs.prange(x.size):
        y[i] = np.sin(x[i])
    later = y[1:]
    for i in range(later.size):
        y[i] = 0.5 * y[i] * later[i]
    return y[0]


def fail():
    bs.cuda(bs.grad(running))(np.ones(3))
