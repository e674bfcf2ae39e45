"""Running maxima and minima: a loop that carries the best number so far."""

import math

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(6), 0.7)
@case(np.array([3.0, 2.0, 1.0]), 0.7)
@case(np.zeros(0), 0.7)
def largest(x, w):
    top = w
    for j in range(len(x)):
        top = max(top, x[j] * w)
    return top * w


@case(vector(6))
def largest_and_smallest(x):
    top, low = -math.inf, math.inf
    for v in x:
        top = max(v * v, top)
        low = min(low, math.sin(v))
    return top - 2.0 * low


@case(matrix(3, 4))
def of_each_row(a):
    total = 0.0
    for i in range(a.shape[0]):
        top = a[i, 0]
        for j in range(1, a.shape[1]):
            if a[i, j] > top:
                top = a[i, j]
        for j in range(a.shape[1]):
            total += math.exp(a[i, j] - top)
    return total


@case(vector(6), vector(6))
def with_its_place(x, y):
    best, value, low = 0, y[0], x[0]
    for j in range(1, len(x)):
        if x[j] < low:
            low = x[j]
            best = j
            value = y[j] * x[j]
    return low * value * y[best]


@case(vector(6))
def kept_unless(x):
    low = x[0]
    for j in range(-2, len(x)):
        if low <= x[j]:
            pass
        else:
            low = 2.0 * x[j]
    return low


@case(vector(6), 3)
def until_it_is_large(x, n):
    top, j = 0.0, 0
    while top < 10.0 and j < n:
        top = max(top, x[j] * 4.0)
        j += 1
    return top * top


@case(vector(6))
def left_at_a_large_one(x):
    top = -math.inf
    for v in x[::-1]:
        if v > 1.2:
            break
        top = max(top, v * v)
    return top


@case(matrix(3, 3))
def over_both_axes(a):
    top = -math.inf
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            top = max(top, a[i, j] * a[0, 1])
    return top


@case(vector(6))
def read_in_between(x):
    top, total = x[0], 0.0
    for j in range(1, len(x)):
        top = max(top, x[j])
        total += top * x[j]
    return total


@case(vector(6))
def grown_where_replaced(x):
    top = x[0]
    for j in range(1, len(x)):
        if x[j] > top:
            top = 0.5 * top + x[j]
    return top


@case(vector(6))
def stored_where_replaced(x):
    y = np.zeros(len(x))
    top = -math.inf
    for j in range(len(x)):
        if x[j] > top:
            top = x[j]
            y[j] = x[j] * x[j]
    return y.sum() + top


@case(vector(6), vector(6))
def index_read_in_between(x, y):
    top, best, total = x[0], 0, 0.0
    for j in range(1, len(x)):
        if x[j] > top:
            top = x[j]
            best = j
        total += y[best] * x[j]
    return total * top


@case(vector(6))
def condition_read_twice(x):
    top, total = x[0], 0.0
    for j in range(1, len(x)):
        above = x[j] > top
        if above:
            top = x[j]
        if above:
            total += x[j] * x[j]
    return total * top


@case(vector(6), vector(6))
def companion_read_in_between(x, y):
    top, other, total = x[0], y[0], 0.0
    for j in range(1, len(x)):
        total += other * x[j]
        if x[j] > top:
            top = x[j]
            other = y[j] * x[j]
    return total * top + other


@case(matrix(4, 3), 0.6)
def row_of_the_largest(a, w):
    top, row = a[0, 0], a[0] * w
    for i in range(1, a.shape[0]):
        if a[i, 0] > top:
            top = a[i, 0]
            row = a[i] * w
    return top * row.sum()


@case(vector(6))
def earlier_one_kept(x):
    top, second = x[0], 0.0
    for j in range(1, len(x)):
        if x[j] > top:
            second = top
            top = x[j]
    return top - 0.5 * second


@case(0.7, 0.1, 0.4, 3)
@case(-0.3, 0.1, 0.4, 0)
@case(0.2, 0.1, 0.4, 1)
def numbers_within_bounds(x, low, high, n):
    """`np.clip` of numbers, with one bound, with whole numbers, by keywords; Numba has it of arrays."""
    s = np.clip(x, low, high) * x + np.clip(x * x, None, high) + np.clip(x, a_min=low, a_max=None)
    return s * np.clip(n, 1, 2) + np.clip(n, 0.5, 2.5) * np.clip(x, -1, 1)


@case(matrix(3, 2), matrix(7, 2))
def distances_to_the_nearest(centres, points):
    total = 0.0
    for i in range(points.shape[0]):
        least = np.inf
        for j in range(centres.shape[0]):
            square = 0.0
            for d in range(points.shape[1]):
                square += (centres[j, d] - points[i, d]) ** 2
            if square < least:
                least = square
        total += least
    return total
