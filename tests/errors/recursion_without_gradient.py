import numpy as np

import backsweep as bs


def halve(a, n):
    if n == 0:
        return a[0]
    a[n] = 0.5 * a[n]
    return halve(a, n - 1)


def cost(x):
    a = x * x
    with bs.no_grad():
        s = halve(a, 2)
    return s * np.sum(a)


def fail():
    bs.grad(cost)(np.ones(3))
