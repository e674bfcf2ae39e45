import numpy as np

import backsweep as bs


def bounded(adjoint):
    return np.clip(adjoint, -1.0, 1.0)


def steps(x):
    u = bs.hook(x * x, bounded)
    return u[1:] - u[:-1]


def fail():
    bs.jacobian(steps, sparse=True)(np.array([1.0, 2.0, 4.0]))
