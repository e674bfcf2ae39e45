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
