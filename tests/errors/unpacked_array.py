import numpy as np

import backsweep as bs


def mean_of(first, *rest):
    return first / (1 + len(rest))


def of_sides(x):
    return mean_of(*x)


def fail():
    bs.grad(of_sides)(np.ones(3))
