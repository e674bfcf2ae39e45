"""Nests whose additions run across rows of memory: their adjoints run along them, and the rest in a loop of its own."""

import numpy as np

from tests.zoo.case import case, matrix, transposed, vector, window


@case(matrix(3, 4), vector(3), vector(4))
@case(transposed(3, 4), vector(3), vector(4))
@case(window(3, 4), vector(3), vector(4))
@case(matrix(0, 4), vector(0), vector(4))
@case(matrix(3, 0), vector(3), vector(0))
def units(w, x, b):
    y = np.empty(b.size)
    for j in range(b.size):
        total = b[j]
        for k in range(x.size):
            total += w[k, j] * x[k]
        y[j] = max(np.tanh(total), 0.1)
    return y @ y


@case(matrix(4, 3), vector(3))
def carried_from_column_to_column(w, b):
    last = 0.3
    total = 0.0
    for j in range(b.size - 1, -1, -1):
        s = np.sin(b[j] * last)
        for k in range(w.shape[0]):
            s += w[k, j] * last
        last = s / (1.0 + s * s)
        total += last * b[j]
    return total


@case(matrix(5, 3))
def pairs_of_columns(a):
    total = 0.0
    for i in range(a.shape[1]):
        for j in range(i, a.shape[1]):
            entry = 0.0
            for k in range(a.shape[0]):
                entry += a[k, i] * a[k, j]
            total += entry**2 if i == j else 2.0 * entry
    return total


@case(matrix(5, 4), matrix(2, 3))
def windows(image, weights):
    total = 0.0
    for c in range(weights.shape[1]):
        for i in range(image.shape[0] - 1):
            for j in range(image.shape[1] - 1):
                s = 0.0
                for k in range(2):
                    s += image[i + k, j] * weights[k, c]
                total += s * s * (c + 1)
    return total


@case(matrix(2, 3), matrix(3, 4), np.array([4, 0, 2, 0, 0]))
def rows_beyond_the_last_in_loops_that_do_not_run(x, w, counts):
    total = 0.0
    for i in range(counts.size):
        for j in range(counts[i]):
            s = 0.0
            for k in range(len(x[i // 2])):
                s += x[i // 2][k] * w[k, j]
            total += np.sin(s)
    return total


@case(matrix(3, 4), vector(3))
def new_in_each_iteration(w, x):
    total = 0.0
    for j in range(w.shape[1]):
        z = np.zeros_like(x)
        for k in range(x.size):
            z[k] = w[k, j] * x[k]
        for k in range(x.size):
            total += np.sin(z[k]) * w[k, j]
    return total


@case(matrix(3, 4), vector(3))
def the_sum_is_read_by_the_next_column(w, x):
    x = x.copy()
    total = 0.0
    for j in range(w.shape[1]):
        s = x[0]
        for k in range(x.size):
            x[k] += w[k, j] * s
        total += x[0] * x[1]
    return total


@case(matrix(3, 4).astype(np.float32), vector(3).astype(np.float32))
def of_single_precision(w, x):
    total = np.float32(0.0)
    for j in range(w.shape[1]):
        s = np.float32(0.0)
        for k in range(x.size):
            s += w[k, j] * x[k]
        total += s * s
    return total
