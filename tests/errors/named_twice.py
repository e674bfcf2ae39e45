import numpy as np

import backsweep as bs


def cost(weights, rate):
    scaled = weights * rate
    squares = scaled * scaled
    return np.sum(squares)


def fail():
    bs.grad(cost, wrt=("weights", "weights"))(np.ones(2), 0.5)
