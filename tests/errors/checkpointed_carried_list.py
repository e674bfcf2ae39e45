import numpy as np

import backsweep as bs


def exchanged(x, n):
    one, other = [x], [2.0 * x]
    for _ in bs.checkpointed(range(n), slots=3):
        one, other = other, one
    return np.sum(one[0] * other[0])


def fail():
    bs.grad(exchanged)(np.ones(2), 3)
