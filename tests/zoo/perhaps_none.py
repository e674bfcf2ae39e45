"""Variables that are None on some paths and a number or an array on others."""

import numpy as np

from tests.zoo.case import case, matrix, vector


@case(vector(6), 6)
@case(vector(6), 1)
def smallest_square(x, n):
    best = None
    for i in range(n):
        v = x[i] * x[i]
        if best is None or v < best:
            best = v
    return best


@case(vector(5), 3.0)
def differences(x, weight):
    previous = None
    s = 0.0
    for i in range(x.size):
        if previous is not None:
            s += weight * (x[i] - previous) ** 2
        previous = np.sin(x[i])
    return s


@case(matrix(3, 4), 0)
@case(matrix(3, 4), 2)
@case(matrix(3, 4), 4)
def two_arrays(x, level):
    first = second = None
    if level > 1:
        first = np.sin(x)
    if level > 2:
        second = x * 3.0
    if first is None and second is None:
        return np.sum(x)
    if first is not None and second is not None:
        return np.sum(first * second)
    return np.sum(first)


@case(vector(7))
def worst_and_its_place(x):
    worst = None
    place = -1
    for i in range(len(x)):
        if x[i] > 0.5 and (worst is None or x[i] ** 2 > worst):
            worst, place = x[i] ** 2, i
    if worst is None:
        raise ValueError("no entry is above 0.5")
    return worst * (1 + place)


@case(vector(4), 3)
@case(vector(4), 1)
def summed_arrays(x, n):
    total = None
    for k in range(n):
        step = np.outer(x, x) * (k + 1)
        total = step if total is None else total + step
    return np.sum(total * total)


@case(vector(5))
def least_and_greatest(x):
    low = high = None
    for v in x:
        if low is None or v < low:
            low = v
        if not (high is not None and v <= high):
            high = v
    if low is None:
        raise ValueError("no entry")
    return low * high


@case(vector(5))
def until_small(x):
    best = None
    i = 0
    while best is None or best > 0.3:
        best = x[i] * x[i]
        i += 1
        if i == x.size:
            break
    return best * i


@case(np.array([0.3, -0.4, 0.9, 1.1, -0.2, 0.7]))
def truth_of_what_may_be_none(x):
    last = None
    s = 0.0
    for v in x:
        if last:
            s += v * last
        if not last:
            s += v * v
        s += (last or 2.0) * v
        last = v if v > 0.0 else None
    return s


def found(x, bound):
    for i in range(x.size):
        if x[i] > bound:
            return x[i] * x[i]
    return None


@case(vector(6), 0.5)
@case(vector(6), 9.0)
def of_a_helper(x, bound):
    first = found(x, bound)
    other = found(x * 2.0, bound)
    if first is None:
        return x[0]
    return first * x[1] + (0.0 if other is None else other)


@case(vector(6))
def while_there_is_one(x):
    rest = x[0]
    s = 0.0
    i = 0
    while rest:
        s += rest * rest
        i += 1
        rest = x[i] if i < x.size else None
    return s


@case(vector(3), True)
@case(vector(3), False)
def kinds_of_none(x, has_other):
    other = None
    if has_other:
        other = x * (1.0 + 0.5j)
    t = 2.0 if np.isrealobj(other) else 3.0
    if np.iscomplexobj(other):
        return np.sum(np.abs(other) ** 2) * t
    return np.sum(x**3) * t


@case(1.5, 6)
def a_tolerance_that_nobody_gives(x, n, tol=None):
    p, q = 1.0, 1.0 - x
    for _ in range(n):
        if tol is not None:
            if abs(q) < tol:
                return p
        p = p - q / (2.0 * p)
        q = p * p - x
        if abs(q) < 1e-3 and tol is not None:
            tol *= 0.5
    return p


@case(vector(5))
def none_on_all_paths(x):
    best = None
    s = 0.0
    for v in x:
        if best is not None and best > v:
            best = best * 2.0
            s += best
        s += v * v
    if best is None:
        return s
    return s * best
