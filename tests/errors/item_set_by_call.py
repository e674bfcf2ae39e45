import operator

import numpy as np

import backsweep as bs


def set_and_summed(v, x):
    a = v.copy()
    return np.sum(a * a) if operator.setitem(a, 1, x) is None else x


def fail():
    bs.grad(set_and_summed, argnums=(0, 1))(np.ones(3), 2.0)
