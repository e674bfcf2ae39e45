"""Counts that are unsigned or of few bits: bounds of loops and slices, shapes, extents of tapes."""

import numpy as np

from tests.zoo.case import case, vector


@case(vector(4), np.array([0, 2, 3], np.uint8))
@case(vector(4), np.array([3, 0], np.uint16))
@case(vector(4), np.array([0, 3, 1], np.uint32))
@case(vector(4), np.array([0, 2, 4], np.uint64))
@case(vector(4), np.array([4, 0], np.int8))
def ragged(x, m):
    s = 1.0
    for i in range(m.shape[0]):
        for j in range(m[i]):
            s = np.sin(s * x[j]) + x[i]
    return s


@case(vector(4), np.uint8(0))
@case(vector(4), np.uint64(3))
def downwards(x, n):
    s = 1.0
    for j in range(n, 0, -1):
        s = np.sin(s * x[j]) + x[j - 1]
    return s


@case(vector(4), np.uint8(0), np.uint8(2))
@case(vector(4), np.uint32(1), np.uint32(3))
@case(vector(4), np.uint64(1), np.uint64(3))
def between(x, first, last):
    s = 1.0
    y = x.copy()
    for j in range(first, x.shape[0]):
        y[j] = np.sin(y[j] * s)
        s += y[j]
    for j in range(last - first):
        y[j] *= x[j]
        s += y[j] ** 2
    return s


@case(vector(4), np.uint8(0))
@case(vector(4), np.uint64(3))
def shaped(x, n):
    y = np.ones(n)
    for j in range(n):
        y[j] = np.sin(x[j]) * (y[j - 1] if j > 0 else 1.0)
    return np.sum(y) + np.prod(x[n:])


@case(vector(4), np.array([1, 3], np.uint16))
@case(vector(4), np.array([2, 4], np.uint64))
def sliced(x, ends):
    s = 1.0
    for i in range(ends.size):
        s += np.sum(np.sin(x[: ends[i]] * s)) + np.prod(x[ends[i] - 1 :])
    return s


@case(vector(3), np.uint8(16))
def many_rounds(x, n):
    s = 0.5
    for _ in range(n):
        for k in range(n):
            s = np.sin(s) + x[k % 3]
    return s


@case(vector(4), np.uint8(3))
@case(vector(4), np.uint64(3))
def triangular(x, n):
    s = 1.0
    for j in range(n):
        for k in range(j):
            s = np.sin(s * x[k])
    return s


@case(vector(4), np.array([1, 2, 3, 2], np.uint64))
def divided_by_a_power(x, u):
    d = np.outer(x, x)
    d[:, 1] /= u**2
    return np.sum(d * d)


@case(vector(2), np.array([30, 20], np.uint8))
@case(vector(2), np.array([30, 20], np.int16))
def powers_of_few_bits(y, k):
    total = np.sum(np.power(k, y)) + np.arctan2(y[0], k[1] * 1)
    for i in range(k.size):
        b = k[i]
        b **= y[i]
        total += b
    return total


@case(vector(3))
def largest_in_order_of_an_array(x):
    y = x * x
    y[1] -= x[0]
    return max(y) * min(x) - max(-y)


@case(vector(3), vector(3, 1), 0.4, 0.8)
def clipped(x, w, low, high):
    return np.sum(w * np.clip(x, low, high)) + np.sum(np.clip(w, high, low) * x)


@case(vector(4), np.uint64(0))
@case(vector(4), np.uint64(3))
@case(vector(4), np.uint64(7))
def at_most(x, n):
    s = 1.0
    for i in range(min(n, x.shape[0])):
        s = np.sin(s * x[i]) + x[i - 1]
    return s


@case(vector(4), np.uint64(3))
@case(vector(4), np.uint16(3))
def at_most_and_back(x, n):
    m = min(max(n, 1), 2)
    s = 1.0
    for i in range(m):
        s *= np.sin(s * x[i])
    for i in range(m - 1, -1, -1):
        s += x[i] * s
    for i in range(np.minimum(n, 2)):
        s += x[i] ** 2
    return s


@case(vector(4), np.array([[0, 3], [2, 4]], np.uint8))
@case(vector(4), np.array([[1, 3], [2, 0]], np.uint32))
def largest_at_a_mask(x, n):
    """Numba has another type for the numbers at a mask of two axes, so which are counts is seen once they are typed anew."""
    k = np.max((n * 1)[n > 1])
    s = 1.0
    for i in range(k - 1, -1, -1):
        s = np.sin(s * x[i]) + x[i]
    return s
