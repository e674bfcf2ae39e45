"""Scratch arrays whose elements could be computed where they are read, and those for which that would be wrong."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(matrix(3, 4), 0.7)
def read_once(a, t):
    rows, columns = a.shape
    out = np.empty((rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = a[i, j] * t
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += out[i, j] * out[i, j]
    return total


@case(vector(5), vector(5, 1))
def read_at_neighbours(x, w):
    n = len(x)
    products, shifted = np.empty(n), np.empty(n)
    for i in range(n):
        products[i] = x[i] * w[i]
    for i in range(n):
        shifted[i] = x[i] - 0.5
    total = 0.0
    for i in range(n - 1):
        total += products[i + 1] * shifted[n - 1 - i]
    return total


@case(vector(4), 3)
def filled_at_the_end_of_a_round(x, rounds):
    kept = np.zeros(len(x))
    total = 0.0
    for t in range(rounds):
        for i in range(len(x)):
            total += kept[i] * kept[i] * (t + 1.0)
        for i in range(len(x)):
            kept[i] = x[i] * (t + 2.0)
    return total


@case(vector(4), 3)
def filled_in_each_round(x, rounds):
    kept = np.zeros(len(x))
    total = 0.0
    for t in range(rounds):
        for i in range(len(x)):
            kept[i] = x[i] * (t + 2.0)
        for i in range(len(x)):
            total += kept[i] * kept[i] * x[i]
    return total


@case(vector(5))
def filled_in_part(x):
    n = len(x)
    part, odd, last = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(1, n):
        part[i] = x[i] * 2.0
    for i in range(1, n, 2):
        odd[i] = x[i] * 3.0
    for i in range(n):
        if x[i] > 0.6:
            last[i] = x[i] * 4.0
    total = 0.0
    for i in range(n):
        total += part[i] * part[i] + odd[i] * odd[i] * part[-1]
    for i in range(n):
        total += last[i] * last[i]
    return total


@case(vector(5))
def filled_until_a_break(x):
    part = np.ones(len(x))
    for i in range(len(x)):
        part[i] = x[i] * 2.0
        if i == 2:
            break
    total = 0.0
    for i in range(len(x)):
        total += part[i] * part[i]
    return total


@case(vector(4), vector(3, 1))
def filled_several_times(x, y):
    last, sums = np.empty(len(x)), np.empty(len(x))
    for j in range(len(y)):
        for i in range(len(x)):
            last[i] = x[i] * y[j]
    running = 0.0
    for i in range(len(x)):
        running += x[i]
        sums[i] = running * 2.0
    total = 0.0
    for i in range(len(x)):
        total += last[i] * last[i] + sums[i] * sums[i]
    return total


@case(vector(4))
def of_memory_that_changes(x):
    own = x.copy()
    doubled = np.empty(len(x))
    for i in range(len(x)):
        doubled[i] = own[i] * 2.0
    for i in range(len(x)):
        own[i] = own[i] * own[i]
    total = 0.0
    for i in range(len(x)):
        total += doubled[i] * doubled[i] * own[i]
    return total


@case(matrix(3, 3), vector(3))
def read_in_another_order(a, x):
    n = len(x)
    scaled = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            scaled[i, j] = a[i, j] * x[j]
    total = 0.0
    for i in range(n):
        for j in range(i):
            total += scaled[j, i] * scaled[j, i] * x[i]
    return total


@case(matrix(3, 4), 0.7)
def added_to_zeros(a, t):
    """What is added to zeros is stored; what several rounds add is not."""
    rows, columns = a.shape
    once, often = np.zeros((rows, columns)), np.zeros(columns)
    for i in range(rows):
        for j in range(columns):
            once[i, j] += a[i, j] * t
            often[j] += a[i, j] * a[i, j]
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += once[i, j] * once[i, j] * often[j]
    return total


@case(vector(5), 0.3, 2)
def added_to_known_elements(x, t, k):
    """An element that is added to is read: in the same round, behind a branch, and under another subscript."""
    own = x.copy()
    total = 0.0
    for i in range(len(x)):
        own[i] = t * x[i]
        own[i] += x[i] * x[i]
        own[i] -= total
        total += own[i] * own[i]
        if i > 1:
            own[i] += t
            own[k] += x[i]
        total += own[i] * own[k]
        own[k] *= t
    return total
