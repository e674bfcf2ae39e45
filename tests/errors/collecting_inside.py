import numpy as np

import backsweep as bs


def energy(x):
    u = x * x
    return np.sum(u)


slope = bs.grad(energy, hooks={"u": None}, collect={})


def cost(x):
    return np.sum(slope(x))


def fail():
    bs.grad(cost)(np.ones(2))
