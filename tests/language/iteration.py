"""What a loop runs over"""

import itertools

import numba
import numpy as np

from tests.language.row import refused, runs

X = np.array([0.7, 0.2, 1.1])
Y = np.array([0.3, 0.5, 0.4, 0.9])
A = np.array([[0.7, 0.2], [1.1, 0.4], [0.3, 0.6]])


@runs("an array of one dimension", X)
def elements(x):
    s = 1.0
    for value in x:
        s = s * value + value
    return s


@runs("the rows of an array", A)
def rows(a):
    s = 0.0
    for row in a:
        s += row[0] * row.sum()
    return s


@runs("writing through the rows of an array", A)
def rows_written(a):
    for row in a:
        row[0] = row[0] * row[1]
    return a.sum() * a[0, 0]


@runs("a slice, a column, an expression", A)
def expression(a):
    s = 0.0
    for value in a[:, 1] * 2.0:
        s += value * value
    return s


@runs("a tuple", (0.7, 0.2, 0.4))
def of_tuple(p):
    s = 1.0
    for value in p:
        s = s * value + value
    return s


@runs("a tuple of arrays and numbers", (X, 0.2, A))
def of_mixed_tuple(p):
    """The body is emitted once per item, so items may have different types."""
    s = 0.0
    for value in p:
        s += np.sum(value * value)
    return s


@runs("a long tuple of constants", 0.7)
def of_constants(x):
    s = 0.0
    for power in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17):
        s += x**power
    return s


@runs("`enumerate(array)`", X)
def enumerated(x):
    s = 0.0
    for k, value in enumerate(x, 1):
        s += value**k
    return s


@runs("`enumerate` of rows, tuples, ranges", A, (0.7, 0.2))
def enumerated_others(a, p):
    s = 0.0
    for k, row in enumerate(a):
        s += row[k % 2] * k
    for k, value in enumerate(p, start=2):
        s += value**k
    for k, i in enumerate(range(2, 8, 2)):
        s += p[0] * k * i
    return s


@runs("`enumerate(tuple, n)` with `n` an argument", (0.7, 0.2), 3)
def enumerated_from(p, n):
    s = 0.0
    for k, value in enumerate(p, n):
        s += value**k
    return s


@runs("`zip(array, array)`", X, Y)
def zipped(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s += a * b * b
    return s


@runs("`zip` of arrays, tuples and ranges", X, (0.7, 0.2, 0.4))
def zipped_mixed(x, p):
    s = 0.0
    for a, b, k in zip(x, p, range(1, 9, 2)):
        s += a * b * k
    return s


@runs("`reversed`", X, (0.7, 0.2))
def reversed_(x, p):
    s = 1.0
    for value in reversed(x):
        s = s * value + 1.0
    for value in reversed(p):
        s = s * value + 1.0
    for k in reversed(range(3)):
        s = s * x[k] + 1.0
    return s


@runs("`reversed(range(start, stop, step))`", 0.7, 11)
def reversed_steps(x, n):
    s = 1.0
    for k in reversed(range(1, n, 3)):
        s = s * x + k
    return s


@runs("`zip(*rows)` of a list or tuple that is written out", X)
def turned_rows(x):
    rows = [[x[0], x[1]], [x[1] * x[0], 3.0]]
    s = 0.0
    for a, b in zip(*rows):
        s += a * b
    return s


@runs('`for c in "abc"`, the characters of a string', X)
def characters(x):
    s = 0.0
    for k, c in enumerate("aba"):
        s += x[k] * x[k] if c == "a" else 2.0 * x[k]
    return s


@runs("`enumerate(zip(...))`, nested", X, Y)
def nested(x, y):
    s = 0.0
    for k, (a, b) in enumerate(zip(x, y[1:])):
        s += a * b * k
    for (j, a), b in zip(enumerate(x), reversed(y)):
        s += a * b * j
    return s


@runs("`np.ndindex(shape)`", A)
def indices(a):
    s = 0.0
    for i, j in np.ndindex(a.shape):
        s += a[i, j] * (i + 2 * j)
    for index in np.ndindex(2, 2):
        s += a[index] * a[index]
    return s


@runs("`np.ndenumerate(array)`", A)
def items(a):
    s = 0.0
    for (i, j), value in np.ndenumerate(a):
        s += value * value * (i + j)
    for index, value in np.ndenumerate(a):
        s += value * a[index[0], 0]
    return s


@runs("`array.flat`", A)
def flat(a):
    s = 1.0
    for value in a.flat:
        s = s * value + 1.0
    return s


@runs("`array.flat[k]`", A)
def flat_item(a):
    return a.flat[1] * 2.0


@runs("`np.nditer(array)`", A)
def nditer(a):
    s = 0.0
    for value in np.nditer(a):
        s += value.item() * 2.0
    return s


@runs("`numba.prange`", X)
def parallel(x):
    s = 0.0
    for i in numba.prange(x.size):
        s += x[i] * x[i]
    return s


@runs("a range that has a name", 0.7, 4)
def named_range(x, n):
    numbers = range(n)
    s = 0.0
    for k in numbers:
        s += x**k
    return s + len(numbers)


@runs("`iter` and `next`", X)
def iterators(x):
    steps = iter(x)
    return next(steps) * next(steps)


@runs("`map`, `filter`, generator expressions", X)
def mapped(x):
    s = 0.0
    for value in map(np.sin, x):
        s += value
    for value in (2.0 * v for v in filter(lambda v: v > 0.5, x)):
        s += value * value
    return s


@refused("an iterator that is kept", "BS114", X)
def kept_iterator(x):
    sines = map(np.sin, x)
    return sum(sines)


@refused("a number", "BS114", 0.7)
def a_number(x):
    s = 0.0
    for k in 3:
        s += x
    return s


@runs("`itertools.product`, `combinations`, `permutations`", X)
def products_and_choices(x):
    """Of ranges, arrays and tuples; choices of five and more are made of a few known items."""
    y = x * 1.0
    total = 0.0
    for i, j in itertools.product(range(x.size), (0, 1)):
        total += y[i] * x[j]
    for a, b in itertools.product(y, repeat=2):
        y[0] = y[0] * b
        total += a * b
    for i, j in itertools.combinations(range(3), 2):
        total += x[i] * x[j] ** 2
    for p in itertools.permutations((0, 1)):
        total += y[p[0]] / x[p[1]]
    for a, b, c in itertools.combinations(x, 3):
        total += a * b * c**2
    return total


@runs("`itertools.count`, `cycle`, `repeat`", X)
def without_end(x):
    """In a loop, alone or within `zip`, `enumerate`, `islice` and their kin; with what ends beside them."""
    s = 0.0
    for k in itertools.count(1):
        if k > x.size:
            break
        s += x[k - 1] ** k
    for v, sign in zip(x, itertools.cycle([1.0, -1.0])):
        s += sign * v * v
    return s + sum(itertools.islice(itertools.repeat(x[1]), 4))


@runs("`range(...)[::-1]`", X)
def numbers_from_the_last(x):
    total = 0.0
    for i in range(1, x.size)[::-1]:
        total = total * x[i] + x[i - 1]
    return total


@runs("`range(...)[k]`, `range(...)[a:b:c]`", X, 2, -1)
def numbers_of_a_range(x, k, step):
    total = x[range(x.size)[k - 3]] * x[range(0, 5, 2)[-2] - 1]
    for i in range(1, x.size)[::step]:
        for j in range(x.size, 0, -1)[1:-1][:k]:
            total += x[i] * x[j] ** k
    return total * len(range(10)[2:8:3])
