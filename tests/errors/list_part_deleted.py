import numpy as np

import backsweep as bs


def odd(x):
    stack = [value * value for value in x]
    del stack[::2]
    return stack[-1]


def fail():
    bs.grad(odd)(np.ones(3))
