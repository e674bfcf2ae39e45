"""Classes with operators of their own, and what is unpacked where only the run knows how many items there are."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from tests.zoo.case import case, matrix, vector


@dataclass
class Point:
    """Two coordinates, with operators that a tuple has otherwise."""

    a: float
    b: float

    def norm(self):
        """The distance from the origin."""
        return math.hypot(self.a, self.b)

    def __add__(self, other):
        if isinstance(other, Point):
            return Point(self.a + other.a, self.b + other.b)
        return Point(self.a + other, self.b + other)

    __radd__ = __add__

    def __rmul__(self, k):
        return Point(self.a * k, self.b * k)

    def __neg__(self):
        return Point(-self.a, -self.b)

    def __call__(self, v):
        return self.a * v + self.b

    def __eq__(self, other):
        return self.a == other.a

    def __lt__(self, other):
        return self.b < other.b

    def __hash__(self):
        return 0


class Arrow(NamedTuple):
    """Two components; a sum of such is one of components."""

    u: float
    v: float

    def __add__(self, other):
        return Arrow(self.u + other.u, self.v + other.v)

    def __sub__(self, other):
        return Arrow(self.u - other.u, self.v - other.v)

    def __matmul__(self, other):
        return self.u * other.u + self.v * other.v


@case(vector(5))
def of_a_dataclass(x):
    p = Point(x[0], x[1]) + Point(1.0, x[2])
    q = 2.0 * p
    q += Point(x[4], x[3])
    return (-q).norm() * q(x[2]) * (p + 1.0).a


@case(vector(5))
def compared_by_their_own_methods(x):
    p, q = Point(x[0], x[1]), Point(x[0], x[2])
    total = x[3] if p == q else 1.0
    total += x[4] if p != q else 2.0 * x[0]
    return total * (x[1] if p < q else x[2]) + (x[1] if p > q else x[2])


@case(vector(5))
def of_a_namedtuple(x):
    place, speed = Arrow(x[0], x[1]), Arrow(x[2], x[3])
    for _ in range(3):
        place = place + Arrow(speed.u * 0.1, speed.v * 0.1)
        speed -= Arrow(place.u * x[4], place.v)
    return place @ speed * (place + speed)[0]


@case(vector(5))
def of_items_of_a_list(x):
    arrows = [Arrow(v, v * v) for v in x]
    total = arrows[0]
    for each in arrows[1:]:
        total = total + each
    return (arrows[0] + arrows[1])[0] * total.u * total.v


@case(vector(4))
def starred_targets(x):
    first, *rest = x
    one, *between, last = [v * v for v in x]
    return first * rest[0] + sum(rest) * one * last + len(between) * between[0]


@case(matrix(3, 2))
def starred_rows(x):
    first, *others = x
    total = 0.0
    for row in others:
        total += row.sum() * first[0]
    return total


def _cubic(a, b, c, d, x):
    return ((a * x + b) * x + c) * x + d


@case(vector(4), 0.7)
def spread_to_parameters(c, x):
    if c.size != 4:
        return x

    def line(a, b):
        return a * x + b

    more = [*c, x, *c[:2]]
    return _cubic(*c, x) * line(*c[1:3]) + _cubic(c[0], *c[1:], x=2.0) * sum(more) + line(*more[2:4])


@dataclass
class _Positive:
    x: float

    def __bool__(self):
        return self.x > 0


@dataclass(frozen=True)
class _Sized:
    x: float

    def __len__(self):
        return 2 if self.x > 0 else 0


class _Known(NamedTuple):
    x: float

    def __bool__(self):
        return self.x > 0


@case(0.8)
@case(-0.8)
def true_as_its_class_says(a):
    total = 3.0 * a if _Positive(-a) else a * a
    total += 5.0 * a if _Sized(-a) else a**3
    total += 7.0 * a if not _Known(a) else a**4
    first = _Positive(-a) or _Positive(a * a)
    if bool(_Sized(a)) and (a > 0.5 or _Positive(-a)):
        total *= first.x
    return total * len(_Sized(a)) + (a if any([_Positive(-a), _Sized(a)]) else 0.0)


@case(0.8)
def while_it_is_true(a):
    left, total = _Positive(a), 0.0
    while left:
        left = _Positive(left.x - 0.3)
        total += left.x * a
    return total + sum([each.x for each in (_Positive(a), _Positive(-a)) if not each])
