import numpy as np

import backsweep as bs


def cost(pair):
    return np.sum(pair[0]) * pair[1]


def fail():
    bs.grad(cost)((np.ones(3, np.float16), 1.0))
