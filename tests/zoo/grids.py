"""Loops over index grids and ranges of any step: left early, nested, and writing what they run over."""

import functools

import numpy as np

from tests.zoo.case import case, matrix, transposed, vector


@case(matrix(3, 2))
def break_continue_else(a):
    s = 0.0
    for i, j in np.ndindex(a.shape):
        if s > 1.0:
            break
        s += a[i, j] * a[i, j]
        if i == 1 and j == 0:
            continue
        s *= 1.1
    else:
        s = -s
    return s


@case(matrix(3, 2), 0.9)
@case(matrix(3, 2), 5.0)
def returned_from(a, limit):
    for (i, _), value in np.ndenumerate(a):
        if value > limit:
            return value * value * (i + 1)
    return a.sum()


@case(matrix(3, 2))
def written_through(a):
    for i, j in np.ndindex(a.shape):
        a[i, j] = a[i, j] * a[0, 0]
    return a.sum() * a[1, 1]


@case(matrix(3, 2))
@case(transposed(3, 2))
def flat_sees_writes(a):
    s = 0.0
    for value in a.flat:
        s += value * a[0, 0]
        a[0, 0] = s
    return s


@case(matrix(3, 2), vector(3))
def nested(a, b):
    s = 0.0
    for i, j in np.ndindex(a.shape):
        for k in np.ndindex(b.shape):
            if b[k] > 1.0:
                break
            s += a[i, j] * b[k]
        if s > 2.0:
            break
    return s * s


@case(vector(12).reshape(2, 3, 2))
def three_axes(a):
    s = 0.0
    for i, j, k in np.ndindex(*a.shape):
        s += a[i, j, k] ** 2 * (i + j * k)
    return s


@case(0.3, 7, -2)
@case(0.3, -7, -2)
def steps_of_any_sign(x, n, step):
    s = 0.0
    for k, i in enumerate(range(n, 0, step)):
        s += x * i * k
    for i, j in zip(range(0, n, 2), range(n, -n, step)):
        s += x * x * i * j
    for i in reversed(range(n, -3, step)):
        s = s * x + i
    return s + len(range(n, -3, step))


@case(vector(3))
def reduced_with_a_branch(x):
    return functools.reduce(lambda a, b: a * b if b > 0.5 else a + b, x, 1.0)


@case(vector(3))
def deleted_in_the_loop(x):
    s = 0.0
    for value in x:
        square = value * value
        s += square
        del square
    return s
