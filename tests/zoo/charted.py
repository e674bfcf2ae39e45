"""Loops that read in one array where to go in others: both sweeps of an iteration run at once, or must not."""

import math

import numpy as np

from tests.zoo.case import case, strided, vector

STARTS = np.array([0, 2, 2, 5])
COLUMNS = np.array([1, 3, 0, 3, 3])
NO_ROWS = np.zeros(1, np.int64)
NOWHERE = np.zeros(0, np.int64)
EDGES = np.array([2, 0, 1, 2, 2])
NEXT = np.array([1, 2, 3, 4, 4])


@case(STARTS, COLUMNS, vector(5), vector(4, 1))
@case(STARTS, COLUMNS, strided(5), strided(4))
@case(NO_ROWS, NOWHERE, vector(0), vector(4, 1))
def sparse_product(starts, columns, values, x):
    y = np.empty(starts.size - 1)
    for i in range(y.size):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += values[k] * x[columns[k]]
        y[i] = total
    return np.sum(y * y)


@case(STARTS, COLUMNS, vector(5), vector(4, 1))
def two_results_of_a_row(starts, columns, values, x):
    n = starts.size - 1
    y = np.zeros((n, 2))
    for i in range(n):
        for k in range(starts[i], starts[i + 1]):
            y[i, 0] += values[k] * x[columns[k]]
            y[i, 1] += values[k] * values[k] * math.sin(x[columns[k]])
    total = 0.0
    for i in range(n):
        total += y[i, 0] * y[i, 1]
    return total


@case(vector(5), vector(5, 1), EDGES)
@case(vector(0), vector(3, 1), NOWHERE)
def scattered_then_read(x, y, edges):
    force = np.zeros(3)
    for k in range(edges.size):
        force[edges[k]] += x[k] * y[edges[k]]
    total = 0.0
    for k in range(edges.size):
        total += force[edges[k]] * x[k]
    return total + np.sum(force * force)


@case(vector(5), NEXT)
def read_of_the_row_before(x, places):
    n = places.size
    y = np.empty(n)
    for i in range(n):
        y[i] = x[places[i]] * x[i]
    total = 0.0
    for i in range(1, n):
        total += y[i] * y[i - 1]
    return total


@case(vector(5), NEXT)
def read_of_the_row_after(x, places):
    n = places.size
    y = np.zeros(n + 1)
    for i in range(n):
        y[i] = x[places[i]] ** 2
    total = 0.0
    for i in range(n):
        total += x[places[i]] * y[i] * y[i + 1]
    return total


@case(vector(5), NEXT)
def read_backwards(x, places):
    n = places.size
    y = np.zeros(n)
    for i in range(n):
        y[i] = x[places[i]] ** 2
    total = 0.0
    for i in range(n):
        total += x[places[i]] * y[n - 1 - i]
    return total


@case(vector(5), NEXT)
def sum_needed_by_all(x, places):
    total = 0.0
    for i in range(places.size):
        total += math.exp(x[places[i]])
    share = 0.0
    for i in range(places.size):
        share += math.exp(x[places[i]]) / total * x[i]
    return share + math.log(total)


@case(vector(5), NEXT)
def product_carried(x, places):
    product = 1.0
    for i in range(places.size):
        product *= x[places[i]]
    return product


@case(vector(5), NEXT)
def written_between(x, places):
    x = x.copy()
    total = 0.0
    for i in range(places.size):
        total += x[places[i]] ** 3
    x[2] = total
    for i in range(places.size):
        total += x[places[i]] ** 2
    return total


@case(vector(5), NEXT)
def cleared_between(x, places):
    y = x * x
    total = 0.0
    for i in range(places.size):
        total += y[places[i]] * x[i]
    y[:] = x
    for i in range(places.size):
        total += y[places[i]] ** 2 * x[i]
    return total


@case(vector(5), vector(5, 1), NEXT)
def read_and_overwritten(x, w, places):
    y = x * 1.0
    total = 0.0
    for i in range(places.size):
        total += y[places[i]] * y[i]
        y[i] = w[places[i]] * total
    for i in range(places.size):
        total += y[i] ** 2
    return total


@case(vector(5), NEXT)
def other_ranges(x, places):
    n = places.size
    y = np.zeros(n + 1)
    for i in range(n):
        y[i] = x[places[i]] ** 2
    total = 0.0
    for i in range(n - 1):
        total += x[places[i]] * y[i] ** 2
    return total + y[n - 1]


@case(vector(5), NEXT)
def places_computed_before(x, places):
    n = places.size
    shifted = np.empty(n, np.int64)
    for i in range(n):
        shifted[places[i]] = (places[i] + 1) % n
        shifted[i] = places[i]
    total = 0.0
    for i in range(n):
        total += x[shifted[i]] ** 2 * x[i]
    return total


@case(vector(5), vector(5, 1), NEXT)
def every_row_makes_a_buffer(x, w, places):
    total = 0.0
    for i in range(places.size):
        row = np.zeros(3)
        for j in range(3):
            row[j] = x[places[i]] * w[j] + math.exp(w[places[i]])
        total += np.sum(row * row * row)
    return total


@case(vector(5), vector(5, 1), NEXT)
def one_buffer_for_all_rows(x, w, places):
    row = np.zeros(3)
    total = 0.0
    for i in range(places.size):
        for j in range(3):
            row[j] = row[j] * 0.5 + x[places[i]] * w[j]
        for j in range(3):
            total += row[j] ** 3 * w[places[i]]
    return total


@case(vector(5), vector(5, 1), NEXT)
def if_of_each_row(x, w, places):
    y = np.zeros(places.size)
    for i in range(places.size):
        if x[places[i]] > w[i]:
            y[i] = x[places[i]] ** 2
        elif i > 1:
            y[i - 1] = w[places[i]] * x[i]
    return np.sum(y * y * y)
