"""Loops around loops whose iterations keep records to themselves, and those whose records other iterations read."""

import numpy as np

from tests.zoo.case import case, matrix, vector


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


def in_columns(rows, columns):
    return np.asfortranarray(np.arange(1.0, rows * columns + 1.0).reshape(rows, columns) * 0.3)


@case(in_columns(2, 3))
@case(in_columns(3, 2).T)
def cells_in_the_order_of_memory(a):
    s, weight = 0.0, 1.0
    for cell in np.nditer(a):
        s += weight * cell.item() ** 2
        weight += 0.5
    return s


@case(in_columns(2, 3), vector(3), 0.7)
@case(in_columns(2, 3), in_columns(3, 2).T, 0.7)
@case(vector(3), in_columns(2, 3), 0.7)
@case(vector(3), vector(3), 0.7)
def cells_of_several(a, b, w):
    s, weight = 0.0, 1.0
    for one, other, number in np.nditer((a, b, w)):
        s += weight * one.item() ** 2 * np.sin(other.item()) * number.item()
        weight += 0.5
    return s
