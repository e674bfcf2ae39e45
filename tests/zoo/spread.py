"""Calls and tuples of which the run decides how many items they get, and numbers that a loop makes arrays of."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from tests.zoo.case import case, vector


def _polynomial(t, *coefficients):
    s = 0
    for k, c in enumerate(coefficients):
        s += c * t**k
    return s


def _line_and_rest(t, a, b, *rest):
    return a * t + b + sum(rest) * len(rest)


@case(vector(4))
def to_more(x):
    squares = []
    for v in x:
        squares.append(v * v)
    line = _line_and_rest(0.5, *squares) + _line_and_rest(1.5, *x[1:]) + _line_and_rest(1.0, 2.0, *x[:2])
    return np.sum(_polynomial(np.arange(3.0), *x) ** 2) + line


def _changed(*items):
    first, second, *others = items
    whole = np.array(items)
    items += (3.0,)
    return first * second + sum(others) * len(others) + whole @ whole + sum(items) * items[0] + items[-1]


@case(vector(3))
def more_of_several_parts(x):
    return _changed(*x) + _changed(*x, 2.0) + _changed(1.0, *x) + _changed(*x, *x)


def _band(kind, centre, width=0.5, gain=2.0, rate=44.1):
    assert kind == "peak"
    return centre * width + gain**2 / rate


@case(vector(3))
def to_parameters_with_defaults(x):
    return _band("peak", *x) + _band("peak", *x[1:]) + _band("peak", *x[:1]) + _band("peak", *x[:2], rate=2.0)


@dataclass
class _Orbit:
    axis: float
    eccentricity: float
    phase: float = 0.0
    mass: float = 1.0

    def speed(self):
        return self.mass * self.axis + self.eccentricity * self.phase


class _Chain:
    def __init__(self, first, second=1.0, *more):
        self.first, self.second, self.more = first, second, more

    def length(self):
        return self.first * self.second + sum(self.more)


@case(vector(3))
def to_classes(x):
    return _Orbit(*x).speed() * _Chain(*x).length()


@case(vector(2), vector(3))
def to_distributions(p, x):
    return (
        np.sum(stats.norm.logpdf(x, *p))
        + stats.norm.logpdf(0.3, *p[:1])
        + stats.norm.logpdf(0.3, *p[1:], scale=2.0)
    )


@case(vector(3))
def tuples_of_unknown_length(x):
    large = [v * v for v in x if v > -9.0]
    t = (1.0, *large, x[0])
    before = t
    t += (x[1],)
    first, *others = before
    one, *rest = 1.0, *large
    many = t * 2 + (x[2],)
    return (
        sum(t) * 2 + sum(before) + len(others) + np.sum(np.array(before) ** 2) * one + sum(rest) + sum(many)
    )


@case(vector(3))
def tuples_that_have_two_names(x):
    t = tuple(v * v for v in x if v > -9.0)
    total = 0.0
    for k in range(3):
        before = t
        t += (x[k],)
        total += sum(before) * (k + 1)
    return total


@case(vector(3), 3)
def numbers_that_become_arrays(x, n):
    y = 0
    for k in range(n):
        y = y + k * x
    z = 1.0
    k = 0
    while k < n:
        z *= np.outer(x, x) + k
        if z[0, 0] > 100.0:
            break
        k += 1
    else:
        z = z * 2
    return np.sum(y**2) + np.sum(z)


@case(vector(3))
def numbers_that_become_arrays_in_nests(x):
    total = 0.0
    for i in range(2):
        y = 0
        for j in range(1, 3):
            for c in x:
                y += c * j * x
                if j > 1 and i > 0:
                    break
        total += np.sum(y**2)
    w = x[0]
    w += x
    return total * np.sum(w)


def _horner(t, coefficients):
    r = 0.0
    for c in coefficients[::-1]:
        r = r * t + c
    return r


@case(vector(3))
def numbers_that_stay_numbers_in_one_call(x):
    return np.sum(_horner(np.linspace(0.0, 1.0, 4), x) ** 2) + _horner(2.0, x)
