import numpy as np

import backsweep as bs


def blend(a, b, n):
    if n == 0:
        return a[0] * b[0]
    a[0] *= b[1]
    return blend(a, b, n - 1)


def mixed(x):
    a = 2.0 * x
    return blend(a, a[1:], 2)


def fail():
    bs.grad(mixed)(np.array([0.3, 0.5, 0.7]))
