import numpy as np

import backsweep as bs


def cost(x, rate):
    return x * rate


def fail():
    bs.batch(cost)(np.ones(3), 0.5)
