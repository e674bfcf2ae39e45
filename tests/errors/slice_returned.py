import numpy as np

import backsweep as bs


def where(x):
    return x[0], slice(0, 2)


def fail():
    bs.vjp(where, np.ones(3), has_aux=True)
