"""Calls of the user's own functions: plain, compiled, lambda, closure, inner, with keywords and defaults."""

import math

import numba
import numpy as np

from tests.zoo.case import case, vector


def wave(x, frequency=2.0, phase=0.0):
    return math.sin(frequency * x + phase)


@numba.njit
def damped(x, rate):
    return x * math.exp(-rate * x)


def both(x, y):
    return x * y, x - y


def scale_in_place(a, s):
    for i in range(a.size):
        a[i] = a[i] * s


def first_over(a, limit):
    for i in range(a.size):
        if a[i] > limit:
            return a[i] * a[i]
    return limit * a[0]


square = lambda x: x * x  # noqa: E731


@case(0.7, 0.2)
def plain(x, y):
    return wave(x) * wave(y) + wave(wave(x))


@case(0.7, 0.2)
def keywords_and_defaults(x, y):
    return wave(x, phase=y) + wave(y, frequency=x) + wave(phase=x, x=y, frequency=1.5)


@case(0.7, 0.2)
def compiled_callee(x, y):
    return damped(x, y) * damped(y, x)


@case(0.7, 0.2)
def lambdas(x, y):
    cube = lambda t: t * t * t  # noqa: E731
    return square(x) * cube(y) + cube(x)


@case(0.7, 0.2)
def inner_function(x, y):
    def shifted(t):
        return t * y + x

    return shifted(x) * shifted(y)


def make_closure(factor):
    def scaled(x, y):
        return factor * x * y + x

    return scaled


closure = case(0.7, 0.2)(make_closure(1.7))


@case(0.7, 0.2, 4)
def called_in_loop(x, y, n):
    for _ in range(n):
        x = damped(x + y, wave(x, 1.0, y))
        y = y + wave(x)
    return x * y


@case(0.7, 0.2)
def tuple_of_results(x, y):
    p, q = both(x, y)
    p, q = both(p, q)
    return p * q


@case(vector(4), 0.3)
def callee_writes(x, s):
    y = x * x
    scale_in_place(y, s)
    scale_in_place(y[1:3], s + 1.0)
    return np.sum(y * x)


@case(vector(4), 0.6)
@case(vector(4), 9.0)
def callee_returns_early(x, limit):
    return first_over(x, limit) * x[3]


@case(0.7, 0.2)
def same_names_inside(x, y):
    t = x * y
    p, q = both(t, x)
    t = p + t
    return t * q


@case(0.7)
def function_by_variable(x):
    g = math.sin
    h = wave
    return g(x) * h(x)


@case(vector(4))
def returns_a_view(x):
    def tail(a):
        return a[1:]

    y = x * x
    t = tail(y)
    t[0] = t[1] * x[0]
    return np.sum(y * y)


@numba.njit
def _compiled_primal(x, y):
    return damped(x, y) + x * y


compiled_itself = case(0.7, 0.2)(_compiled_primal)


@case(0.7, 0.4)
def starred(x, y):
    p = (x, y)
    a, b = both(*p)
    return a * b
