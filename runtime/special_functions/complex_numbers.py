"""Derivatives of functions of complex numbers for which SciPy has no function: of the digamma function, of Carlson's integrals.

Sources: DLMF 5.5, 5.11 and 5.15; for Carlson's integrals those of `carlson.py`.
"""

from __future__ import annotations

import cmath
import math

import numpy as np
import scipy.special as sp

from backsweep.runtime.scipy.entries import by_entries
from backsweep.runtime.support.compiled import declared, kernel

_STEP = 0.4
_LOGARITHM = 40.0  # of a sum over its smallest term that counts
_FAR = 16.0  # where eight terms of an asymptotic series have sixteen digits
_BERNOULLI = np.array(
    [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330]
)
_HIGHEST = 8  # order of a derivative
_TERMS = 12


@declared(by_entry=True)
@kernel
def complex_polygamma(order, z):
    """The derivative of the digamma function of an order that is at least one, of complex numbers; nan at its poles."""
    return by_entries(_complex_polygamma, (order, z))


@kernel
def _complex_polygamma(operands: tuple[int, complex]) -> complex:
    order, z = int(operands[0]), complex(operands[1])
    if order > _HIGHEST or not cmath.isfinite(z) or (z.imag == 0.0 and z.real == math.floor(z.real) <= 0.0):
        return complex(math.nan, math.nan)
    if z.real >= 0.5:
        return _to_the_right(order, z)
    # by reflection (DLMF 5.15.6)
    mirrored = _to_the_right(order, 1.0 - z)
    return (mirrored if order % 2 == 0 else -mirrored) - _cotangent(order, z)


@kernel
def _to_the_right(order: int, z: complex) -> complex:
    """By the recurrence (DLMF 5.15.5) to where the asymptotic series holds (DLMF 5.15.8, 5.15.9)."""
    factor = 1.0  # (order - 1)!
    for i in range(1, order):
        factor *= i
    total = 0.0j
    while z.real * z.real + z.imag * z.imag < (_FAR + order) * (_FAR + order):
        total += factor * order / z ** (order + 1)
        z += 1.0
    total += factor / z**order + 0.5 * factor * order / z ** (order + 1)
    rising = factor * order * (order + 1.0) / 2.0  # (2k + order - 1)! / (2k)!
    for k in range(len(_BERNOULLI)):
        total += _BERNOULLI[k] * rising / z ** (2 * k + 2 + order)
        rising *= (2.0 * k + 2.0 + order) * (2.0 * k + 3.0 + order) / ((2.0 * k + 3.0) * (2.0 * k + 4.0))
    return total if order % 2 == 1 else -total


@kernel
def _cotangent(order: int, z: complex) -> complex:
    """The derivative of pi cot(pi z) of an order.

    Near the real axis a polynomial in the cotangent c, whose derivative by z is -pi (1 + c^2); elsewhere, where that cancels, a sum of powers of
    exp(2 pi i z) or its inverse.
    """
    z -= math.floor(z.real + 0.5)
    total = 0.0j
    if abs(z.imag) > 1.0:
        turn = math.copysign(2.0 * math.pi, z.imag) * 1.0j
        for k in range(_TERMS, 0, -1):
            total -= turn * (k * turn) ** order * cmath.exp(k * turn * z)
        return total
    c = cmath.cos(math.pi * z) / cmath.sin(math.pi * z)
    polynomial = np.zeros(_HIGHEST + 2)
    polynomial[1] = 1.0
    for degree in range(1, order + 1):
        following = np.zeros(_HIGHEST + 2)
        for k in range(1, degree + 1):
            following[k - 1] -= k * polynomial[k]
            following[k + 1] -= k * polynomial[k]
        polynomial = following
    for k in range(_HIGHEST + 1, -1, -1):
        total = total * c + polynomial[k]
    return math.pi ** (order + 1) * total


@declared(by_entry=True)
@kernel
def complex_erfcx_derivative(order, z):
    """The first or second derivative of `erfcx` of complex numbers (DLMF 7.18.4)."""
    return by_entries(_complex_erfcx_derivative, (order, z))


@kernel
def _complex_erfcx_derivative(operands: tuple[int, complex]) -> complex:
    """Far to the right, where the formula cancels, by the asymptotic series (DLMF 7.12.1)."""
    order, z = int(operands[0]), complex(operands[1])
    if order > 2:
        return complex(math.nan, math.nan)
    if not (z.real > 0.0 and z.real * z.real + z.imag * z.imag > 900.0):
        value = complex(sp.erfcx(z))
        slope = 2.0 * z * value - 1.1283791670955126
        return slope if order == 1 else 2.0 * (value + z * slope)
    w = 0.5 / (z * z)
    total, term = 0.0j, 1.0 / (math.sqrt(math.pi) * z)
    for k in range(10):
        total += (2 * k + 1) * (-term / z if order == 1 else (2 * k + 2) * term / (z * z))
        term *= -(2 * k + 1) * w
    return total


@declared(by_entry=True)
@kernel
def complex_carlson_integral(powers, x, y, z, p):
    """`carlson_integral` of complex numbers off the negative axis."""
    return by_entries(_complex_carlson_integral, (powers, x, y, z, p))


@kernel
def _complex_carlson_integral(operands: tuple[int, complex, complex, complex, complex]) -> complex:
    """Along the ray from zero whose direction lies between those of the arguments, with a step for the strip that is left (see `carlson.py`)."""
    powers = int(operands[0])
    m = float(powers // 100_000_000)
    least, most = math.inf, 0.0
    lowest, highest = math.inf, -math.inf
    near, far = m + 1.0, -m - 1.0
    places = np.array(
        [complex(operands[1]), complex(operands[2]), complex(operands[3]), complex(operands[4])]
    )
    halves = np.empty(4)
    for k in range(4):
        halves[k] = 0.5 * (powers // 100**k % 100)
        if halves[k] > 0.0:
            size = abs(places[k])
            if not size < math.inf:
                return complex(math.nan, math.nan)
            far += halves[k]
            if size > 0.0:
                angle = cmath.phase(places[k])
                lowest, highest = min(lowest, angle), max(highest, angle)
                least, most = min(least, size), max(most, size)
            else:
                near -= halves[k]
    if near <= 0.0 or far <= 0.0 or most == 0.0:
        return complex(math.inf, 0.0)
    strip = math.pi - 0.5 * (highest - lowest)
    if max(-lowest, highest) >= math.pi or strip < 0.01:
        return complex(math.nan, math.nan)
    turn = cmath.exp(0.5j * (lowest + highest))
    places /= most * turn
    step = _STEP * strip / math.pi
    u = math.log(least / most) - _LOGARITHM / near
    total = 0.0j
    while u < _LOGARITHM / far:
        t = math.exp(u)
        term = complex(t ** (m + 1.0))
        for k in range(4):
            if halves[k] > 0.0:
                term *= (t + places[k]) ** -halves[k]
        total += term
        u += step
    return step * total * (most * turn) ** -far
