import numpy as np

import backsweep as bs


def powers(x):
    found = [[value, value * value] for value in x]
    return found


def fail():
    bs.vjp(powers, np.ones(3))
