"""Slices that are empty where an array has few entries: no length is negative, in a sum with others neither."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(matrix(5, 5), 2)
@case(matrix(1, 1), 0)
@case(matrix(1, 1), 2)
def inner_part_in_a_loop(o, n):
    for _ in range(n):
        o[1:-1, 1:-1] = 0.25 * (o[:-2, 1:-1] + o[2:, 1:-1] + o[1:-1, :-2] + o[1:-1, 2:])
    return np.sum(o * o)


@case(matrix(5, 4), 2)
@case(matrix(1, 1), 2)
def inner_part_in_a_while(o, n):
    k = 0
    while k < n:
        w = np.exp(o[1:-1, 1:-1])
        o[1:-1, 1:-1] += w * w
        k += 1
    return np.sum(o * o)


@case(vector(4), vector(4, 1))
@case(vector(1), vector(2, 1))
def joined_with_another(o, y):
    return np.sum(np.hstack((o[1:-1], y)) ** 2)


@case(vector(5))
@case(vector(1))
def joined_with_a_number(o):
    return np.sum(np.append(o[1:-1], 1.0) * 2.0) + np.sum(o * o)


@case(vector(5))
@case(vector(1))
def length_in_a_longer_array(o):
    return np.sum(np.zeros(o[1:-1].size + 2) + o[0]) + np.sum(o[3:][1:] ** 2)


@case(vector(5))
@case(vector(1))
def length_as_a_number(o):
    t = 0.0
    for _ in range(2):
        w = o[1:-1] * o[1:-1]
        t += np.sum(w) / (1 + w.size) + w.shape[0] * o[0]
    return t


@case(vector(5))
@case(vector(1))
def one_entry_more(o):
    w = np.exp(o[2:])
    v = np.zeros(w.size + 1)
    for _ in range(2):
        v[1:] += w * w
        v[0] += w.size * o[0]
    return np.sum(v * v)


@case(vector(5))
@case(vector(1))
def length_as_a_subscript(o):
    x = np.zeros(6)
    for _ in range(2):
        x[len(o[1:-1])] += o[0] * o[-1]
    return np.sum(x * np.arange(6.0))


@case(vector(5))
@case(vector(1))
def length_of_a_filled_array(o):
    return np.sum(np.full(o[2:].shape[0] + 1, o[0])) + np.sum(np.broadcast_to(o[0], (len(o[2:]) + 1,)))


@case(vector(5))
@case(vector(1))
def rows_of_an_identity(o):
    return np.sum(np.eye(len(o[2:]) + 1) * o[0]) + np.sum(np.linspace(0.0, 1.0, len(o[2:]) + 2) * o[0])


@case(vector(5))
@case(vector(2))
def longer_than_the_array(o):
    return np.sum(o[1 : len(o) + 1] ** 2) * len(o[1 : len(o) + 1])


@case(vector(5), 1)
@case(vector(5), 4)
def as_far_as_the_end(o, k):
    v = o[k : k + len(o) - 2] ** 2
    return np.sum(v) * v.size + np.sum(np.hstack((v, o)))


@case(vector(3))
def clipped_at_the_front(o):
    z = np.zeros(2)
    z[-3:-1] += o[0] * o[1]
    v = z[-3:-1] * o[2]
    return np.sum(z) + np.sum(v) * v.size


@case(vector(5))
@case(vector(0))
def appended_to_a_list_of_nothing(x):
    items = []
    for v in x:
        if v > 0.9:
            break
        items.append(v * v)
    items.append(2.0)
    items.append(3.0)
    return items[0] * items[-1] * sum(items)


@case(vector(5), matrix(3, 4))
@case(vector(1), matrix(1, 1))
@case(vector(0), matrix(0, 0))
def differences_of_few(x, a):
    d = np.sum(np.diff(x) ** 2) + np.sum(np.diff(x, 2) ** 2) + np.sum(np.diff(x, 3) ** 3)
    return d + np.sum(np.diff(a) ** 2) + np.sum(np.ediff1d(x) ** 2) + np.sum(x)


@case(vector(3), vector(2, 1))
@case(vector(3), vector(1, 1))
@case(vector(8), vector(2, 1))
@case(vector(8), vector(8, 1))
def every_second_entry_stored_within_a_frame(x, v):
    """Of a part and of what is stored there no extent is known: they are not the same for that."""
    x[2:-2] = v[::2]
    return np.sum(x * x)
