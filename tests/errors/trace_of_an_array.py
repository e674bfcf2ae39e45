import numpy as np

import backsweep as bs


def doubled(x):
    return 2.0 * x


def fail():
    bs.trace(doubled)(np.ones(3))
