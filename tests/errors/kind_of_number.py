import numpy as np

import backsweep as bs


def squares(x):
    if isinstance(x[0], np.floating):
        return np.sum(x * x)
    return 0.0


def fail():
    bs.grad(squares)(np.ones(3))
