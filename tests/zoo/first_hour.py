"""What people write in a first hour: lists of arrays that are joined, methods called as NumPy's, `defaultdict` with names, endless generators."""

import functools
import itertools
from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.zoo.case import case, vector


def _weighted(a):
    return np.sum(a * np.arange(1.0, a.size + 1).reshape(a.shape))


@case(vector(3))
def lists_joined_in_depth(x):
    numbers, rows, matrices, bricks = [], [], [], []
    for v in x:
        numbers.append(v * v)
        rows.append(x * v)
        matrices.append(np.outer(x, x) * v)
        bricks.append(np.outer(x, x)[:, :, None] * v)
    total = _weighted(np.dstack(numbers)) + 2.0 * _weighted(np.dstack(rows)) + _weighted(np.dstack(bricks))
    return total * np.dstack(matrices).shape[2] + _weighted(np.dstack(tup=matrices))


@case(vector(3))
def lists_joined_in_blocks(x):
    rows, matrices, blocks = [], [], []
    for v in x:
        rows.append(x * v)
        matrices.append(np.outer(x, x) * v)
        blocks.append([np.outer(x, x) * v, np.eye(3) * v])
    known = np.block([[matrices[0], np.eye(3)], [np.eye(3), matrices[1]]])
    return (
        _weighted(np.block(rows))
        + _weighted(np.block(matrices))
        + _weighted(np.block(blocks))
        + _weighted(known)
    )


@case(vector(3))
def lists_given_by_name(x):
    rows = []
    for v in x:
        rows.append(x * v)
    total = (
        _weighted(np.hstack(tup=rows)) + _weighted(np.vstack(tup=rows)) + _weighted(np.column_stack(tup=rows))
    )
    return total + _weighted(np.stack(arrays=rows, axis=1)) + _weighted(np.vstack(tup=(x, x)))


@dataclass
class _Rotor:
    w: float
    x: float

    def conj(self):
        return _Rotor(self.w, -self.x)

    def mean(self):
        return self.w * 3

    def copy(self):
        return _Rotor(self.w, self.x * 2)

    def dot(self, other):
        return self.w * other.w - self.x * other.x * 2


class _Pair(NamedTuple):
    a: float
    b: float

    def sum(self):
        return self.a * self.b

    def mean(self):
        return self.a - self.b


@case(vector(3))
def methods_called_as_those_of_arrays(x):
    q, n = _Rotor(x[0], x[1]), _Pair(x[0], x[1])
    for _ in range(3):
        q = _Rotor(q.w * x[2], q.x + 1).conj()
        n = _Pair(n.b, n.a * 2)
    return q.mean() * q.copy().x + q.dot(q) + n.sum() * n.mean()


GAMES = (("a", "b", 1), ("b", "c", 1), ("a", "c", 0))


@case(vector(3))
def defaults_for_names(x):
    ratings, totals, counts, lists = (
        defaultdict(lambda: 1.5),
        defaultdict(float),
        defaultdict(int),
        defaultdict(list),
    )
    for i, (one, other, won) in enumerate(GAMES):
        totals[one] += x[i]
        totals[other] -= x[i] * won
        ratings[one] = ratings[one] * x[i] + ratings[other]
        counts[other] += 1
        lists[one].append(x[i])
    s = sum(v**2 for v in totals.values())
    for name, rating in ratings.items():
        s += rating * counts[name]
    if "z" in totals:
        s = s * 100
    return s + len(lists["a"]) * sum(lists["a"]) + totals["q"] + len(totals)


def _powers(x):
    k = 0
    while True:
        yield x**k
        k += 1


@case(1.3, 9.0)
def of_endless_generators(x, largest):
    s = sum(itertools.islice(_powers(x), 5))
    for v in itertools.islice(_powers(x), 1, 7, 2):
        s += v * v
    for k, v in enumerate(itertools.takewhile(lambda power: power < largest, _powers(x))):
        s += v * v * k
    some = list(itertools.islice(_powers(x * 2), 2, 6))
    n = 0
    for _ in itertools.islice(_powers(x), 0):
        n += 1
    return s + some[1] * len(some) + n + sum(itertools.islice((v * v for v in [x, x * x]), 9))


def _numbers():
    k = 1
    while True:
        yield k
        k += 1


@case(vector(4))
def endless_until_the_others_end(x):
    s = 0.0
    for k, v in zip(itertools.count(1), x):
        if v > 5.0:
            break
        s += k * v
    else:
        s *= x[0]
    for v, k in zip(x, _numbers()):
        if k > 2:
            break
        s += v
    else:
        s = 0.0
    weights = [1.0, 2.0]
    for v, w in zip(x, itertools.cycle(weights)):
        weights[0] = v
        s += v * w
    return s


@case(vector(4))
def endless_within_pairs(x):
    s = 0.0
    for v, k in zip(x, _numbers()):
        if k == 2:
            continue
        s += v**k
    for v, k, w in zip(x, itertools.count(2, 3), x[::-1]):
        s += v * k * w
    for k in itertools.count(start=0.5, step=0.5):
        if k * x[0] > 1.7:
            break
        s += k * x[1]
    for n, v in enumerate(itertools.cycle(x)):
        if n > 9:
            break
        s += n * v * v
    for v in itertools.repeat(x[0], 3):
        s += v * s
    weighted = np.array([v * k for v, k in zip(x, itertools.count(1))])
    table = dict(zip(itertools.count(), x))
    s += sum(v * w for v, w in zip(x, itertools.cycle([1.0, -1.0]))) + np.dot(weighted, x) * table[3]
    return s + sum(itertools.islice(itertools.cycle(x), 7)) + sum(map(pow, x, itertools.repeat(2)))


@functools.cache
def _binomial(n, k):
    return 1 if k in (0, n) else _binomial(n - 1, k - 1) + _binomial(n - 1, k)


@case(vector(4))
def functions_that_remember(points):
    @functools.lru_cache(maxsize=None)
    def power(n):
        return 1.0 if n == 0 else points[1] * power(n - 1)

    s = 0.0
    for k in range(4):
        s += _binomial(3, k) * 0.3**k * 0.7 ** (3 - k) * points[k]
    return s**2 + power(3)


@case(vector(3))
def lists_of_arrays_reduced(x):
    a, b, rows = x * 2, x**2, []
    for v in x:
        rows.append(x * v)
    total = (
        np.sum(np.logaddexp.reduce([a, b])) + np.add.reduce((a, b)).sum() + np.logaddexp.reduce([x[0], x[1]])
    )
    return total + np.sum(np.multiply.reduce(rows) * x) + np.multiply.reduce([a, b], axis=1).sum()
