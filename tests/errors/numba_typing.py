import numpy as np

import backsweep as bs


def mixed(x):
    y = x * 2.0
    return y + "1"


def fail():
    bs.grad(mixed)(np.ones(3))
