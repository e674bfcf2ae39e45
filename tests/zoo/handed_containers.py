"""Dicts, deques and sets that are handed to functions, which read and change them."""

from collections import deque

import numpy as np

from tests.zoo.case import case, vector


def add(table, k, v):
    if k in table:
        table[k] += v
        return table[k]
    table[k] = v
    return v * 0.5


def weighted(table):
    total = 0.0
    for k in table:
        total += table[k] * k
    return total


def twice_weighted(table):
    return weighted(table) * 2.0


def power(table, n, x):
    if n in table:
        return table[n]
    table[n] = x**n
    return table[n]


def visit(queue, seen, k, w):
    if k in seen:
        return
    seen.add(k)
    queue.append((k, w))


def first_large(queue, x):
    for v in queue:
        if v > 0.7:
            return v * x[0]
    return x[1]


def exchanged(a, b, x):
    a[0] = x[0]
    b[0] = x[1] * a[0]


@case(vector(5))
def filled_by_another(x):
    table = {}
    for k in range(x.size):
        add(table, k % 2, x[k] ** 2)
    return weighted(table)


@case(vector(5))
def asked_for_results(x):
    table = {}
    total = 0.0
    for k in range(x.size):
        total += add(table, k % 3, x[k] ** 2)
    return total + twice_weighted(table) * add(table, 7, x[0])


@case(vector(5))
def remembered(x):
    known = {}
    return power(known, 2, x[0]) * power(known, 3, x[1]) + power(known, 2, x[2])


@case(vector(5))
def visited(x):
    queue = deque()
    seen = set()
    visit(queue, seen, 0, x[0])
    total = 0.0
    while queue:
        k, w = queue.popleft()
        total += w * w
        if k < 3:
            visit(queue, seen, k + 1, w * x[k + 1])
        visit(queue, seen, 0, w)
    return total


@case(vector(5))
def left_early(x):
    queue = deque(x)
    queue.append(x[0] * x[1])
    y = first_large(queue, x)
    queue.popleft()
    return y * first_large(queue, x) + sum(queue)


@case(vector(5))
def two_at_once(x):
    one = {}
    other = {}
    exchanged(one, other, x)
    exchanged(other, one, np.sqrt(x))
    return one[0] * other[0]
