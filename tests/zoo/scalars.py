"""Arithmetic and mathematics on scalars."""

import math

import numpy as np

from tests.zoo.case import case


@case(0.7, -1.3)
def polynomial(x, y):
    return 3.0 * x**3 - 2.0 * x * y + y**2 / (1.0 + x * x) - 4.0


@case(0.7)
def used_many_times(x):
    y = x * x
    z = y * x + y
    return z * z + y + x


@case(0.4, 0.9)
def unused_results(x, y):
    a = math.sin(x) * y
    b = a * y  # noqa: F841
    return a + x


@case(0.4, 0.9)
def unused_argument(x, y):
    return math.exp(x)


@case(0.4)
def constant_result(x):
    return 2.5


@case(0.4, 1.1)
def returns_its_argument(x, y):
    return y


@case(1.3, 2.2)
@case(0.4, -0.5)
def powers(x, y):
    return x**y + 2.0**y + x**3 + x**-2 + x**0.5


@case(7.3, 2.1)
@case(-7.3, 2.1)
def remainders(x, y):
    return x % y + x * (x // y)


@case(0.3, 0.8)
def both_libraries(x, y):
    return math.sin(x) * np.cos(y) + np.exp(-x) * math.log(y) + math.atan2(x, y) + np.hypot(x, y)


@case(0.6)
def inverse_functions(x):
    return math.asin(x) + math.acos(0.5 * x) + math.atan(x) + math.sqrt(x) + math.log1p(x) + math.expm1(x)


@case(-0.6, 1.4)
@case(0.6, 0.2)
def extremes(x, y):
    return abs(x) * max(x, y) + min(x, 2.0 * y) + max(0.1 * x, y, x * y)


@case(0.6, 1.4)
def chained_assignment(x, y):
    a = b = x * y
    a = a * y
    return a + b * b


@case(-0.3)
def unary_operators(x):
    return -x * +x - (-(x**2))


@case(2.5)
def erf_and_gamma(x):
    return math.erf(x) + math.erfc(0.3 * x) + math.lgamma(x)


@case(0.35, 3)
def integer_powers(x, n):
    return x**n + (1.0 + x) ** (n - 1) + float(n) ** x
