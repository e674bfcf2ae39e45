import numpy as np

import backsweep as bs


def rows(x):
    found = []
    for i in range(3):
        found.append((i, x * i))
    return found


def fail():
    bs.vjp(rows, np.ones(3))
