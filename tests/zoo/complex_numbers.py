"""Complex numbers: scalars and arrays in arithmetic, their parts, conjugates and absolute values."""

import cmath
import math

import numpy as np

from tests.zoo.case import case, vector


def waves(size, seed=0):
    """Complex entries, away from the axes."""
    return vector(size, seed) + 1j * vector(size, seed + 1)


@case(0.7)
def parts_of_a_square(x):
    z = complex(x, 1.0)
    w = z * z
    return w.real * w.imag


@case(vector(3))
def turned(x):
    z = np.exp(1j * x)
    return np.sum(z.real * z.imag * x)


@case(0.7 + 0.4j)
def holomorphic_parts(z):
    w = z * z + np.exp(z) / (1.0 + z)
    return w.real + 2.0 * w.imag


@case(0.7 + 0.4j, 0.3)
def complex_result(z, x):
    return z**3 * x + cmath.sqrt(z) - z.conjugate() * 1j


@case(waves(3), vector(3))
def arrays(z, x):
    w = z * x + np.conj(z)
    w[1] = x[0] * w[2]
    w *= 2.0 - 1.0j
    return np.sum(np.abs(w)) + np.sum(w).real


@case(0.3, 0.5, 4)
def mandelbrot(a, b, n):
    z = 0.0 * a
    c = complex(a, b)
    for _ in range(n):
        z = z * z + c
    return abs(z)


@case(0.3, 0.5)
def real_or_complex(a, b):
    z = a * b
    if a > 0.1:
        z = complex(a, b) * z
    total = 0.0
    while abs(z) < 3.0:
        z = z * (1.5 + b * 1j)
        total += abs(z) ** 2
    return total * z.imag


@case(waves(4))
def power_spectrum(z):
    total = 0.0
    n = z.size
    for k in range(n):
        s = 0.0j
        for j in range(n):
            s += z[j] * np.exp(-2j * math.pi * k * j / n)
        total += (s.real**2 + s.imag**2) * k
    return total


@case(waves(3), waves(3, 5))
def dot_product(z, w):
    return abs(np.dot(z, w)) + abs(np.sum(np.conj(z) * w)) * np.angle(w[0])


@case(1.2, 0.3, 0.8)
def impedance(r, l, c):
    total = 0.0
    for k in range(1, 5):
        omega = 0.5 * k
        z = r + 1j * omega * l + 1.0 / (1j * omega * c)
        total += abs(1.0 / z) ** 2
    return total


@case(vector(3), 0.7)
def parts_of_reals(x, y):
    return np.sum(np.conj(x) * x) + np.real(y) ** 3 + np.conj(y) * y + np.sum(np.real(2.0 * x) ** 3)


@case(0.7, 0.3 + 0.4j)
def conversions(x, z):
    w = complex(x) * complex(z) + np.complex128(x)
    return w.imag + w.real * complex(w).imag


@case(-2.0)
def root_of_a_negative_number(x):
    return cmath.sqrt(x).imag + cmath.sqrt(x * x).real


@case(-1.5, 3.0)
def logarithms_to_a_base(x, b):
    return abs(cmath.log(x, b)) + cmath.log(b, 2).real + abs(cmath.log(x))


@case(2.5)
@case(-2.5)
def inverse_functions_on_their_cuts(x):
    return cmath.acos(x).imag + cmath.asin(x).imag * cmath.asin(x).real + abs(cmath.atanh(x))


@case(0.5)
def functions_of_a_real_number(x):
    z = cmath.exp(x) * cmath.sin(x) + cmath.cos(x) * cmath.tan(x)
    return z.real + (cmath.acos(x) * cmath.asin(x)).real + cmath.atan(x).real + cmath.asinh(x).real


@case(0.5, 3, True)
def of_whole_numbers_and_bools(x, n, b):
    return (cmath.sqrt(-n) * x).imag + (cmath.exp(b) * x * x).real + (cmath.sqrt(-1) * x).imag


@case(np.array([-1.0, 2.0, -3.0]))
def roots_in_a_loop(x):
    s = 0.0
    r = 0
    for i in range(x.size):
        r = cmath.sqrt(x[i])
        s += r.real + 2 * r.imag
    return s + abs(r)


@case(0.5)
def polar_and_back(x):
    s = 0.0
    z = x + 1j
    for _ in range(3):
        r, p = cmath.polar(z)
        z = cmath.rect(r * 1.1, p + x)
        s += r * p
    return s + z.real + cmath.phase(z)


@case(0.5)
def tested(x):
    if cmath.isnan(x) or cmath.isinf(1j * x):
        return 0.0
    return x * x if cmath.isfinite(x) else x


@case(0.7 + 0.4j, 1.3 - 0.2j)
@case(-0.7 - 0.4j, 2.0 + 0.5j)
@case(0.0j, 2.0 + 0.0j, wrt=0)
@case(-0.7 + 0.4j, 2.5)
@case(0.7, 1.3 - 0.2j)
@case(-0.7, 1.3 - 0.2j)
def power_of_numbers(z, w):
    v = z**w
    return v.real + 2.0 * v.imag


@case(waves(3), waves(3, 4))
@case(-waves(3), waves(1, 4))
@case(waves(3), 0.5 - 0.25j)
@case(vector(3), 0.5 - 0.25j)
@case(waves(3), vector(3, 2))
def power_of_arrays(z, w):
    v = z**w + np.power(w, z)
    return np.sum(v.real) + 2.0 * np.sum(v.imag)
