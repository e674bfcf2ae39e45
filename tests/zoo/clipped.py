"""Slices in loops that may end with their arrays, so that they are shorter than their ends say, or one entry stands for all."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(10), vector(4, 1))
@case(vector(7), vector(4, 1))
def triangle(packed, x):
    """With seven entries, the last slice of two has one entry left, which is added to both."""
    n = len(x)
    y = x * 2.0
    o = 0
    for j in range(n - 1):
        y[j + 1 :] += packed[o : o + n - 1 - j] * x[j] + packed[j]
        o += n - 1 - j + (j == 1)
    return np.sum(y * y)


@case(matrix(2, 3), 3)
@case(matrix(2, 3), 0)
def packed(a, rounds):
    out = np.zeros(3 * 2 * rounds)
    o = 0
    for _ in range(rounds):
        for i in range(a.shape[0]):
            out[o : o + a.shape[1]] = a[i] * (o + 1.0)
            o += a.shape[1]
    return np.sum(out * out)


@case(matrix(3, 8), matrix(3, 2, 1))
def columns(a, w):
    out = np.zeros((3, 2))
    o = 0
    while o < 7:
        out[:, :] += a[:, o : o + 2] * w
        o = 2 * o + 1
    return np.sum(out * out)


@case(vector(6), vector(2, 1))
def from_the_end(a, w):
    """The first two slices begin at a negative index, and the second is empty, as is what takes it."""
    out = w * 1.0
    part = np.zeros((3, 2))
    o = -5
    for k in range(3):
        part[k, : 2 * (k != 1)] += a[o : o + 2] * w[: 2 * (k != 1)]
        o += 3 + (k == 1)
    return np.sum(out * part[0]) + np.sum(part * part)
