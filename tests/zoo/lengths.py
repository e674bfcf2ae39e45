"""Lengths that are written out as roots of sums of squares, with terms of other shapes, and in memory that is written."""

import math

import numpy as np

from tests.zoo.case import case

ROW = np.array([[0.3, -0.8, 1.1]])
COLUMN = np.array([0.5, -1.2, 0.7, 2.0])


@case(ROW, COLUMN)
def one_row_and_many_numbers(x, y):
    return np.sum(np.sqrt(np.sum(x**2, axis=1) + y**2))


@case(ROW[0], COLUMN)
def rows_and_columns(x, y):
    return np.sum(np.sqrt(x[:, None] ** 2 + y[None, :] ** 2) * np.arange(12.0).reshape(3, 4))


@case(ROW, COLUMN)
def scaled_and_shifted(x, y):
    return np.sum(np.sqrt(2.0 * x.T**2 + 0.5 * (y - 1.0) ** 2 / 3.0 + 0.1 * np.abs(y)))


@case(ROW[0], COLUMN)
def written_between(x, y):
    z = x.copy()
    r = np.sqrt(np.sum(z**2))
    z[1] = y[0]
    return r * np.sum(z * y[0]) + np.sqrt(np.sum(z**2, axis=0))


@case(ROW[0], COLUMN)
def carried_by_a_loop(x, y):
    total = 0.0
    s = np.zeros(3)
    for k in range(2):
        q = x * y[k]
        s = np.sqrt(q * q + s * s)
        v, w = x[k], y[k]
        square = v * v + w * w
        v = v + 0.1 * w
        total += math.sqrt(square) * v
    return total + np.sum(s * np.arange(3.0))


@case(COLUMN)
def buffer_used_again(y):
    buffer = np.empty(4)
    buffer[:] = y
    r = np.sqrt(buffer @ buffer)
    buffer *= 2.0
    return r * np.sum(buffer**3)


@case(ROW, COLUMN)
def root_mean_squares(x, y):
    spread = np.sum(np.std(np.outer(y, x[0]), axis=0)) + np.std(y, ddof=1)
    return np.sqrt(np.mean(x**2)) * np.sqrt(np.mean(y**2) * 3.0 + 1.0) + spread


@case(ROW, COLUMN)
def axes_that_stay(x, y):
    a = np.outer(y, x[0])
    lengths = np.sqrt(np.sum(a**2, axis=1, keepdims=True))
    return np.sum(a / (1.0 + lengths)) + np.sum(np.linalg.norm(a, axis=0, keepdims=True) ** 3)


@case(ROW, COLUMN)
def the_same_difference_twice(x, y):
    return np.sqrt((x[0, 0] - y[0]) * (x[0, 0] - y[0]) + (x[0, 1] - y[1]) ** 2.0) ** 3


@case(ROW, COLUMN)
def roots_in_branches(x, y):
    total = 0.0
    for k in range(y.size):
        d = y[k] * x[0]
        square = np.sum(d**2)
        if square < 4.0:
            total += y[k] / (1.0 + square) + np.sqrt(square)
    return total


@case(ROW, COLUMN)
def roots_in_loops(x, y):
    d, u, total = 2.0 * y, 3.0 * x[0, 0], 0.0
    square, other = np.dot(d, d), u * u + y[1] * y[1]
    for k in range(3):
        total += k * np.sqrt(square) * np.sum(d)
        if k > 0:
            total += np.sqrt(other) / (k + u)
    return total


@case(ROW, COLUMN)
def roots_in_while_loops(x, y):
    total, k = 0.0, 0
    for row in x:
        d = row * y[0]
        square = d @ d
        while k < 3:
            k += 1
            total = total * np.sin(square) + k * np.sqrt(square)
    return total
