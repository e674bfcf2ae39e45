"""Values at which partial derivatives are infinite, where a mask hides them: their adjoints there are zero."""

import numpy as np

from tests.zoo.case import case, vector

SIGNS = np.array([0.7, -0.4, 1.3, -2.0])


@case(SIGNS)
def roots_of_some(x):
    root = np.sqrt(np.maximum(x, 0.0))
    return np.sum(np.where(x > 0.0, root * x, x * x))


@case(SIGNS)
def powers_in_a_loop(x):
    total = 0.0
    for i in range(x.size):
        y = max(x[i], 0.0) ** 0.5
        z = y * x[i]
        total += z if x[i] > 0.0 else x[i]
    return total


@case(SIGNS)
def put_aside(x):
    root = np.sqrt(np.maximum(x, 0.0))
    for i in range(x.size):
        if x[i] < 0.0:
            root[i] = x[i]
    return np.sum(root * x)


@case(np.array([[3.0, 4.0], [0.5, -0.5], [1.0, 0.0]]))
def distances(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            d = x[i] - x[j]
            r = np.sqrt(np.sum(d * d))
            total += r * r * r if i != j else 0.0
    return total


@case(vector(3))
@case(vector(1))
def mask_of_constants_negated(y):
    y *= ~(0.681 > np.ones_like(y))
    y[~(np.ones_like(y) > 0.621)] = 0.621
    return np.sum(y * y)


@case(vector(3))
def choice_by_a_mask_of_constants_negated(y):
    m = np.invert(np.full(y.shape, 2.0) > 0.5)
    return np.sum(y * m) + np.sum(np.where(m, y, 3.0 * y))
