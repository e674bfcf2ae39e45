import numpy as np

import backsweep as bs


def mean_of(first, second, third):
    return (first + second + third) / 3.0


def of_sides(x, y):
    return mean_of(*x, *y)


def fail():
    bs.grad(of_sides)(np.ones(2), np.ones(1))
