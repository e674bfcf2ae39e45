import itertools

import numpy as np

import backsweep as bs


def of_five(x):
    total = 0.0
    for i, j, k, m, n in itertools.combinations(range(x.size), 5):
        total += x[i] * x[j] * x[k] * x[m] * x[n]
    return total


def fail():
    bs.grad(of_five)(np.ones(6))
