import numpy as np

import backsweep as bs


def labelled(x, label):
    name = label * label
    return np.sum(x) if name else 0.0


def fail():
    bs.grad(labelled)(np.ones(2), "abc")
