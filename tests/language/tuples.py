"""Tuples and namedtuples

A gradient has the structure of its argument.
"""

from typing import NamedTuple

import numpy as np

from tests.language.row import refused, runs

X = np.array([0.7, 0.2, 1.1])


class Point(NamedTuple):
    x: float
    y: float = 0.5


class Model(NamedTuple):
    weights: np.ndarray
    at: Point
    order: int


MODEL = Model(X, Point(0.3, 0.4), 2)


@runs("tuples as arguments", (0.7, X))
def argument(p):
    a, b = p
    return a * b.sum() + p[0]


@runs("nested tuples as arguments", (0.7, (0.2, (X, 3))), 2)
def nested_argument(p, n):
    a, (b, (c, k)) = p
    return a * b * c.sum() * n + p[1][0] * k


@runs("namedtuples as arguments, nested", MODEL)
def named_argument(model):
    s = model.at.x * model.at.y
    for w in model.weights:
        s = s * w + model.order
    return s * model[1][0]


@runs("tuples as locals", 0.7, 0.2)
def local(x, y):
    p = (x * y, (y, 2))
    q = p[1]
    return p[0] * q[0] * q[1] + p[-2]


@runs("namedtuples as locals", 0.7, 0.2)
def named_local(x, y):
    p = Point(x * y, y=x)
    q = p._replace(y=p.x * p.y)
    r = Point(q.y)
    return q.x * q.y + r.x * r.y


@runs("tuples as results (`bs.vjp`)", 0.7, X)
def result(x, v):
    return x * x, (v * x, Point(x, v[0]))


@runs("tuples carried by loops", 0.7, 0.2, 3)
def carried(x, y, n):
    p = (x, (y, 1.0))
    for _ in range(n):
        p = (p[1][0] * p[1][1], (p[0] * x, x))
    return p[0] + p[1][0]


@runs("tuples assigned on branches", 0.7, 0.2)
def on_branches(x, y):
    if x > y:
        p = (x, y * y)
    else:
        p = (y, x)
    return p[0] * p[1]


@runs("`p + q`, `p[1:]`, `p[-1]`, `len(p)`", (0.7, 0.2), (0.4,))
def pieces(p, q):
    r = p + q
    tail = r[1:]
    return tail[0] * tail[1] * r[-1] * len(r)


@runs("`(x,) * 3`", 0.7)
def repeated(x):
    p = (x, 2.0) * 2
    return p[0] * p[1] * p[2] * p[3]


@runs("`p[i]` with `i` known while running", (0.7, 0.2, 0.4), 1)
def item(p, i):
    """All items must have the same type."""
    s = 0.0
    for k in range(3):
        s += p[k] * p[i] * k
    return s


@runs("`p == q`, `p < q`", (0.7, 0.2), (0.8, 0.3))
def compared(p, q):
    if p == q:
        return p[0]
    if p < q:
        return p[0] * q[1]
    return q[0]


@runs("`a in (1, 2)`, `a not in ...`", 0.7, 2)
def membership(x, k):
    if k in (1, 2):
        return x * x
    if k not in (3, 4):
        return x
    return x * x * x


@runs("`sum(p)`, `min(p)`, `max(p)`", (0.7, 0.2, 0.4))
def reduced(p):
    return sum(p) * max(p) + min(p) * sum(p, 1.0)


@runs("`p.index(v)`, `p.count(v)` of constants", 0.7)
def index(x):
    p = (3, 5, 7)
    return x ** p.index(5) + x * p.count(7)


@runs("an empty tuple", 0.7)
def empty(x):
    p = ()
    for item in p:
        x = x * item
    return x * x + len(p)


@runs("`p._fields` of a namedtuple", 0.7)
def fields(x):
    p = Point(x, x * x)
    return p.y * len(p._fields)


@runs("arrays of tuples: `np.array((a, b))`", 0.7, 0.2)
def to_array(x, y):
    p = (x, y * y)
    a = np.array(p)
    return a.sum() * a[1]


@refused("`p[i] = v`", "BS111", (0.7, 0.2))
def assigned(p):
    p[0] = 1.0
    return p[0] * p[1]


@refused("`p[i]` outside of the tuple", "BS110", (0.7, 0.2))
def outside(p):
    return p[2] * p[0]
