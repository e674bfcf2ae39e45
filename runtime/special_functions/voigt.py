"""Faddeeva's function, derivatives of Voigt's profile, the imaginary part that belongs to it, and derivatives of `erfcx` of complex numbers.

The profile is the real part of Faddeeva's function w(z) at z = (x + i gamma) / (sigma sqrt(2)), over sigma sqrt(2 pi). Near zero a rational
function stands for w, far away its asymptotic series. Against mpmath the error is below 1e-11 of the size of the derivative of w.

Sources: J. Weideman, Computation of the complex error function, SIAM J. Numer. Anal. 31 (1994); DLMF 7.7.2, 7.10.3, 7.12.1.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp
from numba.core import types

from backsweep.runtime.overloads.forms import is_array, is_single, refused
from backsweep.runtime.overloads.texts import stands_for
from backsweep.runtime.scipy.entries import by_entries
from backsweep.runtime.support.compiled import declared, kernel

_TERMS = 48
WIDTH = math.sqrt(_TERMS / math.sqrt(2.0))


def _coefficients() -> tuple[float, ...]:
    """The coefficients of the rational function, that of the highest power first."""
    angles = np.arange(-2 * _TERMS + 1, 2 * _TERMS) * (np.pi / (2 * _TERMS))
    points = WIDTH * np.tan(0.5 * angles)
    values = np.concatenate(([0.0], np.exp(-(points**2)) * (WIDTH**2 + points**2)))
    found = np.fft.fft(np.fft.fftshift(values)).real / (4 * _TERMS)
    return tuple(found[_TERMS:0:-1].tolist())


COEFFICIENTS = _coefficients()


@kernel
def faddeeva(z: complex) -> tuple[complex, complex]:
    """Faddeeva's function in the upper half of the plane, and its derivative."""
    if abs(z) < 6.0:
        below = WIDTH - 1j * z
        ratio, total = (WIDTH + 1j * z) / below, 0.0j
        for k in range(_TERMS):
            total = total * ratio + COEFFICIENTS[k]
        value = 2.0 * total / (below * below) + 0.5641895835477563 / below
        return value, 1.1283791670955126j - 2.0 * z * value
    square = 0.5 / (z * z)
    term, total, slope = 1.0 + 0.0j, 0.0j, 0.0j
    for n in range(40):
        total += term
        slope -= (2 * n + 1) * term
        following = term * (2 * n + 1) * square
        if abs(following) >= abs(term) or abs(following) <= 1e-18 * abs(total):
            break
        term = following
    return 0.5641895835477563j * total / z, 0.5641895835477563j * slope / (z * z)


@kernel
def _value_and_slope(x: float, sigma: float, gamma: float) -> tuple[complex, complex]:
    """Profile and imaginary part as a complex number, and its derivative by `x`."""
    if not (sigma >= 0.0 and gamma >= 0.0) or math.isnan(x):
        return complex(math.nan, math.nan), complex(math.nan, math.nan)
    if sigma == 0.0:
        z = complex(x, gamma)
        return 0.3183098861837907j / z, -0.3183098861837907j / (z * z)
    narrow, height = 1.0 / (sigma * 1.4142135623730951), 1.0 / (sigma * 2.5066282746310007)
    value, slope = faddeeva(complex(x * narrow, gamma * narrow))
    if gamma == 0.0:  # the profile is normal, and far out much smaller than the imaginary part
        bell = math.exp(-0.5 * (x / sigma) ** 2)
        value, slope = complex(bell, value.imag), complex(-2.0 * x * narrow * bell, slope.imag)
    return height * value, height * narrow * slope


@kernel
def _by_x(operands: tuple[float, float, float]) -> float:
    return float(_value_and_slope(float(operands[0]), float(operands[1]), float(operands[2]))[1].real)


@kernel
def _by_gamma(operands: tuple[float, float, float]) -> float:
    return float(-_value_and_slope(float(operands[0]), float(operands[1]), float(operands[2]))[1].imag)


@kernel
def _imaginary(operands: tuple[float, float, float]) -> float:
    return float(_value_and_slope(float(operands[0]), float(operands[1]), float(operands[2]))[0].imag)


@declared(by_entry=True)
@kernel
def voigt_by_x(x, sigma, gamma):
    """The derivative of `voigt_profile` by `x`."""
    return by_entries(_by_x, (x, sigma, gamma))


@declared(by_entry=True)
@kernel
def voigt_by_gamma(x, sigma, gamma):
    """The derivative of `voigt_profile` by `gamma`."""
    return by_entries(_by_gamma, (x, sigma, gamma))


@declared(by_entry=True)
@kernel
def voigt_imaginary(x, sigma, gamma):
    """The imaginary part that belongs to `voigt_profile`."""
    return by_entries(_imaginary, (x, sigma, gamma))


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


@stands_for(sp.wofz, dawsn=sp.dawsn, voigt_profile=sp.voigt_profile, voigt_imaginary=voigt_imaginary)
def wofz(x):
    """Faddeeva's function; below the real axis by its reflection (DLMF 7.4.3)."""
    if is_array(x) and is_single(x):
        raise refused(
            "`scipy.special.wofz` is supported for double precision", "convert first: x.astype(np.float64)."
        )
    kind = x.dtype if is_array(x) else types.unliteral(x) if isinstance(x, types.Type) else None
    if isinstance(kind, types.Float | types.Integer):
        return "v = 1.0 * x\nreturn np.exp(-v * v) + 1.1283791670955126j * dawsn(v)"
    if not isinstance(kind, types.Complex):
        return None
    above = """
width = 0.7071067811865476
value = 1.772453850905516 * (voigt_profile(p, width, q) + 1j * voigt_imaginary(p, width, q))
"""
    if is_array(x):
        return f"""
below = x.imag < 0.0
p, q = np.where(below, -x.real, x.real), np.where(below, -x.imag, x.imag){above}
z = np.where(below, x, 0.0)
return np.where(below, 2.0 * np.exp(-z * z) - value, value)
"""
    return f"""
below = x.imag < 0.0
p, q = -x.real if below else x.real, -x.imag if below else x.imag{above}
if below:
    return 2.0 * np.exp(-x * x) - value
return value
"""
