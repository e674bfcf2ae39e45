"""Indices with `...`, new axes and integers: of arrays without axes, vectors, matrices; read, stored, augmented."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(2))
def element_stored(a):
    a[..., 0] = a[..., 1]
    return a[0] + 10.0 * a[1]


@case(vector(4))
def elements_augmented(a):
    a[..., 0] += a[..., 1] * 2.0
    a[1, ...] *= a[..., 2]
    a[..., -1] -= a[0]
    a[..., 2] /= a[..., 3]
    a[2, ...] **= 2
    return np.sum(a * a)


@case(vector(4))
def elements_of_new_memory(a):
    b = np.zeros(4)
    b[..., 1] = a[0]
    b[2, ...] = a[..., 0] * a[1]
    b[..., 3] = 3.0
    b[...] += a
    b[...] *= a
    return np.sum(b * a)


@case(matrix(3, 4))
def rows_columns_and_elements(a):
    b = a.copy()
    b[..., 0] = b[..., 1] * b[..., 2]
    b[0, ...] = b[1, ...]
    b[..., 1] += b[..., 0]
    b[..., 0, 0] = b[1, 2, ...] * a[0, ..., 1]
    b[1, ..., 1] *= a[..., 2, 3]
    b[2, ...] -= a[0]
    return np.sum(b * b)


@case(matrix(4, 6).reshape(2, 3, 4))
def three_axes(a):
    b = a.copy()
    b[0, ..., 1] += b[1, ..., 2]
    b[..., 1, 2] = a[..., 0, 0] * 2.0
    b[1, ..., 0, 0] = a[0, 1, 2, ...]
    b[0, 1, 2, ...] *= a[..., 1, 1, 1]
    return np.sum(b * b)


@case(vector(4), 2)
def at_a_variable(a, i):
    a[..., i] = a[i - 1, ...] * 2.0
    a[..., i - 1] += a[..., i]
    return np.sum(a * a)


@case(matrix(3, 3))
def in_loops(a):
    s = 0.0
    for i in range(1, a.shape[0]):
        a[i, ...] = a[i - 1, ...] * a[i]
        for j in range(a.shape[1]):
            a[..., i, j] += a[i - 1, j, ...]
            s += a[i, ..., j]
    return s


@case(vector(4))
def in_a_condition(a):
    if a[..., 0] < 2.0:
        a[..., 0] = 2.0 * a[1]
    return a[..., 0] * a[2] if a[..., 1] > 0 else 1.0


@case(np.array(1.5))
def without_axes(a):
    b = a.copy()
    b[...] = a[()] * 2.0
    b[()] += a[()]
    b[...] *= a[...]
    return b[()] * a[None][0] * a[..., None][0]


@case(vector(4))
def with_new_axes(a):
    b = a.copy()
    b[None, 0] = a[1] * 2.0
    b[..., None] *= 2.0
    b[None, 1:3] += a[0]
    c, d, e = a[0, None], a[..., 1, None], a[None, ..., 2]
    return np.sum(b * a) + c[0] * d[0] * e[0]
