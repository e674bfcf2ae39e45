"""`try ... except`: what Python raises first decides which handler runs; what powers, functions of `math` and called functions raise is caught."""

import math
import operator

import numpy as np

from tests.zoo.case import case


def at_most_one(x):
    if x > 1.0:
        raise ValueError("large")
    return x * x


def in_the_end_at_most_one(x):
    y = x * x
    if y > 1.0:
        raise ValueError("large")
    return y


@case(0.5, 1)
@case(0.5, 5)
@case(2.0, 1)
@case(2.0, 5)
def right_side_before_the_place(x, i):
    a = np.zeros(3)
    try:
        try:
            a[i] = at_most_one(x)
            a[i] += in_the_end_at_most_one(x)
        except IndexError:
            a[0] = 7.0 * x
    except ValueError:
        a[2] = 5.0 * x
    return np.sum(a * np.arange(1.0, 4.0))


@case(0.5, 1)
@case(0.5, 5)
@case(2.0, 1)
@case(2.0, 5)
def place_read_before_the_right_side(x, i):
    a = np.ones(3)
    try:
        try:
            a[i] += in_the_end_at_most_one(x)
        except ValueError:
            a[0] = 7.0 * x
    except IndexError:
        a[2] = 5.0 * x
    return np.sum(a * np.arange(1.0, 4.0))


@case(0.5, 1)
@case(0.5, 5)
@case(-0.5, 1)
@case(-0.5, 5)
@case(-2.5, 1)
def several_before_the_place(x, i):
    a = np.ones(3)
    known = {0: x, -2: 3.0 * x}
    try:
        try:
            a[i] = math.log(x + 1.0) * known[int(x)] * 2.0
        except IndexError:
            a[0] = 7.0 * x
    except ValueError:
        a[1] = 5.0 * x
    except KeyError:
        a[2] = 4.0 * x
    return np.sum(a * np.arange(1.0, 4.0))


@case(1.5, 1, 1)
@case(0.5, 1, 1)
@case(0.5, 0, 1)
@case(0.5, 1, 0)
def argument_before_the_call(x, k, n):
    try:
        try:
            s = in_the_end_at_most_one(1.0 / (x * k)) * x
        except ValueError:
            s = in_the_end_at_most_one(x) / (x * n)
    except ZeroDivisionError:
        s = 3.0 * x
    return s + 2.0 * x


@case(1.5, 1, 2.0, wrt=0)
@case(1.5, 1, -2.0, wrt=0)
@case(-0.5, 1, -3)
@case(0.5, 0, -1)
@case(0.5, 0, -0.5, wrt=0)
@case(0.5, 0, 2)
def powers(x, k, p):
    base = x * k
    s = x
    for n in range(4):
        try:
            if n == 0:
                s += base**p
            elif n == 1:
                s += pow(base, p)
            elif n == 2:
                s += operator.pow(base, p)
            else:
                base **= p
        except ZeroDivisionError:
            s += x * (n + 1.0)
    return s + base


@case(1.5, 4)
@case(1.5, 5000)
def too_large(x, n):
    s = 0.0
    for k in range(5):
        try:
            if k == 0:
                s += x**n
            elif k == 1:
                s += math.exp(x * n)
            elif k == 2:
                s += math.ldexp(x, n)
            elif k == 3:
                s += math.cosh(x * n) + math.gamma(x * n)
            else:
                s += math.pow(n * 1.0, x * n) * 1e-9
        except OverflowError:
            s += x * (k + 1.0)
        except ArithmeticError:
            s = 0.0
    return s


@case(1.4, 1.0, wrt=0)
@case(-2.3, math.inf, wrt=0)
def outside_of_functions_of_math(x, far):
    s = 0.0
    for k in range(7):
        try:
            if k == 0:
                s += math.pow(x, 0.5)
            elif k == 1:
                s += math.gamma(math.floor(x))
            elif k == 2:
                s += math.lgamma(math.floor(x))
            elif k == 3:
                s += math.sin(far) * x
            elif k == 4:
                s += math.fmod(x, 0.0)
            elif k == 5:
                s += math.log(2.0, x)
            else:
                s += math.floor(x) + round(x) + int(far)
        except (ValueError, OverflowError):
            s += (k + 1.0) * x
    return s


@case(0.5, "2.5")
@case(0.5, "two")
def numbers_of_texts(x, text):
    try:
        return x * float(text)
    except ValueError:
        return x * x


@case(0.25)
@case(0.8)
@case(1.2)
def conditions_of_loops(x):
    values = [x, 2.0 * x, 3.0 * x]
    k = 0
    s = x
    try:
        while values[k] < 0.9:
            k += 1
            if k == 2:
                continue
            s += values[k] * k
    except IndexError:
        s += 7.0 * x
    try:
        while in_the_end_at_most_one(s) < 0.9:
            s = s * 1.2
    except ValueError:
        s = s * x
    return s


def item(items, i):
    return items[i] * 2.0


def next_item(items, i):
    return item(items, i + 1) * items[0]


def item_or_first(items, i):
    try:
        return items[i]
    except IndexError:
        return items[0] * 5.0


class Row:
    def __init__(self, items):
        self.items = items

    def at(self, i):
        if i > 5:
            raise ValueError("far away")
        return self.items[i]

    def share(self, n):
        return self.items[0] / n


@case(0.5, 0)
@case(0.5, 1)
@case(0.5, 3)
@case(0.5, 9)
def outside_in_called_functions(x, i):
    items = np.array([x, x * x, 3.0])
    row = Row([x, 2.0 * x])
    part = lambda k: np.sum(items[:k]) / items[k]  # noqa: E731  it is what is tried here
    s = x
    for n in range(4):
        try:
            if n == 0:
                s += next_item(items, i) + operator.getitem(row.items, i)
            elif n == 1:
                s += item_or_first(items, i) * x
            elif n == 2:
                s += row.at(i)
            else:
                s += part(i)
        except IndexError:
            s += x * (n + 1.0)
        except ValueError:
            s *= x
    try:
        s += row.share(i)
    except ZeroDivisionError:
        s += x * x
    return s


def keys_in(table, key):
    return table[key] + table.pop(key - 1)


@case(0.5, 0)
@case(0.5, 1)
@case(0.5, 2)
@case(0.5, 3)
def no_such_key_in_a_called_function(x, key):
    table = {0: x, 1: x * x, 3: 2.0 * x}
    try:
        s = keys_in(table, key)
    except KeyError:
        s = 7.0 * x
    return s + sum(table.values())
