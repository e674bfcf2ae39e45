import numpy as np

import backsweep as bs


def f(z):
    a = 2.0 * z
    part = a.imag
    a[0] = a[1] * part[2]
    return np.sum(part)


def fail():
    bs.grad(f, wrt="part")(np.array([1.0 + 2.0j, 3.0j, 1.0]))
