"""Generator expressions, `map`, `filter` and comprehensions whose items a builtin takes; lists given to NumPy."""

import math

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(5), vector(5, seed=1))
def sums(x, y):
    one = sum(a * b for a, b in zip(x, y))
    return one * sum((a * a for a in x if a > 0.4), 1.0) + sum(
        x[i] * y[j] for i in range(3) for j in range(i)
    )


@case(matrix(3, 2), vector(3))
def sum_of_arrays(a, w):
    total = sum(w[k] * a[k] for k in range(3)) * sum(row for row in a)
    return (total * total).sum()


@case(vector(5))
def extremes_of_items(x):
    return max(a * math.sin(a) for a in x) * min((a for a in x if a > 9.0), default=x[1]) + max(map(abs, x))


@case(vector(6))
def by_key(x):
    k = min(range(len(x)), key=lambda i: abs(x[i] - 0.5))
    return x[k] ** 2 * max([x[0], x[1], x[2]], key=lambda v: -v)


@case(vector(5))
def decided_by_items(x):
    s = 1.0
    if any(a > 1.0 for a in x) or not all([a > 0.0 for a in x]):
        s = x[0]
    if all(a < b + 1.0 for a, b in zip(x, x[1:])):
        s = s * x[1] * x[1]
    return s


@case(vector(5))
def sorted_numbers(x):
    low, *_, high = sorted((x[0], x[3] * x[1], x[2]))
    every = sorted(x, reverse=True) + sorted(a * a for a in x)
    return low * high + every[1] * every[-1] * every[5]


@case(vector(4))
def items_computed_as_the_loop_runs(x):
    y = x.copy()
    s = 0.0
    for a in map(lambda i: y[i] * y[i], (0, 1, 2)):
        s += a
        y[1] = a
        y[2] = 3.0 * a
    for a in (2.0 * y[i] for i in range(4) if y[i] < 2.0):
        if a > 3.5:
            break
        s += a * s
        y[-1] = s
    else:
        s = s * s
    return s


@case(vector(5))
def the_name_outside_stays(x):
    v = 3.0
    for a in (2.0 * v for v in x if v > 0.3):
        v += a * v
    return v


@case(vector(5))
def filtered(x):
    s = 1.0
    for a in filter(lambda v: v > 0.4, x):
        s = s * a + a
    return s + sum(filter(lambda v: v < 0.9, x)) ** 2


@case(vector(3))
def iterators_as_lists(x):
    both = tuple(x) + tuple(x * x)
    s = 0.0
    for k in list(range(len(x))):
        s += x[k] * both[k + 3] * len(both)
    a, b = map(math.sin, x[:2])
    c, d = (v * v for v in (x[0], x[2]))
    return s * a * b + c * d + x.tolist()[1]


@case(vector(3))
def lists_to_numpy(x):
    rows = np.array([x, x * x])
    table = np.array([[a * b for a in x] for b in x])
    several = np.stack([k * x for k in range(1, 3)])
    return np.mean([x[0], x[1] ** 2]) * np.sum([a * a for a in x]) + (rows[1] * table[2] * several[1]).sum()


@case(vector(4), 2)
@case(vector(4), 5)
def matched(x, k):
    s = 0.0
    for i in range(4):
        match (i + k) % 4:
            case 0:
                s += x[i]
            case 1 | 2 as n if x[i] > 0.5:
                s += x[i] ** 2 * n
            case other:
                s += x[i] * other
                continue
        s *= 1.5
    match k:
        case 2:
            return s * s
        case _:
            return s


@case(vector(4))
def silenced(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 0.5, np.log(x), x / (x + 1.0))
    return (y * x).sum()


@case(vector(5))
@case(vector(5)[::-1])
def pieces(x):
    y = np.piecewise(x, [x > 0.5, x > 0.9], [lambda v: v * v, x[0], np.sin])
    z = np.piecewise(
        np.arange(3), [np.arange(3) > 1], [lambda k: k * x[1], 7]
    )  # of whole numbers: the values are cut
    return (y * y).sum() * z.sum()


@case(matrix(2, 3), matrix(2, 3, seed=1), 3)
def entry_by_entry(a, b, k):
    f = np.vectorize(lambda u, v, n: u * v**n if u > 0.5 else 0, otypes=[float])
    return (f(a, b, k) * a).sum() + f(a[0, 0] + 1.0, 2.0, k)


@case(vector(6), vector(4, seed=1))
def interpolated_outside(x, y):
    points = np.array([0.31, 0.42, 0.6, 0.93])
    between = np.interp(x, points, y, left=x[0] * y[1], right=y[0] ** 2)
    return (between * between).sum() + np.interp(x[0], points, y, right=-1) * y[2]


@case(matrix(2, 3), vector(4, seed=1), 0.77)
def interpolated_periodically(x, y, period):
    points = np.array([0.93, 0.31, 0.6, 0.42])
    z = np.interp(x, points, y, period=period)
    return (z * z * x).sum()


@case(matrix(3, 2).T)
def flat_of_what_is_computed(a):
    s = 0.5
    for v in (2.0 * a).flat:
        s = s * v + v
    return s


@case(vector(5))
def indexed_by_lists(x):
    y = x * x
    places = [k for k in range(5) if k % 2 == 0]
    y[places] = y[[0, 0, 1]] * x[places]
    return (y[places] * y[[3, 4, 4]]).sum()


@case(vector(3))
def tried(x):
    k = 2.0
    try:
        from nowhere import sine
    except ImportError:
        from math import sin as sine
    try:
        y = sine(x[0]) * k
    finally:
        k = x[1]
    try:
        return y * k * k
    finally:
        y = 0.0


@case(vector(3))
def asked_for_its_class(x):
    grown, made, kept = [], [v * v for v in x], tuple(x)
    for v in x:
        grown.append(v)
    s = grown[0] if isinstance(grown, list) and hasattr(made, "append") else x[1]
    if isinstance(made, tuple) or not isinstance(kept, (tuple, np.ndarray)) or isinstance(kept, list):
        s = 0.0
    return s * made[1] * kept[2]


@case(matrix(2, 2))
def sum_of_products(a):
    outer = sum(np.outer(row, row) for row in a)
    inner = sum(a[i] @ a for i in range(2))
    return (outer * inner).sum()


@case(vector(4))
def kept_expressions(x):
    squares = (v * v for v in x)
    large = (v for v in squares if v > 0.05)
    total = 0.0
    total += sum(large)
    for k in range(3):
        powers = (v**k for v in x)
        total += max(powers) * x[k]
    cubes = (v**3 for v in x)
    first = next(cubes)
    for v in cubes:
        total += v * first
    pairs = ((one, other) for one, other in zip(x, x[::-1]))
    return total + sum(one * other for one, other in pairs)


@case(0.5, 1)
@case(0.5, 5)
def items_left_out_within_try(x, n):
    y = x
    try:
        for v in (k * x for k in range(n) if k != 2):
            y += v
        for v in filter(lambda t: t > 1.0, [x, 3.0 * x, 5.0 * x]):
            y += v * y
            if y > 2.0:
                break
    finally:
        y = y * 2.0
    return y
