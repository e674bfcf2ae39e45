"""Small forms of Python: `:=` in comprehensions, `zip(*pairs)`, pairs of items, lengths that are asked for, keys that are formatted."""

import bisect
import itertools
import math
from enum import Enum, IntEnum, IntFlag
from typing import NamedTuple

import numpy as np

from tests.zoo.case import case, matrix, vector


class Rates(NamedTuple):
    """Two numbers by name."""

    fast: float
    slow: float


@case(vector(5))
def named_within(x):
    found = [(y, y * w) for v in x if (y := v * 2) > 0.7 for w in x]
    total = sum(z * v for v in x if (z := v * v) > 0.1)
    return sum(a * b for a, b in found) * total + max((q := v) * q for v in x)


@case(vector(4))
def columns_of_pairs(x):
    pairs = [(v, v * v, 2) for v in x]
    a, b, c = zip(*pairs)
    d, e = zip(*sorted(zip(x, x[::-1])))
    return sum(a) * sum(b) + d[0] * e[1] + a[0] * c[1]


@case(vector(5))
def each_two(x):
    total = 0.0
    for i, j in itertools.combinations(range(len(x)), 2):
        total += x[i] * x[j] ** 2 * (i + 1)
    for a, b in itertools.combinations(x, 2):
        total += (a - b) ** 2
    return total + sum(a * b for a, b in itertools.combinations([v * v for v in x], 2))


def _count(v):
    try:
        n = len(v)
    except TypeError:
        return 1
    else:
        n += 1
    return n


@case(vector(3))
def lengths_or_not(x):
    return x[0] * _count(x[1]) * _count(x) + sum(x, x[1]) * sum(x, start=1.0)


@case(vector(3))
def keys_by_number(x):
    table = dict(zip(("k0", "k1"), x))
    total = 0.0
    for i in (0, 1):
        total += table[f"k{i}"] ** 2
    rates = Rates(x[0], x[1] * x[2])._asdict()
    return total * rates["slow"] + sum(rates.values())


def squares(x):
    for v in x:
        yield v * v


@case(vector(4))
def as_many_as_there_are(x):
    return math.hypot(*x) * max(*x) - min(*squares(x)) + x[0].ndim


NAMES = ("rate", "level", "noise")


@case(vector(3))
def names_from_outside(x):
    table = dict(zip(NAMES, x))
    own = ("a", "b")
    other = dict(zip(own, x))
    return table["rate"] * table["noise"] + other["b"] ** 2


@case(matrix(2, 2))
def lengths_of_unpacked_rows(nodes):
    d = nodes[1] - nodes[0]
    length = np.hypot(*d)
    c, s = d / length
    return c * s * length + math.atan2(*d) + np.maximum(*(2.0 * d))


@case(vector(4))
def dicts_of_pairs(x):
    rates = dict([("slow", x[0]), ("fast", x[1] * 2.0)])
    squares = dict((name, v * v) for name, v in zip("abcd", x, strict=True))
    rates["slow"] *= x[2]
    total = 0.0
    for name, v in zip(NAMES, x):  # noqa: B905  the shorter one counts
        rates[name] = v
        total += rates[name] * squares["c"]
    return total * rates["fast"] + sum(rates.values())


@case(vector(5), matrix(2, 3))
def choices_and_places(x, a):
    s = sum(u * v * w**2 for u, v, w in itertools.combinations(x, 3))
    for k, (u, v) in enumerate(itertools.permutations(x, 2)):
        s += k * u * v**2
    for u, v, w in itertools.combinations_with_replacement(x[:3], 3):
        s += u * v * w
    for i, j, k in itertools.permutations(range(len(x)), 3):
        s += (i - j) * k * x[i] * x[j] ** 2
    s += sum(t * u * v**2 * w for t, u, v, w in itertools.combinations(x, 4))
    for k, (t, u, v, w) in enumerate(itertools.permutations(x, 4)):
        s += 0.01 * k * t * u**2 * v * w
    for k, (i, j) in enumerate(np.ndindex(2, 3), 1):
        s += k * a[i, j] ** 2
    for k, (place, v) in enumerate(np.ndenumerate(a)):
        s += k * v**2 * a[place]
    for v, (i, j), w in zip(a.flat, itertools.product(range(a.shape[0]), range(3)), x):
        s += v * a[i, j] * w
    return s * sum(k * v for k, v in enumerate(a.T.flat))


@case(np.zeros((0, 3)), vector(1))
def choices_and_places_of_nothing(a, x):
    s = x[0]
    for k, (i, j) in enumerate(np.ndindex(a.shape)):
        s += k * a[i, j]
    for u, v in itertools.permutations(x, 2):
        s += u * v
    return s + sum(u * v * w for u, v, w in itertools.combinations(x, 3))


@case(vector(4))
def placed_by_bisection(x):
    ordered, grid = sorted(x), np.array([0.3, 0.55, 0.95])
    i, j = bisect.bisect_left(ordered, 0.5), bisect.bisect(ordered, 0.95)
    s = ordered[min(i, 3)] ** 2 + i * x[0] + j * x[1]
    for v in x:
        k = bisect.bisect_right(grid, v, 1, 2)
        s += k * v + grid[k - 1] * v
    kept, falling = [0.5], []
    for v in x:
        bisect.insort(kept, v * v)
        bisect.insort_left(falling, v, key=lambda t: -t)
    s += sum(k * v for k, v in enumerate(kept)) + sum(k * v for k, v in enumerate(falling))
    return s + bisect.bisect_left(falling, -0.7, key=lambda t: -t) * x[2]


class Stage(Enum):
    EARLY = 1
    LATE = 2


class Row(IntEnum):
    FIRST = 0
    LAST = 2


@case(vector(3))
def members_of_an_enum(x):
    s = 0.0
    for stage in Stage:
        if stage is Stage.LATE:
            s += x[0] ** stage.value
        elif stage.name == "EARLY":
            s += x[1]
    for n, k in enumerate(Row):
        s += n * x[k] ** 2
    return s + sum(stage.value for stage in Stage) * x[2] + len(Stage) * x[0]


class Scheme(IntEnum):
    EULER = 1
    HEUN = 2

    @property
    def weight(self):
        return 0.5 * self.value

    def step(self, x):
        return x + self.weight * x**self if self is not Scheme.HEUN else x * self


class Part(IntFlag):
    DRIFT = 1
    NOISE = 2
    JUMP = 4


@case(vector(3))
def attributes_of_whole_numbers_with_names(x):
    s = 0.0
    for k in Scheme:
        s += k.value * x[k] + len(k.name) * x[0] ** k + k.step(x[2])
    chosen = Scheme(2)
    if isinstance(chosen, Scheme) and isinstance(chosen, int) and chosen.name == "HEUN" and chosen == 2:
        s += x[1] ** chosen.value
    kept = Part.DRIFT | Part.JUMP
    s += x[0] ** 3 if Part.JUMP in kept else x[1]
    return s + (x[1] ** 2 if kept & Part.NOISE else x[2] ** 2) + ~kept * x[0]


QUADRATIC = np.poly1d([1.0, 2.0, 3.0])


@case(vector(4), 1.2)
def parts_of_a_polynomial(c, t):
    p = np.poly1d(c)
    q = np.poly1d(c * np.array([0.0, 1.0, 1.0, 1.0])).deriv()
    s = p(t) + p[0] + p[3] * 2.0 + p[7] + p.coef[0] + p.coefficients[1] + len(p) + p.o * t
    for k, v in enumerate(q.coeffs):
        s += k * v**2
    return s + q.order * t + q.c[0] * len(q) + QUADRATIC(t) * QUADRATIC.c[1] + QUADRATIC[2] * t


NO_AXES = np.array(2.5)


@case(vector(4), 1.3)
def numbers_of_arrays_without_axes(x, t):
    z = np.zeros(())
    z[()] = x[0] * x[1]
    s = float(np.array(x[0])) + float(np.asarray(np.sum(x))) + float(np.squeeze(x[:1])) ** 2
    return s * float(NO_AXES) * int(np.array(3)) + float(np.array(t)) ** 2 + float(z) * complex(z).real


@case(vector(4), 1.3)
def kinds_of_arrays(x, t, dtype=None):
    """A class of numbers makes an array of an array, and of a list."""
    kind = np.float64 if dtype is None else dtype
    s = np.sum(kind(x) * np.float64(x[::-1])) + np.sum(kind([t, 2.0 * t, x[0]]))
    s += np.sum(np.complex128(x) * (1.0 + 2.0j)).imag + np.sum(np.int64(x * 10.0) * x)
    return s * kind(t) + np.float64() + kind(3)


@case(vector(3), 1.3)
def attributes_or_else(x, t):
    y = x * t
    scale = getattr(math, "no_such", math.exp)(t)
    if issubclass(Rates, (tuple, np.generic)) and not issubclass(type(x), np.generic):
        y = y * len(getattr(y, "shape", ())) * getattr(y, "no_such", 2.0)
    return scale * np.sum(y**2) * len(getattr(t, "no_such", (1, 2, 3)))
