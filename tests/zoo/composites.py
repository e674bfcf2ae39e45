"""The logistic function spelled out: differentiated as one function where its parts are nobody else's."""

import math

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(0.7, 1.3)
def of_numbers(x, w):
    rising = 1 / (1 + math.exp(-x * w))
    falling = 1.0 / (np.exp(w - x) + 1.0)
    return rising * falling + rising * w


@case(vector(4), 0.6)
def of_arrays(x, w):
    rising = 1.0 / (1.0 + np.exp(-w * x))
    falling = 1 / (np.exp(x) + 1)
    return np.sum(rising * falling * x)


@case(vector(4).astype(np.float32))
def in_single_precision(x):
    s = 1.0 / (1.0 + np.exp(-x))
    t = 1.0 / (1.0 + np.exp(x[0]))
    return np.sum(s * x) * t


@case(vector(3), matrix(3, 3))
def in_several_statements(x, w):
    total = 0.0
    for i in range(x.size):
        z = -w[i, 0] * x[i]
        e = np.exp(z)
        d = 1.0 + e
        s = 1.0 / d
        x[i] = s
        total += s * w[i, 1] + x[i]
    return total


@case(vector(3), 0.4)
def parts_that_others_read(x, w):
    e = np.exp(-x)
    d = 1.0 + e
    s = 1.0 / d
    p = math.exp(w)
    q = 1.0 + p
    return np.sum(s * e + d * w) + p * q / (1.0 / q)


@case(vector(3))
def exponential_written_to(x):
    e = np.exp(-x)
    e[0] = 0.5 * x[1]
    s = 1.0 / (1.0 + e)
    return np.sum(s * s)


@case(vector(3))
def sum_written_to(x):
    d = 1.0 + np.exp(-x)
    d[1] *= x[0]
    s = 1.0 / d
    return np.sum(s * s)


@case(vector(3))
def exponent_written_to(x):
    z = x * x
    z[0] = 2.0 * x[1]
    e = np.exp(z)
    z[0] = x[2]
    s = 1.0 / (1.0 + e)
    z[1] += s[0]
    return np.sum(s * z)


@case(vector(3))
def result_written_to(x):
    s = 1.0 / (1.0 + np.exp(-x))
    t = s * s
    s[0] = t[1] * x[0]
    return np.sum(s * t)


@case(0.8, vector(3))
def parts_of_different_blocks(x, w):
    e = math.exp(-x)
    total = 0.0
    for i in range(w.size):
        d = 1.0 + e * w[i]
        if w[i] > 0.3:
            total += 1.0 / (1.0 + e)
        else:
            total += 1.0 / d
    return total * x


@case(0.4 + 0.3j, 0.8)
def of_complex_numbers(z, x):
    s = 1.0 / (1.0 + np.exp(-z * x))
    return s.real * s.imag + abs(s)
