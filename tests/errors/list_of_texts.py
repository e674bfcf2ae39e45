import numpy as np

import backsweep as bs


def labelled(x):
    names = []
    for _ in range(2):
        names.append("rate")
    return np.sum(x), names


def fail():
    bs.vjp(labelled, np.ones(3))
