"""Augmented assignments that change a variable's type: of whole numbers, bools, single precision, real and complex numbers."""

import math

import numpy as np

from tests.zoo.case import case, vector


@case(1.5)
def integer_begins(y):
    r = 10
    r += y
    r *= 2
    r -= 1
    r /= y
    r **= 2
    return r * 1.0


@case(1.5)
def each_operator(y):
    a = 3
    a -= y
    b = 4
    b *= y
    c = 5
    c /= y
    d = 7
    d //= 1.1 * y
    e = 9
    e %= 1.1 * y
    g = 2
    g **= y
    return a + b * b + c * a + d * y + e * e + g


@case(3, 1.5)
@case(True, 1.5)
@case(np.int16(3), 1.5)
@case(np.uint8(3), 1.5)
def argument_changes(n, y):
    n += y
    n *= n
    return n * y


@case(vector(3))
def length_divided(x):
    n = len(x)
    n /= x[0]
    m = x.shape[0]
    m *= x[1]
    k = x.size
    k -= x[2]
    return n * m * k


@case(vector(4))
def counter_divided(x):
    n = 0
    s = 0
    for v in x:
        n += v > 0.1
        s += v * n
    n /= x[0]
    n *= s
    return n


@case(1.5)
def flag_becomes_number(y):
    b = y > 1.0
    b *= y
    c = y > 0.0
    c += 1
    c *= y
    return b * b + c


@case(1.5)
def number_becomes_complex(y):
    r = y
    r += 1j * y
    r *= r
    q = 2
    q *= r
    q /= 1 + 1j
    return q.imag + abs(q)


@case(1.5)
def complex_in_loop(y):
    r = 1
    for _ in range(3):
        r *= 1 + 1j * y
    return r.real + 2 * r.imag


@case(np.float32(1.5), 0.7)
def single_becomes_double(z, y):
    k = 1
    k += z
    z += y
    z *= k
    return z * y


@case(1.5)
def before_in_and_after_a_loop(y):
    s, n = 1, 0
    for i in range(4):
        k = i
        k += y
        s *= k
        n += i
    n /= y
    n *= s
    return n


@case(1.5)
def in_branches(y):
    r, n = 3, 0
    for i in range(5):
        n += 1
        if i % 2 == 0:
            r += y
            continue
        if i == 3:
            r /= 2
            n *= y
            break
        r **= 2
    return r * n


@case(1.5)
def in_a_while_loop(y):
    r, k = 1, 0
    while r < 20.0:
        r *= y
        k += 1
        k *= 1
    k /= y
    return r * k


def _squared(k, y):
    k += y
    k *= k
    return k


@case(1.5)
def in_a_helper(y):
    return _squared(3, y) + _squared(2.5, y) * _squared(True, y)


@case(1.5)
def in_a_closure(y):
    k = 4

    def inner(z):
        w = k
        w += z
        w *= y
        return w

    return inner(y) * inner(2)


@case(1.5)
def rounded_first(y):
    k = int(y * 3.1)
    k -= y
    f = math.floor(y)
    f += y
    return k * f
