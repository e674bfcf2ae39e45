"""Classes as Python's data model has them: which side's method is asked, in what order, and what is no tuple."""

import dataclasses
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

from tests.zoo.case import case


class Base:
    """An operator on the left side, and comparisons that count how often they are asked."""

    def __init__(self, u):
        self.u = u
        self.asked = 0.0

    def __sub__(self, other):
        return self.u * 2.0

    def __add__(self, other):
        return NotImplemented

    def __eq__(self, other):
        self.asked = self.asked * 0.5 + 1.0
        return self.u < other.u

    __hash__ = None


class Derived(Base):
    """It has the operators of the right side, which Python asks first."""

    def __radd__(self, other):
        return self.u * 5.0

    def __rsub__(self, other):
        return self.u * other.u * 7.0


@case(0.3, 0.8)
def the_derived_class_is_asked_first(x, y):
    return (Base(x) - Derived(y)) + (Base(x) + Derived(y)) * (Derived(x) - Base(y))


@case(0.3, 0.8)
def equality_asks_the_derived_class_first(x, y):
    p, q = Base(x), Derived(y)
    total = x if p == q else y
    total += 3.0 * x if p != q else 5.0 * y
    return total * (1.0 + p.asked) * (2.0 + q.asked)


@case(0.3, 0.8)
def what_a_tuple_holds_is_asked(x, y):
    p, q = Base(x), Base(y)
    total = x if p in (q, Base(x * 2.0)) else y
    total += x * x if q in (p, q) else y
    total += y * y if p not in [q, p] else x
    return total * (1.0 + p.asked) * (2.0 + q.asked)


class Number:
    """A number that adds from the right, and in place."""

    def __init__(self, u):
        self.u = u

    def __radd__(self, other):
        return Number(self.u * 3.0 + (other.u if isinstance(other, Number) else other))

    def __add__(self, other):
        return Number(self.u * other.u)

    def __iadd__(self, other):
        self.u += other.u * 7.0
        return self


@case(0.3, 0.8)
def a_sum_begins_with_zero(x, y):
    return sum([Number(x), Number(y)]).u * sum([Number(x)]).u


@case(0.3, 0.8)
def an_item_is_added_to_in_place(x, y):
    numbers = [Number(x), Number(y)]
    first = numbers[0]
    numbers[0] += numbers[1]
    return first.u * numbers[0].u + numbers[1].u


@dataclass
class Held:
    """A dataclass whose methods say what it holds."""

    u: float
    v: float

    def __getitem__(self, k):
        return self.u * 10.0 + self.v * k

    def __setitem__(self, k, value):
        self.u = self.u * 0.5 + value * k

    def __contains__(self, w):
        return w > self.u

    def __len__(self):
        return 7

    def __abs__(self):
        return self.u * 3.0

    def __float__(self):
        return self.v * 5.0

    def __round__(self, digits=0):
        return self.u * digits


@case(0.3, 0.8)
def a_dataclass_holds_what_its_methods_say(x, y):
    p = Held(x, y)
    total = p[0] * p[2] * len(p)
    total += x if y in p else y * y
    return total + (x * x if y * 5.0 not in p else y) + abs(p) * float(p) + round(p, 2)


@case(0.3, 0.8)
def a_dataclass_sets_what_its_method_says(x, y):
    p = Held(x, y)
    p[2] = y * y
    p[3] += x
    return p.u * p.v


class Renumbered(NamedTuple):
    """A namedtuple whose items are others than its fields."""

    u: float
    v: float

    def __getitem__(self, k):
        return self.u * 5.0 + k

    def __contains__(self, w):
        return w > 1.0

    def __lt__(self, other):
        return self.v < other.v

    def __gt__(self, other):
        return self.v > other.v


@case(0.3, 0.8)
def a_namedtuple_with_items_of_its_own(x, y):
    p, q = Renumbered(x, y), Renumbered(y, x)
    total = p[0] * q[1] + (x if 5.0 in p else y)
    return total * max(p, q).u + min(p, q).u * (x if p > q else y)


@dataclass(order=True)
class Ordered:
    """Compared by its fields in order, but for the last."""

    u: float
    v: float = dataclasses.field(default=0.0, compare=False)


@dataclass
class Alike:
    """Another class with the same fields."""

    u: float
    v: float = 0.0


@case(0.3, 0.8)
def dataclasses_are_compared_as_they_say(x, y):
    total = x if Ordered(x, y) == Ordered(x, x) else y
    total += x * x if Ordered(x) == Alike(x) else y * y
    total += x * y if Ordered(x, y) < Ordered(y, x) else y
    p = Alike(x)
    p.v = y
    total *= 2.0 * x if p == Alike(x, y) else y
    return total + max(Ordered(x, y), Ordered(y, x)).v


@case(0.3, 0.8)
def an_element_is_read_before_the_value(x, y):
    p = [x, y, x * y]
    q = deque([x, y])

    def push(v):
        q.append(v)
        return q[0] * v

    p[-1] += p.pop()
    p[0] *= p.pop(0)
    q[-1] += push(1.3)
    q[0] -= q.pop()
    return p[0] + sum([v * k for k, v in enumerate(q)])


@case(0.3, 0.8)
def truth_within_not(x, y):
    p = [x]
    total = x if not (x > y or (p and x > 0.1)) else y
    p.pop()
    return total * (x if not (p or x > y) else y)


@dataclass
class Hidden:
    """Methods and attributes with names of its own."""

    x: float

    def __squared(self):
        return self.x * self.x

    def _doubled(self):
        return 2.0 * self.x

    def energy(self, y):
        return self.__squared() * y + self._doubled()


@case(1.5, 0.7)
def private_methods(x, y):
    return Hidden(x).energy(y) + Hidden(y)._doubled()
