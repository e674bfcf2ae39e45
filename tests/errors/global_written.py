import numpy as np

import backsweep as bs

LOG = np.zeros(3)


def logged(x):
    LOG[0] = x
    return x * x


def fail():
    bs.grad(logged)(2.0)
