"""Elements that a loop reads again and again: the reverse sweep adds to one place in each iteration."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(4), 3)
@case(vector(1), 3)
@case(vector(0), 0)
def first_element_of_an_array_that_may_be_empty(p, steps):
    total = 1.0
    for t in range(steps):
        total += np.sin(p[0] * total) * t + p[-1] * total
    return total


@case(vector(5))
@case(vector(1))
@case(vector(0))
def own_element_and_every_other(x):
    total = 0.0
    for i in range(x.size):
        for j in range(i, x.size):
            total += x[i] * x[j] * x[i - j]
    return total


@case(vector(5), matrix(3, 5))
def on_one_side_of_a_branch(x, a):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > 0.5:
                total += x[i] * a[i, j]
            total *= 1.0 + 0.1 * x[0] * x[i]
    return total


@case(vector(3), vector(20))
def element_read_and_written(x, w):
    for k in range(w.size):
        x[1] = x[0] * w[k] + 0.5 * x[1] * x[2]
        x[2] += w[k] * x[0]
    return x[1] + x[2]


@case(vector(4), np.array([1, 3, 3, 0, 2, 1, 1, 0, 3, 2]), 3)
def chosen_by_an_index_array(x, order, row):
    total = 0.0
    for k in order:
        for j in range(order.size):
            total += x[k] * x[order[j]] * x[row]
    return total


@case(vector(6), 4, 0)
@case(vector(6), 0, 4)
def runs_down(x, first, last):
    total = 0.0
    for i in range(first, last, -1):
        total = total * x[2] + x[i] * x[3]
    return total


@case(vector(12), 0.5)
def left_early(x, limit):
    total = 0.0
    for i in range(x.size):
        total += x[i] * x[1] * x[0]
        if total > limit:
            break
    return total


@case(vector(3), matrix(10, 3), 1.0 + 0.5j)
def complex_elements(x, a, z):
    w = x * z
    total = 0.0 * z
    for i in range(a.shape[0]):
        total += w[0] * a[i, 1] * total + w[2] * a[i, 0]
    return np.abs(total)


@case(vector(3).astype(np.float32), vector(12))
def single_precision_elements(x, w):
    total = 0.0
    for k in range(w.size):
        total += x[1] * w[k]
    return total


@case(matrix(3, 3))
def through_a_row(a):
    total = 0.0
    for i in range(a.shape[0]):
        row = a[i]
        for j in range(a.shape[1]):
            for k in range(a.shape[1]):
                total += row[j] * row[k] * a[0, k] * row[0]
    return total
