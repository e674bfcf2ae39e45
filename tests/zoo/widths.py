"""Numbers of all widths, unsigned ones and bools among the floats: no neutral element and no sign may change a dtype."""

import numpy as np
from numpy.polynomial.chebyshev import chebval
from numpy.polynomial.hermite import hermval
from numpy.polynomial.legendre import legval
from scipy import stats

from tests.zoo.case import case, vector

SMALL = np.array([9, 3, 1, 200], np.uint8)
FEW = np.array([9, 3, 1, 12], np.uint8)
"""Products of two of them have 8 bits."""


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


@case(FEW, vector(4))
@case(FEW.astype(np.uint32), vector(4))
@case(FEW.astype(np.uint64), vector(4))
@case(FEW > 2, vector(4))
def multiples_taken_from_complex_numbers(m, x):
    a = x * (1.0 + 2.0j)
    a -= 1 * m
    a[1:] -= m[1:] * m[:3]
    a[0] -= 2 * m[1]
    return np.sum(a.real * a.imag)


@case(FEW, vector(4))
@case(FEW.astype(np.uint32), vector(4))
@case(FEW > 2, vector(4))
def multiples_taken_from_gathered_elements(m, x):
    a = x.copy()
    k = np.array([3, 0, 3])
    a[k] -= 1 * m[k]
    a[x > 0.5] -= 2 * m[0]
    return np.sum(a * a)


@case(FEW, vector(4))
@case(FEW.astype(np.uint32), vector(4))
@case(FEW > 2, vector(4))
def multiples_taken_from_broadcast_columns(m, x):
    a = np.ones((4, 4)) * x
    a -= 1 * m[:, None]
    a[:, 0:1] -= (m * m)[:, None]
    return np.sum(a * a)


@case(FEW, vector(4))
@case(FEW.astype(np.uint32), vector(4))
@case(FEW.astype(np.uint64), vector(4))
def sums_taken_away(m, x):
    a = x * 1j
    total = m[0]
    for i in range(a.size):
        a[i] -= total
        total = total + m[i]
    a[1] -= 1 * m.sum()
    a[2] -= np.max(m) * 2
    a[3] -= min(m[1], 7)
    pair = (1 * m, x)
    a -= pair[0]
    return np.sum(a.real * a.imag * x) + np.sum(a.real)


@case(FEW, vector(4))
@case(FEW.astype(np.uint32), vector(4))
@case(FEW > 2, vector(4))
def multiples_taken_from_a_list(m, x):
    a = [0.0, 1.0, 2.0, 3.0]
    k = np.zeros(4, np.int64)
    for i in range(4):
        a[i] -= 2 * m[i]
        a[i] *= x[i]
        k[i] -= 3 * m[i]
        k -= m * m
    return a[0] * a[1] + a[2] - a[3] * k[0] + np.sum(k * x)


@case(np.array([2**24 + 1, 5, 7], np.uint32), vector(3).astype(np.float32))
def large_numbers_taken_from_single_precision(m, x):
    a = x * np.float32(2.0)
    a += np.float32(2.0**24)
    a -= m
    return np.sum(a * x)


@case(FEW, vector(4))
def counts_of_products(m, x):
    k = 1 * m
    s = 0.0
    for i in range(1, 3):
        for j in range(k[i] - 1):
            s += x[j] * x[i]
    return s


@case(SMALL, 2.0)
def unsigned_in_a_distribution(counts, w):
    total = 0.0
    for k in range(counts.size):
        total += w * stats.norm.logpdf(counts[k], 10, 20)
    return total + w * np.sum(stats.t.logpdf(counts, 3)) + w**2 * np.sum(stats.expon.sf(counts, 2, 50))


@case(np.array([9, -3, 181, 30000], np.int16), 2.0)
def squares_of_whole_numbers_in_a_distribution(x, w):
    one = np.sum(stats.multivariate_normal.logpdf(x)) + np.sum(stats.norm(1, 300).logpdf(x))
    return w * one + w * np.sum(stats.norm.pdf(3, loc=x.astype(np.uint16), scale=4))


@case(np.array([100, 3, 7], np.uint8), 2.0)
def polynomial_of_bytes(p, w):
    return w * np.polyval(p, 3) + np.sum(w * np.polyval(p.astype(np.int16), np.array([30, 200])))


@case(np.float32([0.1, 0.2, 0.3]), np.float32([1.5, 0.2]))
def series_in_single_precision(c, x):
    values = legval(x, c) * chebval(x, c[:2]) + hermval(x, c)
    return np.sum(values * values)
