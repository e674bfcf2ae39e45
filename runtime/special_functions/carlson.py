"""Integrals of products of powers of linear factors, of which elliptic integrals and all of their derivatives consist.

Carlson's symmetric ones are such integrals, and Legendre's incomplete ones after a change of the variable.
After t = exp(u) the integrand is analytic for |Im u| < pi and decays exponentially on both sides, so that the trapezoidal rule with this step has
an error below 1e-16; all terms are positive, and nothing cancels. Against mpmath, for arguments from 1e-8 to 1e8, the relative error is below
1e-14.

Sources: DLMF 19.16, 19.18 and 19.25; L. N. Trefethen and J. A. C. Weideman, The exponentially convergent trapezoidal rule (2014).
"""

from __future__ import annotations

import cmath
import math

import numpy as np

from backsweep.runtime.scipy.entries import by_entries
from backsweep.runtime.support.compiled import declared, kernel

_STEP = 0.4
_LOGARITHM = 40.0  # of a sum over its smallest term that counts


@declared(by_entry=True)
@kernel
def carlson_integral(powers, x, y, z, p):
    """The integral of t^m (t + x)^-a (t + y)^-b (t + z)^-c (t + p)^-d over positive t.

    `powers` has 2a, 2b, 2c, 2d and m as its digits to the base 100, the lowest first. It is nan where an argument is negative, and infinite where
    the integral is.
    """
    return by_entries(_carlson_integral, (powers, x, y, z, p))


@kernel
def _carlson_integral(operands: tuple[int, float, float, float, float]) -> float:
    powers = int(operands[0])
    x, y, z, p = float(operands[1]), float(operands[2]), float(operands[3]), float(operands[4])
    a, b, c, d = (
        0.5 * (powers % 100),
        0.5 * (powers // 100 % 100),
        0.5 * (powers // 10_000 % 100),
        0.5 * (powers // 1_000_000 % 100),
    )
    m = float(powers // 100_000_000)
    least, most = math.inf, 0.0
    near = m + 1.0  # the exponent of t near zero, of t times the integrand
    for at, power in ((x, a), (y, b), (z, c), (p, d)):
        if power > 0.0:
            if not 0.0 <= at < math.inf:
                return math.nan
            if at > 0.0:
                least, most = min(least, at), max(most, at)
            else:
                near -= power
    far = a + b + c + d - m - 1.0
    if near <= 0.0 or far <= 0.0 or most == 0.0:
        return math.inf
    u = math.log(least / most) - _LOGARITHM / near
    last = _LOGARITHM / far
    x, y, z, p = x / most, y / most, z / most, p / most
    total = 0.0
    while u < last:
        t = math.exp(u)
        factors = (t + x) ** -a * (t + y) ** -b * (t + z) ** -c
        if d > 0.0:
            factors *= (t + p) ** -d
        total += t ** (m + 1.0) * factors
        u += _STEP
    return float(_STEP * total * most**-far)


@declared(by_entry=True)
@kernel
def legendre_integral(powers, phi, m):
    """The integral of sin(t)^2n (1 - m sin(t)^2)^-a for t from 0 to phi.

    `powers` has 2a and n as its digits to the base 100, the lowest first, where a is less than n + 1.
    """
    return by_entries(_legendre_integral, (powers, phi, m))


@kernel
def _legendre_integral(operands: tuple[int, float, float]) -> float:
    powers, phi, m = int(operands[0]), float(operands[1]), float(operands[2])
    if not abs(phi) < math.inf:
        return math.nan
    turns = math.floor(phi / math.pi + 0.5)
    part = _within_a_quarter(powers, phi - turns * math.pi, m)
    return part if turns == 0.0 else part + 2.0 * turns * _within_a_quarter(powers, 0.5 * math.pi, m)


@kernel
def _within_a_quarter(powers: int, phi: float, m: float) -> float:
    """The integral up to an angle of at most a right one, in 1 / sin(t)^2 instead of t."""
    sine = abs(math.sin(phi))
    if sine < 1e-100:  # whose square is nothing
        return 0.0
    double_a, n = powers % 100, powers // 100
    first, cotangent = 1.0 / (sine * sine), math.cos(phi) / sine
    factors = 2 * n + 2 - double_a + 100 + 10_000 * double_a
    return math.copysign(
        0.5 * _carlson_integral((factors, first, cotangent * cotangent, first - m, 1.0)), phi
    )


@declared(by_entry=True)
@kernel
def complex_carlson_integral(powers, x, y, z, p):
    """`carlson_integral` of complex numbers off the negative axis."""
    return by_entries(_complex_carlson_integral, (powers, x, y, z, p))


@kernel
def _complex_carlson_integral(operands: tuple[int, complex, complex, complex, complex]) -> complex:
    """Along the ray from zero whose direction lies between those of the arguments, with a step for the strip that is left."""
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
