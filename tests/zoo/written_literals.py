"""Arrays of literals that are written to later, with what has a derivative."""

import numpy as np

from tests.zoo.case import case, vector


@case(vector(3))
def element(x):
    u = np.array([1.0, 0, 0])
    u[1] = x[0] * x[1]
    return np.sum(u * u) + x[2]


@case(vector(3))
def in_place(x):
    u = np.array([1.0, 0.0, 0.5])
    u -= (u @ x) * x
    return np.sum(u * x)


@case(vector(2))
def rows(x):
    u = np.array(((1.0, 2.0), (3.0, 4.0)))
    v = u[1]
    v *= x
    return np.sum(u * u)


@case(0.7)
def read_only(x):
    u = np.array([1.0, 2.0])
    return x * u[1]


@case(vector(2))
@case(-vector(2))
def one_of_two(x):
    if x[0] < 0.0:
        u = np.array([0, 1, 2.0], dtype=np.float64)
    else:
        u = np.append(2.0 * x, x[0])
    return np.sum(u * u) * x[1]
