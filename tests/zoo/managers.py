"""`with` statements around objects and generators of the user's."""

import contextlib
import math

import numpy as np

from tests.zoo.case import case

WEIGHT = 2.5


class Doubled:
    """A sum that is doubled in the end."""

    def __init__(self, rate):
        self.rate = rate
        self.total = 0.0

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        self.total *= 2.0

    def add(self, amount):
        self.total += amount * self.rate


def added(x, summed):
    with summed as inner:
        inner.add(x)
        if x > 0.9:
            raise ValueError("large")
    return inner.total


@case(0.7)
def left_in_every_way(x):
    """By its end, `return`, `break`, and an exception that is caught further out."""

    def early(y):
        with Doubled(y) as summed:
            if y > 0.5:
                return y * summed.rate
            summed.add(y)
        return summed.total

    s = early(x) + early(0.2 * x)
    with Doubled(x) as one, Doubled(one.rate * x) as other:
        one.add(1.0)
        other.add(one.total)
    s += one.total * other.total
    summed = Doubled(x)
    for k in range(4):
        with summed:
            summed.add(x * k)
            if k == 2:
                break
    for k in range(3):
        try:
            s += added(x * k, summed)
        except ValueError:
            s += x**3 * summed.total
    return s * summed.total


@contextlib.contextmanager
def counted(summed, factor=2.0):
    summed.total += factor
    yield summed.total * factor
    summed.total *= factor


@case(0.7)
def around_generators(x):
    """What stands behind `yield` runs however the block is left, but for an exception."""
    summed = Doubled(x)
    for k in range(5):
        with counted(summed, x) as total:
            if k == 1:
                continue
            summed.add(total)
            if k == 3:
                break
        with counted(summed):
            summed.add(x)
        try:
            with counted(summed):
                if k == 2:
                    raise ValueError
        except ValueError:
            summed.add(3.0)

    def early(y):
        with counted(summed, y) as total:
            if y > 0.5:
                return total
        return y

    return summed.total + early(x) * early(0.2 * x) * summed.total


@case(0.7)
def managers_of_the_library(x):
    """What is suppressed ends the block."""
    s = x
    with contextlib.suppress(ZeroDivisionError):
        s = 1.0 / (x - x)
    with contextlib.suppress(ValueError):
        s += math.sqrt(-x)
    with contextlib.nullcontext(x * x) as square:
        s += square
    return s * x


@case(0.7)
def global_that_is_read(x):
    """`global` says where a name is from."""
    global WEIGHT
    return WEIGHT * x * x


@contextlib.contextmanager
def entry_as(a, value):
    before = a[0]
    a[0] = value
    try:
        yield before
    finally:
        a[0] = before
        a[1] += value


@contextlib.contextmanager
def both_as(a, value):
    with entry_as(a, value) as before, Doubled(value) as inner:
        try:
            inner.add(a[0])
            yield before * inner.total
        finally:
            inner.add(before)
            a[1] += inner.total


def below_one(x):
    if x > 1.0:
        raise ValueError(x)
    return x * x


@case(0.4)
@case(0.9)
def restored_however_it_is_left(x):
    """What stands in `finally` runs after an exception, too, and within managers that the generator enters itself."""
    a = np.array([x, 2.0])
    y = 0.0
    for k in range(4):
        try:
            with both_as(a, x * x + k) as scaled:
                if k == 3:
                    break
                y += below_one(a[0] - 0.8) * scaled
        except ValueError:
            y += a[1] * x
    with entry_as(a, 3.0 * x):
        y += a[0]
    return y + a[0] * a[1]


@case(0.4)
@case(1.4)
def entries_changed_at_last(x):
    """A `finally` block changes what is in memory: entries, and the length of a list."""
    a, kept = np.array([x, 2.0]), [x]

    def taken(v):
        kept.append(2.0 * v)
        try:
            return below_one(kept[-1] - 0.5)
        finally:
            kept.pop()
            a[1] *= v

    try:
        y = taken(x)
    except ValueError:
        y = a[0] * x
    finally:
        a[0] += a[1]
    return y * a[0] + len(kept) * x


@case(0.7)
def imported_inside(x):
    """What the function imports itself has the same meaning."""
    from contextlib import nullcontext

    import numpy as np

    with np.errstate(divide="ignore"), nullcontext(x * x) as square:
        return square * x


@case(0.5, 1)
@case(0.5, 3)
def left_from_the_else_of_a_loop(x, n):
    a = np.array([x, 0.0])
    y = 0.0
    for k in range(n):
        with entry_as(a, x * k) as before:
            for j in range(2):
                y += j * before + a[0]
            else:  # noqa: PLW0120  it is what is tried here
                if k == 1:
                    break
            y *= 2.0
        y += x
    return y + a[0] * a[1]
