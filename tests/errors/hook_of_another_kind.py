import numpy as np

import backsweep as bs


def cost(x):
    u = bs.hook(x * x, np.sum)
    return np.sum(u)


def fail():
    bs.grad(cost)(np.ones(3))
