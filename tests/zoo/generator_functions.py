"""Generator functions: looped over, within each other, left early by either side, and taken whole."""

import functools

import numba
import numpy as np

from tests.zoo.case import case, vector

WEIGHTS = np.array([0.5, 1.5, 2.5])


def powers(x, n=3):
    y = x
    for _ in range(n):
        yield y
        y = y * x


def grown(x):
    while True:
        yield x
        x = x * 1.5


@numba.njit
def below(a):
    for i in range(a.shape[0]):
        if i == 3:
            return
        for j in range(i):
            yield a[i], a[j]


def weighted(x):
    for i in range(WEIGHTS.size):
        yield WEIGHTS[i] * x


def both(x):
    yield from powers(x, n=2)
    for y in weighted(x):
        if y > 3.0:
            return
        yield y + 1.0


def neighbours(grid):
    rows, columns = grid.shape
    for i in range(rows):
        for j in range(columns):
            if i + 1 < rows:
                yield i, j, i + 1, j
            if j + 1 < columns:
                yield i, j, i, j + 1


@case(1.1)
def summed(x):
    total = 0.0
    for v in powers(x, 4):
        total += np.sin(v)
    return total


@case(1.2)
@case(1.0001)
def left_early(x):
    total = 0.0
    for v in powers(x, n=6):
        if v > 2.0:
            break
        if v < 1.1:
            continue
        total += v * v
    else:
        total += 100.0 * x
    return total


@case(1.3)
def left_by_return(x):
    for v in grown(x):
        if v > 10.0:
            return v * v
    return x


@case(vector(5))
def pairs(a):
    total = 0.0
    for u, v in below(a):
        total += u * v * v
    return total


@numba.njit
@case(vector(5))
def compiled_pairs(a):
    total = 0.0
    for u, v in below(a):
        if u * v > 0.9:
            break
        total += u * v
    return total


@case(1.25)
def within_each_other(x):
    total = 0.0
    for u in both(x):
        for v in powers(u, 2):
            if v > 5.0:
                break
            total += u * v
    return total


@case(vector(6).reshape(2, 3))
def edges(grid):
    total = 0.0
    for i, j, k, m in neighbours(grid):
        total += (grid[i, j] - grid[k, m]) ** 2
    return total


@case(vector(4))
def changed_while_it_yields(a):
    def items():
        for i in range(a.size):
            yield i, a[i]

    a = a.copy()
    for i, v in items():
        if i + 1 < a.size:
            a[i + 1] += v * v
    return np.sum(a)


@case(1.2)
def held_before(x):
    found = powers(x, n=2)
    x = 3.0 * x
    total = 0.0
    for v in found:
        total += v * x
    return total


@case(1.25)
def taken_whole(x):
    first, second, third = powers(x)
    numbered = 0.0
    for k, v in enumerate(powers(x), 1):
        numbered += k * v
    squares = sum([v**2 for v in both(x)])
    return first * third - second + numbered + squares + sum(v for v in powers(x) if v > 1.3) + max(powers(x))


@case(1.2)
def in_arrays(x):
    return np.prod(np.array(list(powers(x)))) + np.sum(np.fromiter(weighted(x), float) ** 2)


def total_of(items):
    total = 0.0
    for item in items:
        total += item * item
    return total


def one_more(items):
    return sum(2.0 * item for item in items) + 1.0


@case(vector(4))
def asked(x):
    def squares():
        for v in x:
            yield v * x[0]

    y = 1.0
    if any(v > 0.5 for v in squares()) or all(both(x[1])):
        y = x[0]
    while not any(powers(y, 2)):
        y = y * 0.5
    return y + next(squares()) + next(grown(x[2])) + next((v for v in grown(x[3]) if v > 2.0), y)


@case(vector(4))
def found_among(x):
    return (x[0] if 0.75 in powers(x[1]) else x[2] ** 2) * (x[3] if 0.75 not in powers(x[1]) else x[0])


@case(vector(4))
def side_by_side(x):
    total = 0.0
    y = x.copy()
    for u, v in zip(grown(x[1]), y):
        total += u * v
        y[3] += u
    for u, k, v in zip(powers(x[0], 5), range(1, 9), reversed(x)):
        if k == 2:
            continue
        if k == 4:
            break
        total += k * u * v
    return total + sum(u * v for u, v in zip(powers(x[3]), powers(x[0])))


@case(vector(4))
def several_side_by_side(x):
    total = 0.0
    for v, u, w in zip(x, powers(x[1], 2), powers(x[2])):
        total += u * v * w
    return total


@case(vector(4))
def opened(x):
    def combined(a, b, c):
        return a * b - c

    items = [*powers(x[0]), x[1]]
    items.extend(powers(x[2], 2))
    folded = functools.reduce(lambda a, b: a * b + 1.0, powers(x[3]))
    return combined(*powers(x[0])) + np.array(list(powers(x[1]))).sum() * items[4] + items[5] + folded


@case(vector(4))
def handed_over(x):
    found = powers(x[0])
    first = next(found)
    rest = 0.0
    for v in found:
        rest += v * first
    return rest + total_of(powers(x[1])) + total_of(v * v for v in x if v > 0.5) + one_more(powers(x[2]))


def doubling(x):
    for k in range(x.size):
        x[k] *= 2.0
        yield x[k]


@case(vector(4))
def read_before_the_generator_writes(x):
    y = x * x
    total = y[0] + sum(doubling(y))
    total += y[1] * max(doubling(y)) * y[0]
    return total * (y[2] - np.array(list(doubling(y)))[2])
