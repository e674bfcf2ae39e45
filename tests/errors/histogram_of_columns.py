import numpy as np

import backsweep as bs


def counts(x, w):
    return np.histogramdd(x, bins=2, weights=w)[0]


def fail():
    bs.vjp(counts, np.ones((3, 2)), np.ones(3))
