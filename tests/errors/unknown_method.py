import numpy as np

import backsweep as bs


def chained(x):
    return x.searchsorted(0.5) * x[0]


def fail():
    bs.grad(chained)(np.ones(3))
