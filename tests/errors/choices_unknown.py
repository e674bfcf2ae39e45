import itertools

import numpy as np

import backsweep as bs


def of_four(x):
    total = 0.0
    for i, j, k, m in itertools.combinations(range(x.size), 4):
        total += x[i] * x[j] * x[k] * x[m]
    return total


def fail():
    bs.grad(of_four)(np.ones(4))
