"""Stencils: the reverse sweep adds to neighbouring places, which loops of their own may do."""

import numpy as np

from tests.zoo.case import case, matrix, transposed, vector


@case(matrix(4, 5), matrix(4, 5, 1), 2)
@case(matrix(2, 2), matrix(2, 2, 1), 2)
@case(np.empty((0, 0)), np.empty((0, 0)), 2)
@case(transposed(4, 5), matrix(4, 5, 1), 1)
def back_and_forth(a, b, steps):
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = 0.5 * b[i, j] - b[i, j - 1] + 0.1 * b[i - 1, j + 1] - 0.2 * b[i + 1, j]
    return np.sum(a * a) + np.sum(b * b)


@case(vector(6), vector(6, 1))
@case(vector(1), vector(1, 1))
def wrapped_at_the_ends(x, w):
    total = 0.0
    y = np.zeros(x.size)
    for i in range(x.size):
        y[i] = w[i] * x[i] - 2.0 * x[i - 1] + x[i - 2 + 1] * w[i - 1]
    for i in range(x.size):
        total += y[i] * y[i] * w[i]
    return total


@case(vector(7), 3)
def weights_that_are_differentiated(x, steps):
    y = x.copy()
    for _ in range(steps):
        for i in range(1, x.size - 1):
            y[i] = x[i - 1] * x[i] + x[i] * x[i + 1]
        for i in range(1, x.size - 1):
            x[i] = y[i] - 0.5 * y[i + 1] - y[i - 1]
    return np.sum(x * y)


@case(vector(7))
def in_place(x):
    for i in range(1, x.size - 1):
        x[i] = 0.3 * x[i - 1] + 0.2 * x[i] + 0.5 * x[i + 1]
    return np.sum(x * x)


@case(vector(8), vector(8, 1))
def into_two_arrays(x, y):
    u, v = np.zeros(x.size), np.zeros(x.size)
    for i in range(1, x.size - 1):
        u[i] += x[i + 1] - x[i - 1] + y[i]
        v[i] = y[i + 1] - 0.5 * y[i - 1] + x[i] * 3.0
        u[i - 1] = v[i] * 2.0
    return np.sum(u * v)


@case(vector(9))
def even_and_odd(x):
    y = np.zeros(x.size)
    for i in range(1, x.size - 1, 2):
        y[i] = x[i - 1] + 2.0 * x[i + 1]
    for i in range(x.size - 2, 0, -2):
        y[i] -= x[i - 1] * 0.5 - x[i + 1]
    return np.sum(y * y)


@case(matrix(4, 6), 0)
@case(matrix(4, 6), 2)
def rows_of_a_view(a, first):
    part = a[first:]
    b = np.zeros(a.shape)
    for i in range(part.shape[0]):
        row = b[i]
        for j in range(1, a.shape[1] - 1):
            row[j] = part[i, j + 1] - 2.0 * part[i, j] + a[i, j - 1]
    return np.sum(b * b)


@case(vector(8), np.array([0, 3, 3, 1, 6, 2]))
def beside_gathered_places(x, order):
    y = np.zeros(x.size)
    for i in range(order.size):
        y[i] = x[order[i]] - x[order[i] + 1] + x[i] * 0.5 + x[i + 1]
    return np.sum(y * y)


@case(vector(8), 0.7)
def added_to_a_number_too(x, w):
    y = np.zeros(x.size)
    for i in range(1, x.size - 1):
        y[i] = w * (x[i - 1] + x[i + 1]) + w * w * x[i]
    return np.sum(y * y)


@case(vector(8).astype(np.float32))
def in_single_precision(x):
    y = np.zeros(x.size)
    for i in range(1, x.size - 1):
        y[i] = x[i - 1] + x[i + 1] - x[i]
    total = 0.0
    for i in range(x.size):
        total += y[i] * y[i]
    return total
