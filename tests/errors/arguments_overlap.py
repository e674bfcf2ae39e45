import numpy as np

import backsweep as bs


def shifted(x, y):
    x[1:] = 2.0 * y[:-1]
    return np.sum(x * x)


def fail():
    both = np.arange(5.0)
    bs.grad(shifted, argnums=(0, 1), jit=False)(both[:4], both[1:])
