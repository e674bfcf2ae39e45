"""Tuples and lists of numbers where NumPy makes arrays of them: stored in parts of arrays, and beside arrays in operators."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(2), 3)
@case(vector(2), 0)
def rows_from_tuples(x, n):
    out = np.zeros((n + 1, 2))
    a, b = x
    for k in range(n):
        out[k] = a, b * k
        a *= b
    out[n, :] = (a, n)
    return out


@case(vector(2))
def rows_from_lists(x):
    a, b = np.zeros((2, 3)), np.zeros((3, 2))
    a[0] = b[:, 1] = [x[0], 2, x[1]]
    a[1] -= [x[0], 1, x[1] ** 2]
    b[1] *= (x[0], x[1])
    squares = []
    for each in x:
        squares.append(each * each)
    b[::2, 0] = squares
    return a, b


@case((0.3, 0.4))
def part_from_a_tuple_argument(x):
    out = np.ones(5)
    out[1:3] = x
    out[3:] += x[::-1]
    return out


@case(matrix(3, 2))
def parts_from_rows(x):
    out = np.zeros((4, 2))
    out[1:3] = ((x[0, 0], 2.0), (x[1, 1], x[2, 1]))
    out[::3] = x[0], x[1] * x[2]
    out[[0, 2], 1] = x[2]
    return out


@case(vector(2), 2)
def operators_with_lists(x, n):
    v = x
    for _ in range(n):
        v = v * (2.0, 3) - [1, x[0]]
        v += (0.1, x[1])
        v = [1.0, 2] + v / (3, 4)
    return np.where(v < [0.5, 9.0], v, x) ** [2, 3]


@case(matrix(3, 3))
def products_with_lists(a):
    y = a @ [1, 2, a[0, 0]]
    y -= (1, 2, 3)
    return (1, y[1], 3) @ a @ y
