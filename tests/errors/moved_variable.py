import numpy as np

import backsweep as bs


def cost(x):
    u = x * 2.0
    return np.sum(u * u)


def fail():
    x = np.ones(2)
    bs.hvp(cost, wrt="u")((x,), (x,))
