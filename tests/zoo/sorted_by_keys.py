"""Sorting by keys, lists of tuples in order, and what the library makes of iterables."""

import itertools
import math
import operator
import statistics
from functools import reduce

from tests.zoo.case import case, vector


@case(vector(5))
def by_places(x):
    first = sorted(range(len(x)), key=lambda i: x[i])
    last = sorted(range(len(x)), key=x.__getitem__, reverse=True)
    total = 0.0
    for k, i in enumerate(first):
        total = total * 0.5 + x[i] * k + x[last[k]] * k * k
    return total


@case(vector(6))
def by_two_keys(x):
    items = [(i % 2, v, i) for i, v in enumerate(x)]
    items.sort(key=lambda t: (-t[0], t[1]))
    total = 0.0
    for k, (a, v, i) in enumerate(items):
        total = total * 0.5 + v * k * (i + 1) + a * v * v
    return total


@case(vector(5))
def lists_by_length(x):
    rows = [[v] * (3 - i % 3) for i, v in enumerate(x)]
    rows.sort(key=len)
    heavy = sorted(rows, key=sum, reverse=True)
    return rows[0][0] * heavy[0][0] + heavy[-1][0]


@case(vector(5))
def items_of_a_dict(x):
    table = {}
    for i, v in enumerate(x):
        table[i * 3 % 5] = v
    total = 0.0
    for k, v in sorted(table.items()):
        total = 0.5 * total + k * v
    for k, v in sorted(table.items(), key=operator.itemgetter(1), reverse=True):
        total = 0.5 * total + k * v * v
    return total


@case(vector(5))
def neighbours_and_sums(x):
    total = 0.0
    for (a, i), (b, j) in itertools.pairwise(zip(x, range(5))):
        total += (b - a) ** 2 * (i + j)
    for a in itertools.accumulate(itertools.chain(x, x[:2], [x[0] * 2]), lambda a, b: a * b + 1.0):
        total += a * a
    for a, b in zip(itertools.islice(x, 1, None, 2), itertools.accumulate(x, initial=2.0)):
        total += a * b
    return total + reduce(max, x) * reduce(operator.mul, (v + 1.0 for v in x))


@case(vector(5))
def of_many_numbers(x):
    spread = statistics.stdev(x) * statistics.pvariance([v * v for v in x], 0.3)
    middle = statistics.fmean(x, weights=range(1, 6)) + statistics.geometric_mean(x)
    near = math.isclose(x[0], x[1], rel_tol=1e-3)
    return (
        math.fsum([1e9, *(x[0], x[1]), -1e9]) * spread
        + middle * math.dist(x, x[::-1]) * (1 + near)
        + math.hypot(x[0], x[1], x[2])
    )
