import numpy as np

import backsweep as bs


def inverse_root(x):
    bits = 0x5FE6EB50C7B537A9 - (x.view(np.int64) >> 1)
    y = bits.view(np.float64)
    return np.sum(y * (1.5 - 0.5 * x * y * y))


def fail():
    bs.grad(inverse_root)(np.ones(3))
