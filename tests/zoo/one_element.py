"""Array statements that read one element, row or column of an array in every entry, beside stores to that array."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(3))
@case(vector(1))
def first_element(y):
    v = y + y[:1]
    y *= 2.0
    return np.sum(v * v) + np.sum(y)


@case(vector(4))
def last_element(y):
    v = np.sin(y) + y[-1:]
    y *= y
    return np.sum(v * v) + np.sum(y)


@case(matrix(3, 2))
@case(matrix(1, 4))
def first_row(A):
    v = A * A[0:1]
    A *= 2.0
    return np.sum(v * v) + np.sum(A)


@case(matrix(3, 2))
@case(matrix(4, 1))
def first_column(A):
    v = A * A[:, 0:1]
    A *= 2.0
    return np.sum(v * v) + np.sum(A)


@case(matrix(3, 3))
def row_of_fewer_axes(A):
    v = A * A[1]
    A += v
    A *= A[:, 2:]
    return np.sum(v * A)


@case(matrix(3, 3))
def along_the_other_axis(A):
    v = A[0][:, np.newaxis] * A
    A[0] = 2.0 * A[1]
    return np.sum(v * v) + np.sum(A)


@case(vector(4), vector(3))
def with_a_product(y, x):
    v = y * np.prod(1.0 + x) + (np.tanh(y) + y[:1])
    y *= 1.5 + y**2
    return np.sum(v * v) + np.sum(y)


@case(vector(5))
def in_a_loop(y):
    total = 0.0
    for k in range(3):
        v = y + y[k : k + 1]
        y *= 0.5
        total += np.sum(v * v)
    return total + y[0]


@case(vector(5))
def stored_past_it(y):
    y[1:] += 2.0 * y[:1]
    y[:-1] *= y[-1:]
    y[2:] += y[2:3] * y[1:2]
    return np.sum(y * y)


@case(vector(5))
def back_to_front(y):
    v = y + y[::-1]
    y *= 2.0
    y += y[::-1] * v
    return np.sum(v * v) + np.sum(y * y)


@case(matrix(3, 3))
def turned(A):
    v = A + A.T
    A *= 2.0
    w = A * A.T
    A[1:] *= A[:-1]
    return np.sum(v * w) + np.sum(A)


@case(vector(4))
def added_back_to_front(x):
    y = x * 2.0
    y[::-1] += y * x
    y[::2] += y[:1]
    return np.sum(y * y)


@case(vector(5))
@case(vector(2))
def filled_in_a_loop(x):
    for _ in range(x.shape[0]):
        x[2:] = 0.141
    return np.sum(x * x)


@case(vector(4), matrix(3, 4))
@case(vector(2), matrix(1, 2))
def rows_reversed_then_moved(x, A):
    v = np.cos(A[::-1])
    A -= x
    return np.sum(v) + np.sum(A)


@case(matrix(5, 5), matrix(5, 4))
def rows_reversed_then_moved_by_an_element(A, B):
    v = 0.5 * A[::-1]
    A += B[1, -1:]
    return np.sum(v) + np.sum(A)


@case(vector(4), matrix(3, 4))
def summed_then_multiplied_in_place(x, A):
    s = np.sum(A * A[::-1], axis=0)
    A[::-1] *= 0.5 + A * A
    return np.sum(s * x) + np.sum(A * A)
