"""Loops around loops whose iterations keep records to themselves, and those whose records other iterations read."""

import numpy as np

from tests.zoo.case import case, matrix


@case(matrix(3, 4), matrix(3, 4, 1))
def recurrences(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        side = np.empty(a.shape[1])
        factor = 0.5
        for k in range(a.shape[1]):
            factor = b[i, k] / (1.0 + factor * a[i, k])
            side[k] = factor * a[i, k]
        solved = 0.0
        for k in range(a.shape[1] - 1, -1, -1):
            solved = side[k] - factor * solved * a[i, k]
            total += solved**2
    return total


@case(matrix(3, 4))
def product_of_rows(a):
    total = 1.0
    for i in range(a.shape[0]):
        row = 0.0
        for k in range(a.shape[1]):
            row = np.sin(row + a[i, k])
        total *= row
    return total


@case(matrix(3, 4))
def kept_rows(a):
    kept = np.empty(a.shape)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            kept[i, k] = np.sin(a[i, k])
    total = 0.0
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            total += kept[i, k] * kept[a.shape[0] - 1 - i, k]
    return total


@case(matrix(3, 4))
def rows_of_the_next(a):
    total = 0.0
    own = a.copy()
    for i in range(a.shape[0] - 1):
        for k in range(a.shape[1]):
            own[i + 1, k] *= own[i, k]
            total += own[i + 1, k] ** 2
    return total
