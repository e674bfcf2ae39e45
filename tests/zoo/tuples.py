"""Tuples: made, read, unpacked, carried, passed and returned."""

from typing import NamedTuple

import numpy as np

from tests.zoo.case import case, matrix, vector


class Pair(NamedTuple):
    """A named pair."""

    left: float
    right: float


class Model(NamedTuple):
    """Parameters of two kinds."""

    weights: np.ndarray
    bias: float


START = (1.0, (2, 3.0))


@case(1.5)
def starts_with_a_global(x):
    t = START
    for _ in range(3):
        t = (t[0] * x, (t[1][0] + 1, t[1][1] * x))
    return t[0] * t[1][1] + t[1][0]


@case(0.7, 0.2)
def built_and_read(x, y):
    p = (x * y, y, 2)
    return p[0] * p[1] * p[2] + p[-2]


@case((0.7, 0.2))
def tuple_argument(p):
    x, y = p
    return x * y + p[0]


@case((0.7, (0.2, vector(3))), 2)
def nested_argument(p, n):
    a, (b, c) = p
    return a * b * c.sum() * n + p[1][1][0]


@case(Pair(0.7, 0.2))
def named_argument(p):
    return p.left * p.right * p.right + p[0]


@case(Model(vector(3), 0.3), vector(3, 1))
def named_with_array(m, x):
    s = m.bias
    for i in range(x.size):
        s += m.weights[i] * x[i]
    return s * s


@case(0.7, 0.2)
def tuple_result(x, y):
    return x * y, (y * y, x)


@case(0.7, 0.2)
def named_result(x, y):
    return Pair(x * y, x - y)


@case(vector(3), 0.3)
def mixed_result(x, y):
    n = x.size
    return x * y, n, y * y


@case(0.7, 0.2, 3)
def carried(x, y, n):
    p = (x, y)
    for _ in range(n):
        p = (p[1], p[0] * p[1] + x)
    return p[0] * p[1]


@case(0.7, 0.2, True)
@case(0.7, 0.2, False)
def on_branches(x, y, flag):
    if flag:
        p = (x, y)
    else:
        p = (y * y, x)
    a, b = p
    return a * a * b


@case(vector(3), vector(3, 1))
def of_arrays(x, y):
    p = (x, y * x)
    return np.sum(p[0] * p[1]) + p[1][2]


@case((0.7, 0.2, 0.4))
def summed_up(p):
    s = 0.0
    for value in p:
        s = s * value + value
    return s * len(p)


@case((0.7, 0.2), (0.4,))
def concatenated(p, q):
    r = p + q
    return r[0] * r[1] * r[2]


@case(0.7, 1.3, 4)
def chosen_by_the_iteration(a, b, n):
    total = 0.0
    for k in range(n):
        powers = (a * k, b * b, a * b)
        total += powers[k % 3] * (k + 1.0)
        if k < 3:
            total += powers[-1 - k] * a
    return total


@case(vector(3))
def array_returned_and_used(x):
    y = x * x
    return y, np.sum(np.sin(y) * x)


@case(vector(3))
def array_returned_and_an_entry(x):
    y = np.sin(x)
    return y, y[0] * 2.0


@case((vector(3), 0.7))
def item_shifted(p):
    return p[0] + 1.0


@case((vector(3), matrix(2, 3)))
def item_never_read(p):
    return np.sum(p[0] * p[0])


@case((vector(6), vector(4)))
def item_read_in_a_loop_that_nobody_needs(p):
    total = 0.0
    for k in range(3):
        skipped = p[1] * 2.0
        total += p[0][k] * skipped.size
    return total


@case((0.3, 1.1, -5.2, 3.0))
def summaries(t):
    return np.nanmax(t) * np.nanmin(t) + np.quantile(t, 0.3) * np.percentile(t, 60.0)


@case((0.3, 1.1, -5.2, 3.0))
def rearranged(t):
    return np.sum(np.roll(t, 1) * np.repeat(t, 2)[::2] * np.flip(np.array(t)))


@case(Pair(0.4, 1.3), 0.7)
def made_by_its_own_class(pair, x):
    kind = type(pair)
    other = kind(x * pair.right, pair.left)
    return other.left * other.left + other.right * x


@case(matrix(3, 4), 3)
def parts_of_the_shape_of_what_is_computed(x, n):
    y = x * 2.0
    shape = y.shape
    total = 0.0
    for k in range(n):
        if k == 1:
            total += np.sum(np.ones(shape[1:]) * y[0])
        else:
            total += np.sum(np.ones((*shape, 2))) * x[0, 1] + len(shape[:-1])
    return total + np.sum(y.reshape(*shape[::-1], 1) ** 2) * np.ones(shape[1:]).size


@case(matrix(3, 3))
def parts_of_what_a_function_gives(x):
    singular, turned = np.linalg.svd(x)[1:]
    places = np.nonzero(x > 0.5)[:1]
    return np.sum(singular) + np.sum(x[places[0], 0]) + turned[0, 0] ** 2


@case(matrix(2, 3), 3)
def every_place_of_what_is_computed(x, n):
    y = x * x
    total = 0.0
    for place in np.ndindex(y.shape):
        total += y[place] * x[place]
    for place in np.ndindex((y + x).shape[1:]):
        total += y[0][place] * place[0]
    for (k,) in np.ndindex(n + 1):
        total += k * y[0, 0]
    for place, v in np.ndenumerate(np.sin(y)):
        total += v * place[1]
    return total


@case(vector(4), 3)
def tuples_among_what_is_joined(x, n):
    pair = (x[0], x[1])
    for _ in range(n):
        pair = (pair[1], pair[0] * 2.0)
    joined = np.concatenate((pair, x, pair)) @ np.arange(8.0)
    return joined + np.append(pair, x) @ np.arange(6.0) + np.append(x, pair) @ np.arange(6.0)


@case(vector(4), 3)
def lists_that_get_more_behind(x, n):
    few = []
    for k in range(n):
        few.append(x[k] * x[k + 1])
    behind = np.append(few, x) @ np.arange(7.0) + np.append(x, few) @ np.arange(7.0)
    written = np.append([x[0], x[1]], x) @ np.arange(6.0) + np.append((x[1], 1.0), [x[3], 2.0]) @ np.arange(
        4.0
    )
    return behind + written + np.append([], x)[2] + np.concatenate((few, x)) @ np.arange(7.0)
