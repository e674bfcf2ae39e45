import numpy as np

import backsweep as bs
from backsweep.rules.declare import rule


@rule(np.partition, ndim=(1, None), static=["kth"])
def partition(x, kth):
    y = np.partition(x, kth)
    return y, lambda y_bar: y_bar[np.argsort(np.argpartition(x, kth))]


def smallest(x):
    return np.sum(np.partition(x, 1)[:2])


def fail():
    bs.jvp(smallest, (np.ones(3),), (np.ones(3),))
