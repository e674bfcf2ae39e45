import numpy as np

import backsweep as bs


def last(x):
    stack = [value * value for value in x]
    stack.pop()
    return stack[-1]


def fail():
    bs.grad(last)(np.ones(3))
