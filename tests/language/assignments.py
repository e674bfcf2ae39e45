"""Assignments

A name may be assigned again, with a value of another type, too.
"""

import numpy as np

from tests.language.row import refused, runs

X = np.array([0.7, 0.2, 1.1])
A = np.array([[0.7, 0.2], [1.1, 0.4]])


@runs("`x = x * y`, rebinding", 0.7, 0.2)
def rebinding(x, y):
    x = x * y
    x = x * x
    return x + y


@runs("`a = b = value`", 0.7)
def chained(x):
    a = b = x * x
    a = a * b
    return a + b


@runs("`x: float = value`, annotations", 0.7)
def annotated(x: float) -> float:
    y: float = x * x
    z: float
    z = y * x
    return z


@runs("`a, b = b, a`, unpacking", 0.7, 0.2)
def swapped(x, y):
    x, y = y, x * y
    return x * x * y


@runs("`(a, (b, c)) = items`, nested unpacking", (0.7, (0.2, 0.4)))
def nested(p):
    a, (b, c) = p
    (d, [e, f]), g = (a * b, (b, c * c)), a
    return d * e + f * g


@runs("`a, *rest = items`, starred unpacking", (0.7, 0.2, 0.4, 0.9))
def starred(p):
    """The rest may be empty."""
    a, *rest = p
    *most, last = rest
    first, *nothing = (last,)
    total = 0.0
    for item in most:
        total += item * a
    return total * last + first + len(nothing)


@runs("`a, *rest = array`", X)
def starred_array(x):
    """The rest is a list."""
    a, *rest = x
    return a * len(rest) * rest[0]


@runs("`a, b = array`", X[:2])
def unpacked_array(x):
    a, b = x
    return a * a * b


@runs("`for i, (a, b) in ...`, unpacking in targets", A)
def target_unpacked(x):
    s = 0.0
    for k, (a, b) in enumerate(x):
        s += a * b * (k + 1)
    return s


@runs("`x += y`, `-=`, `*=`, `/=`, `**=`, `//=`, `%=` of numbers", 0.7, 2.2)
def in_place(x, y):
    s = x
    s += y
    s -= x * y
    s *= y
    s /= x + 1.0
    s **= 2
    t = 7.3 * y
    t //= 2.0
    s *= t
    u = x + 3.0 * y
    u %= 2.0
    return s + u


@runs("`a += y` of arrays, in place", X, X[::-1].copy())
def arrays_in_place(x, y):
    a = x * 1.0
    b = a
    a += y
    a *= b
    a -= x
    a /= y
    a **= 2
    return b.sum()


@runs("`a[i] = v`, `a[i] += v`, `a[1:] *= v`", X, 0.3)
def stores(x, y):
    """The caller's arrays are never changed."""
    x[0] = x[1] * y
    x[1] += x[0] * x[2]
    x[1:] *= y
    return x.sum() * x[0]


@runs("`a[i], a[j] = a[j], a[i]`", X)
def exchanged(x):
    x[0], x[2] = x[2] * x[1], x[0]
    return x[0] * x[0] + x[2]


@runs("`(y := f(x))`, walrus", 0.7, 4)
def walrus(x, n):
    s = 0.0
    k = 0
    while (t := x * k) < 2.0 and k < n:
        s += (u := t * t) * x + u
        k += 1
    if (v := s * x) > 1.0:
        s += v
    return s


@runs("`del name`", 0.7)
def deleted(x):
    y = x * x
    z = y * x
    del y
    y = z * z
    return y


@refused("reading a name after `del`", "BS105", 0.7)
def read_after_del(x):
    y = x * x
    del y
    return x * y  # noqa: F821


@runs("`del a[i]` of a list", 0.7)
def item_deleted(x):
    a = [x, x * x]
    del a[0]
    return a[0]


@runs("`pass`, docstrings, `...`", 0.7)
def passing(x):
    """A string or constant as a statement has no effect."""
    if x > 0.0:
        pass
    else:
        ...
    "another text"
    return x * x


@refused("`global name`", "BS101", 0.7)
def global_written(x):
    global COUNT
    COUNT = 1
    return x * x


@runs("`nonlocal name`, in an inner function", 0.7)
def nonlocal_written(x):
    y = x

    def twice():
        nonlocal y
        y = y * 2.0
        return y

    return twice() * y


@runs("`nonlocal name`, in an inner function that is handed on or called in a comprehension", 0.7)
def nonlocal_in_a_comprehension(x):
    y = x

    def twice():
        nonlocal y
        y = y * 2.0
        return y

    return sum([twice() for _ in range(3)])


@refused("`object.attribute = value`", "BS111", 0.7)
def attribute_assigned(x):
    a = np.zeros(3)
    a.total = x
    return x * x
