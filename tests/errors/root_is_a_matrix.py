import numpy as np

import backsweep as bs

inverse = bs.root(lambda a: np.linalg.inv(a), lambda x, a: a @ x - np.eye(2))


def cost(a):
    x = inverse(a)
    return np.sum(x)


def fail():
    bs.grad(cost)(np.eye(2))
