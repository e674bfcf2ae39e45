"""What lies in tuples that are given and returned, and views that only the last iteration of a loop leaves."""

from typing import Any

import numpy as np

from tests.zoo.case import case, matrix, vector


@case((vector(3), vector(3, 1)))
def given_tuple_written(a):
    a[0][:] = 5.0
    return a


@case(((vector(3), 2.0), vector(3, 1)))
def nested_tuple_written(a):
    a[0][0][1] = a[1][0] * 2.0
    return a


@case((vector(3), vector(3, 1)))
def one_tuple_twice(a):
    return a, a


@case(vector(3))
def written_behind_a_tuple(x):
    t = (x, (x * 2.0, x))
    x[0] = 5.0
    t[1][0][1] = x[2] * x[2]
    return t


def put(pair: Any, value: Any) -> None:
    pair[0][1] = value


@case(vector(3))
def written_by_a_helper(x):
    t = (x * 1.0, x * 2.0)
    put(t, x[0] ** 2)
    a, b = t
    b[:] = a
    return t


@case(vector(3))
def written_behind_a_chosen_tuple(x):
    a = x * 2.0
    if x[0] < 0.0:
        t = (a, 1.0)
    else:
        t = (x, 2.0)
    a[1] = x[2] * x[2]
    x[0] = x[1] * x[2]
    return t


@case(vector(3))
def filled_in_a_tuple(x):
    t = (np.zeros(3), np.zeros(3))
    for i in range(3):
        t[0][i] = x[i] ** 2
        t[1][i] = t[0][i] * x[0]
    return t


@case(vector(4))
def view_beside_its_base(x):
    a = x * 2.0
    t = (a[1:], a)
    a[1] = x[0] * x[0]
    return t


@case(np.arange(8.0).reshape(2, 2, 2))
def last_view_of_a_loop(a):
    for i in range(2):
        z = a[i, :, :]
    return np.max(z)


@case(matrix(3, 3), 2)
def row_then_columns(a, n):
    z = a[0] * 1.0
    s = 0.0
    for i in range(n):
        s += np.sum(z * z * z)
        z = a[:, i]
    return s + np.max(z)


@case(matrix(3, 4))
def last_view_written(a):
    b = a * 1.0
    for i in range(3):
        z = b[:, i]
        z[0] = z[1] * 2.0
    z[1] = z[2] ** 2
    return np.sum(b * b)


@case(vector(5))
def norm_of_a_reversed_vector(x):
    return np.linalg.norm(x[::-1]) + np.linalg.norm(x[::-2], 2)
