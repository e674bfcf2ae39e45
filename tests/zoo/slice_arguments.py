"""Slices as arguments: with ends left out, counted from the end, with steps; of some axes, in tuples, used several times."""

import numpy as np

from tests.zoo.case import case, matrix, vector

INNER = slice(1, -1)
BOX = np.s_[1:, ::2]


@case(vector(6), slice(0, 3))
@case(vector(6), slice(None))
@case(vector(6), slice(-4, -1))
@case(vector(6), slice(None, None, -2))
@case(vector(6), slice(-1, 0, -1))
@case(vector(6), slice(3, 1))
@case(matrix(3, 4), slice(1, None))
def squares(a, s):
    return np.sum(a[s] * a[s])


@case(vector(6), slice(1, None, 2))
@case(vector(6), slice(4, None, -1))
def stored_to(a, s):
    b = a.copy()
    b[s] = 2.0 * a[s]
    b[s] += 1.0
    b[s] *= a[s]
    return np.sum(b * b)


@case(matrix(4, 4), slice(None, 2), slice(None, None, -1))
@case(matrix(4, 4), slice(1, None, 2), slice(0, 100))
def of_several_axes(a, s, r):
    return np.sum(a[s, r] ** 2) + np.sum(a[:, s] * a[:, s]) + np.sum(a[1, r]) * np.sum(a[r][:, s])


@case(matrix(3, 4), (slice(0, 2), slice(None, None, -1)))
@case(matrix(3, 4), (slice(1, None), 2))
def in_a_tuple(a, t):
    return np.sum(a[t] * a[t]) + np.sum(a[t[0]])


@case(vector(6), slice(1, 4))
def result_is_an_array(a, s):
    return a[s] * 2.0


@case(vector(6), slice(1, 4))
def looped_over(a, s):
    r = 0.0
    for v in a[s]:
        r += v * v
    b = a[s]
    for i in range(b.shape[0]):
        r += b[i] * i
    return r * len(a[s])


@case(vector(6), slice(1, 4), slice(None, None, 2), 1)
def chosen_by_a_branch(a, s, r, k):
    q = a[s] if k > 0 else a[r]
    return np.sum(q * q)


@case(matrix(3, 4))
def global_slices(a):
    return np.sum(a[INNER] ** 2) + np.sum(a[BOX] ** 2)


@case(vector(4))
@case(vector(4), slice(None, 3))
def left_to_its_default(a, s=slice(1, 3)):
    return np.sum(a[s] ** 2)
