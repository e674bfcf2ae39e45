import itertools

import numpy as np

import backsweep as bs


def triples(x):
    total = 0.0
    for i, j, k in itertools.combinations(range(x.size), 3):
        total += x[i] * x[j] * x[k]
    return total


def fail():
    bs.grad(triples)(np.ones(3))
