import numpy as np

import backsweep as bs


def best_of(x):
    best = None
    for value in x:
        if best is None or value > best:
            best = value * value
    return best


def fail():
    bs.grad(best_of)(np.ones(3))
