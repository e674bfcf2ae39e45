"""Expensive functions of elements that a loop repeats, and those that depend on its iteration or must not run before it."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(matrix(3, 2), matrix(2, 2, 1))
@case(matrix(3, 2)[:0], matrix(1, 1, 1))
def exponentials(points, logs):
    count, width = points.shape
    total = 0.0
    for i in range(count):
        for k in range(2):
            for a in range(width):
                total += np.exp(logs[k, a]) * points[i, a] ** 2
    return total


@case(vector(3), matrix(2, 3))
def between_loops(x, y):
    total = 0.0
    for k in range(y.shape[0]):
        row = y[k]
        for i in range(len(x)):
            for a in range(1, len(row)):
                total += x[i] * np.sin(2.0 * row[a]) + np.log(x[a - 1]) * np.cos(row[0])
    return total


@case(vector(4), vector(4, 1))
def of_the_iteration(x, y):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += np.exp(y[j]) * x[i]
        for j in range(len(y)):
            total += np.exp(y[j] * x[i]) + np.tanh(x[i])
    return total


@case(vector(4), vector(4, 1))
def of_what_changes(x, y):
    own = y.copy()
    total = 0.0
    for i in range(len(x)):
        for j in range(len(own)):
            total += np.exp(own[j]) * x[i]
        own[i] = own[i] * x[i]
    return total


@case(vector(4), vector(4, 1), 3)
@case(vector(4), vector(2, 1), 0)
@case(vector(0), vector(0, 1), 3)
def behind_a_test(x, y, n):
    total = 0.0
    for i in range(len(x)):
        for j in range(n):
            if j < len(y):
                total += np.exp(y[j]) * x[i]
        if x[i] > 0.8:
            break
        for j in range(n):
            total += np.exp(y[j]) * x[i]
    return total


@case(vector(3).astype(np.float32), vector(3, 1).astype(np.float32))
def single_precision(x, y):
    total = np.float32(0.0)
    for i in range(len(x)):
        for j in range(len(y)):
            total += np.exp(y[j]) * x[i] * x[j]
    return total


@case(vector(3), 2)
def in_rounds(x, rounds):
    scale = x[0]
    total = 0.0
    for _ in range(rounds):
        for i in range(len(x)):
            for j in range(len(x)):
                total += np.exp(x[j] * scale) * x[i]
        scale = scale * 0.5 + total * 0.01
    return total
