import numpy as np

import backsweep as bs


def squares(x):
    found = [value * value for value in x]
    return found


def fail():
    bs.vjp(squares, np.ones(3))
