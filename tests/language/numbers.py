"""Numbers

Integers and booleans have no derivative; computing with them is exact.
"""

import math

import numpy as np

from tests.language.row import refused, runs

X = np.array([0.7, 0.2, 1.1, 0.4])


@runs("`+ - * / // % **` and signs of floats", 0.7, 2.3)
def arithmetic(x, y):
    return -x + y - x * y / (x + 1.0) + (7.0 * y) // 3.0 * x + (5.0 * x) % y + x**y + (+x) ** -2 + 2**x


@runs("`+ - * // % **` of integers", 0.7, 7, -3)
def integers(x, m, n):
    k = m * n + m // n - m % n + (-m) // 2
    return x * k + x ** (m % 4) + m / 2 * x


@runs("`& | ^ ~ << >>` of integers", 0.7, 13, 6)
def bits(x, m, n):
    k = (m & n) | (m ^ 5) << 2
    k ^= ~n >> 1
    k &= 255
    k |= 1
    k <<= 2
    k >>= 1
    if m & 1:
        x = x * k
    return x * x * k


@runs("indices computed with integers", X, 5)
def indices(x, k):
    s = 0.0
    for i in range(x.size):
        j = (i * k + 3) % x.size
        s += x[i] * x[j] * x[i ^ 1] * x[x.size - 1 - i >> 1]
    return s


@runs("a linear congruential generator", X, 12345)
def random_walk(x, state):
    s = 0.0
    for _ in range(5):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        s += x[state % x.size] * s + x[(state >> 16) % x.size]
    return s


@runs("booleans as numbers", 0.7, 0.2)
def booleans(x, y):
    return x * (x > y) + (x < y) * y + True * x * x


@runs("`& | ~ ^` of booleans", 0.7, 0.2)
def boolean_bits(x, y):
    if (x > y) & (y > 0.0) | (x < 0.0) ^ (y > 2.0):
        return x * y
    return x


@runs("`abs`, `round`, `int`, `float`, `bool`, `min`, `max`, `pow`, `divmod`", -0.7, 2.3)
def builtins(x, y):
    q, r = divmod(7.0 * y, 3.0)
    k = int(y * 3.0)
    return abs(x) * round(y) + float(k) * x + bool(x) * y + min(x, y, 1.0) * max(x, y) + pow(y, 2) + q + r


@runs("`np.float32(x)`, `np.int64(x)`, `x.astype(np.float32)`", X.astype(np.float32), 0.7)
def conversions(x, y):
    return x.astype(np.float64).sum() * np.float64(y) * np.int64(2.7)


@runs("`numba.float64(x)`", 0.7)
def numba_types(x):
    import numba

    return numba.float64(x) * numba.int64(2.7) * x


@runs("`math.pi`, `np.inf`, `math.isnan(x)`", 0.7)
def constants(x):
    if math.isnan(x) or x == np.inf or math.isinf(x):
        return 0.0 * x
    return x * math.pi * np.e


@runs("`x.real`, `x.imag`, `x.conjugate()` of floats", 0.7)
def real_parts(x):
    return x.real * x.conjugate() + x.imag


@runs("literals: `1_000`, `0x1F`, `0b101`, `1e-3`", 0.7)
def literals(x):
    return x * 1_000 + x * x * 0x1F + 0b101 * x + 1e-3


@refused("a complex result of `bs.grad`", "BS401", 0.7)
def complex_result(x):
    return complex(x, x * x)


@runs("complex numbers", 0.7, 0.2)
def complex_numbers(x, y):
    z = complex(x, y)
    w = z * z + 1j * z
    return abs(w) + w.real * w.imag


@refused("`x % y` of complex numbers", "BS301", 1j)
def complex_modulo(x):
    return abs(x % 2.0)
