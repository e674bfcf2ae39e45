"""Orthogonal polynomials of whole degree, spherical Bessel functions and harmonics, which close under differentiation.

Polynomials are computed by their recurrences in the degree (DLMF 18.9.1), so that they are right for large degrees, too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp
from numba.core import types

from backsweep.runtime.overloads.forms import is_array, is_single, literal, refused
from backsweep.runtime.overloads.texts import stands_for
from backsweep.runtime.scipy.entries import by_entries
from backsweep.runtime.support.compiled import declared, kernel


@kernel
def _degree(n: float) -> int:
    """A degree as a whole number."""
    if n != math.floor(n):
        raise ValueError("compiled code computes polynomials of whole degree: the degree has a fraction")
    return int(n)


@kernel
def _first(n: int, x: float) -> float:
    """A polynomial of degree zero, or below; nan stays nan."""
    if math.isnan(x):
        return math.nan
    return 1.0 if n == 0 else 0.0


@kernel
def _gegenbauer(operands: tuple[float, float, float]) -> float:
    n, alpha, x = _degree(float(operands[0])), float(operands[1]), float(operands[2])
    if n <= 0:
        return _first(n, alpha + x)
    before, now = 1.0, 2.0 * alpha * x
    for k in range(2, n + 1):
        before, now = now, (2.0 * (k + alpha - 1.0) * x * now - (k + 2.0 * alpha - 2.0) * before) / k
    return now


@declared(by_entry=True)
@kernel
def gegenbauer_polynomial(n, alpha, x):
    """The ultraspherical polynomial; zero for degrees below zero."""
    return by_entries(_gegenbauer, (n, alpha, x))


@kernel
def _laguerre(operands: tuple[float, float, float]) -> float:
    n, alpha, x = _degree(float(operands[0])), float(operands[1]), float(operands[2])
    if n <= 0:
        return _first(n, alpha + x)
    before, now = 1.0, 1.0 + alpha - x
    for k in range(2, n + 1):
        before, now = now, ((2.0 * k - 1.0 + alpha - x) * now - (k - 1.0 + alpha) * before) / k
    return now


@declared(by_entry=True)
@kernel
def laguerre_polynomial(n, alpha, x):
    """The generalised Laguerre polynomial; zero for degrees below zero."""
    return by_entries(_laguerre, (n, alpha, x))


@kernel
def _hermite(operands: tuple[float, float, float]) -> float:
    n, scale, x = _degree(float(operands[0])), float(operands[1]), float(operands[2])
    if n <= 0:
        return _first(n, x) if n >= -1 else math.nan
    before, now = 1.0, scale * x
    for k in range(2, n + 1):
        before, now = now, scale * (x * now - (k - 1.0) * before)
    return now


@declared(by_entry=True)
@kernel
def hermite_polynomial(n, scale, x):
    """Hermite's polynomial: the physicists' for a scale of 2, the probabilists' for 1.

    That of degree -1 counts as zero, as the rule of differentiation needs it, and those below are nan.
    """
    return by_entries(_hermite, (n, scale, x))


@kernel
def _chebyshev(operands: tuple[float, float]) -> float:
    n, x = _degree(float(operands[0])), float(operands[1])
    if n <= 0:
        return _first(n, x)
    before, now = 1.0, x
    for _ in range(2, n + 1):
        before, now = now, 2.0 * x * now - before
    return now


@declared(by_entry=True)
@kernel
def chebyshev_polynomial(n, x):
    """Chebyshev's polynomial of the first kind; zero for degrees below zero."""
    return by_entries(_chebyshev, (n, x))


@kernel
def _spherical(operands: tuple[float, float, float]) -> float:
    kind, n, x = int(operands[0]), _degree(float(operands[1])), float(operands[2])
    if n < 0:
        return 0.0 if n == -1 else math.nan
    size = abs(x)
    sign = -1.0 if x < 0.0 and n % 2 == 1 else 1.0
    if size == math.inf:
        grows = kind == 2 or (kind == 3 and x < 0.0)
        return (sign if kind == 2 else -1.0) * math.inf if grows else 0.0
    root = math.sqrt(0.5 * math.pi / size) if size > 0.0 else math.inf
    if kind % 2 == 0:  # regular at zero, and even or odd
        if x == 0.0:
            return 1.0 if n == 0 else 0.0
        value = sp.jv(n + 0.5, size) if kind == 0 else sp.iv(n + 0.5, size)
        return float(sign * root * value)
    if x == 0.0:
        return -math.inf if kind == 1 else math.inf
    if kind == 1:
        return float((sign if x > 0.0 else -sign) * root * sp.yv(n + 0.5, size))
    value = root * sp.kv(n + 0.5, size)
    return float(value if x > 0.0 else -sign * value - math.pi * root * sp.iv(n + 0.5, size))


@declared(by_entry=True)
@kernel
def spherical_bessel(kind, n, x):
    """Spherical Bessel functions j, y, i and k, by their number in this order, of real numbers (DLMF 10.47, 10.49).

    That of order -1 counts as zero, as the rule of differentiation needs it, and those below are nan.
    """
    return by_entries(_spherical, (kind, n, x))


@kernel
def polar_part(n: int, m: int, theta):
    """The part of a harmonic of degree `n` and order `m` that depends on the polar angle."""
    if n < 0:
        raise ValueError("n should not be negative")
    order = abs(m)
    height, width = np.cos(theta), np.sin(theta)
    width = np.where(width < 0.0, -width, width)  # at the poles the slope is that of the angles from 0 to pi
    value = 0.28209479177387814 + 0.0 * height
    for k in range(1, order + 1):
        value = -math.sqrt((2.0 * k + 1.0) / (2.0 * k)) * width * value
    before = 0.0 * height
    for k in range(order + 1, n + 1):
        back = math.sqrt(((k - 1.0) ** 2 - order**2) / abs(4.0 * (k - 1.0) ** 2 - 1.0))
        following = math.sqrt((4.0 * k**2 - 1.0) / (1.0 * k**2 - order**2)) * (height * value - back * before)
        before = value
        value = following
    if order > n:
        value = 0.0 * height
    return -value if m < 0 and order % 2 == 1 else value


def _is_angle(type_: Any) -> bool:
    """Whether an argument is an angle, or an array of angles."""
    if is_array(type_):
        if is_single(type_):
            raise refused(
                "`scipy.special.sph_harm_y` is supported for double precision",
                "convert first: x.astype(np.float64).",
            )
        return isinstance(type_.dtype, types.Integer | types.Float)
    return isinstance(
        types.unliteral(type_) if isinstance(type_, types.Type) else type_, types.Integer | types.Float
    )


@stands_for(sp.sph_harm_y, polar_part=polar_part)
def sph_harm_y(n, m, theta, phi, diff_n=0):
    """The harmonic of one degree and order."""
    name = "scipy.special.sph_harm_y"
    if not _is_angle(theta) or not _is_angle(phi):
        return None
    if literal(diff_n) != 0:
        raise refused(f"`{name}` is supported with diff_n=0", "leave it out.")
    if not isinstance(n, types.Integer) or not isinstance(m, types.Integer):
        raise refused(f"`{name}` is supported for one degree and one order, whole numbers", "write the loop.")
    return "return polar_part(n, m, theta) * np.exp(1j * m * phi)"
