"""Numbers of all widths, unsigned ones and bools among the floats: no neutral element and no sign may change a dtype."""

import numpy as np

from tests.zoo.case import case, vector

SMALL = np.array([9, 3, 1, 200], np.uint8)


@case(vector(4) - 0.7)
def bool_plus_zero(x):
    m = (x > 0) + 0.0
    return np.sum((m + m) * x)


@case(vector(4) - 0.7)
def bool_times_one(x):
    m = 1.0 * (x > 0)
    k = (x > 0) / 1.0
    return np.sum((m + m - k - k - k) * x)


@case(SMALL, 2.0)
def unsigned_over_one(m, w):
    a = m / 1.0
    s = 0.0
    for i in range(a.size - 1):
        s += (a[i + 1] - a[i]) * w
    return s


@case(SMALL, vector(4))
def unsigned_taken_away(m, x):
    a = x.copy()
    a -= m
    a[1:] -= m[1:]
    return np.sum(a * a)


@case(SMALL, vector(4))
@case(np.array([True, False, True, True]), vector(4))
@case(np.array([3, 100, -128, 4], np.int8), vector(4))
def elements_taken_away(m, x):
    a = x.copy()
    for i in range(a.size):
        a[i] -= m[i]
    return np.sum(a * a)


@case(np.array([True, False, True, True]), vector(4))
def bools_taken_away(m, x):
    a = x.copy()
    a -= m
    return np.sum(a * a)


@case(SMALL.astype(np.float64), vector(4))
def negative_of_the_negative(m, x):
    a = -(-m)
    return np.sum((x - (-a)) * (a + (-x)))


@case(vector(3).astype(np.float32))
def twice_in_single_precision(x):
    y = x + x
    return np.sum((y + y + y) * x)


@case(vector(3), np.zeros(3, np.int64))
def two_fractions_into_whole_numbers(x, k):
    c = k.copy()
    for i in range(x.size):
        c[i] += 1.6
        c[i] += 1.6
    return np.sum(c * x)
