import numpy as np

import backsweep as bs


def misspelt(x):
    return np.tnah(x)


def fail():
    bs.grad(misspelt)(1.0)
