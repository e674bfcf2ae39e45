import numpy as np

import backsweep as bs


@bs.checkpoint
def blend(y, x):
    y[0] = np.sin(x[0])


def blended(x):
    y = x.copy()
    blend(y[1:], y[:-1])
    return y.sum()


def fail():
    bs.grad(blended)(np.ones(3))
