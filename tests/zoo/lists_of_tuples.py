"""Lists of tuples: one list for each item of the tuples."""

from typing import NamedTuple

from tests.zoo.case import case, vector


class Point(NamedTuple):
    """Two numbers by name."""

    a: float
    b: float


@case(vector(5))
def pairs(x):
    points = []
    for i in range(x.size - 1):
        points.append((x[i], x[i] * x[i + 1]))
    total = 0.0
    for a, b in points:
        total += a * b
    return total * points[0][1] + points[-1][0] * len(points)


@case(vector(4))
def stack_of_pairs(x):
    stack = [(0, x[0])]
    total = 0.0
    while stack:
        depth, v = stack.pop()
        total += v * v * (depth + 1)
        if depth < 3:
            stack.append((depth + 1, v * x[1]))
            stack.append((depth + 2, v * x[2]))
    return total


@case(vector(4))
def tuples_in_tuples(x):
    items = [((x[0], 1), x[1])]
    items.append(((x[2], 3), x[3]))
    (a, k), b = items[1]
    total = a * k * b
    for (a, k), b in items:
        total += a * b**k
    return total


@case(vector(4))
def namedtuples(x):
    items = []
    for v in x:
        items.append(Point(v, v * v))
    items[1] = Point(x[0], x[2])
    total = 0.0
    for p in items:
        total += p.a * p.b
    return total * items[-1].b


@case(vector(4))
def side_by_side(x):
    items = [(v, v * 2) for v in x]
    total = 0.0
    for i, (a, b) in enumerate(items):
        total += i * a * b
    for (a, b), c in zip(items, x):
        total += a * b * c
    for a, b in reversed(items):
        total = total * a + b
    return total * items[1:][0][0]


@case(vector(4))
def arrays_in_tuples(x):
    items = []
    for i in range(3):
        items.append((x * i, x[i]))
    total = 0.0
    for row, k in items:
        total += row.sum() * k
    return total


@case(vector(4))
def largest_and_its_place(x):
    items = [(v, i) for i, v in enumerate(x)]
    best = items[0]
    for each in items:
        if each[0] > best[0]:
            best = each
    return best[0] * best[1] + x[best[1]] ** 2


@case(vector(4))
def replaced_by_the_next_level(x):
    level = [(x[0], 1)]
    for _ in range(3):
        below = []
        for v, k in level:
            below.append((v * x[k % 4], k + 1))
            if k % 2:
                below.append((v + x[1], k + 2))
        level = below
    total = 0.0
    for v, k in level:
        total += v * k
    return total


@case(vector(4))
def inserted_and_reversed(x):
    items = [(x[0], 1)]
    items.insert(0, (x[1], 2))
    items.insert(1, (x[2], 3))
    first = items.pop(0)
    items.reverse()
    items += [(x[3], 4)]
    both = items + items
    return items[0][0] * items[1][1] * first[0] + both[-1][0]


@case(vector(4))
def rest_of_each(x):
    ledger = [(1, x[0], x[1] * 2.0)]
    for k in range(3):
        ledger.append((k, x[k] * k, x[k] ** 2))
    total = max(last for *_, last in ledger)
    for k, *rest in ledger:
        total += rest[0] * rest[1] ** k
    first, *others = ledger[1]
    *front, last = (x[2], 2, x[3]) if x[0] > 0.1 else (x[3], 3, x[2])
    return total * others[1] + first * front[0] * last


@case(vector(4))
def rest_of_one(x):
    """A starred variable is a list, also of one tuple, one list or one array."""
    (a, b), *pairs = [(x[0], x[1]), (x[2], x[3])]
    first, *arrays = x[0], x[1:]
    *lists, last = [x[1], x[2]], x[3]
    s = a * b * len(pairs) + first * len(arrays) * last
    for pair in pairs:
        s += pair[0] * pair[1]
    for each in lists:
        s += each[0] * len(each)
    return s + arrays[0][1]
