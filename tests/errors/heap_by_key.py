import heapq

import numpy as np

import backsweep as bs


def least(x):
    return heapq.nsmallest(1, x, key=abs)[0] ** 2


def fail():
    bs.grad(least)(np.ones(3))
