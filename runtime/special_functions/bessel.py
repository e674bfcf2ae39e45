"""Derivatives of the Bessel functions `jv` and `yv` with respect to their order, as often as wanted.

Integrals over a fixed path are differentiated under the sign: for orders above the argument, where `jv` is small, over the path of steepest
descent, on which the integrand is positive, and for other orders over the real axes. Small arguments have the power series, large ones
Hankel's. Against mpmath the error of the first three is below 1e-11 of the larger of the derivative and the amplitude, which is
`hypot(jv, yv)` at and beyond the turning point and `jv` or `yv` before it.

Sources: DLMF 10.9.6 and 10.9.7 (Schlaefli's integrals), 10.9.17 (the path), 10.2.2 and 10.17.5 (the series), 10.4.5 (negative orders).
"""

from __future__ import annotations

import math

import numpy as np

from backsweep.runtime.scipy.densities import gamma_density
from backsweep.runtime.scipy.entries import by_entries
from backsweep.runtime.special_functions.modified_bessel import (
    move_slopes,
    next_coefficient,
    of_exponential,
    sine_derivative,
    slopes_of_term,
)
from backsweep.runtime.support.compiled import declared, kernel

_SMALL = 1e-18
_POINTS, _WEIGHTS = (tuple(each.tolist()) for each in np.polynomial.legendre.leggauss(16))


@declared(by_entry=True)
@kernel
def jv_by_order(order, v, x):
    """The derivative of this order of `jv(v, x)` by `v`, for positive `x`; nan for others."""
    return by_entries(_jv_by_order, (order, v, x))


@declared(by_entry=True)
@kernel
def yv_by_order(order, v, x):
    """The derivative of this order of `yv(v, x)` by `v`, for positive `x`; nan for others."""
    return by_entries(_yv_by_order, (order, v, x))


@kernel
def _jv_by_order(operands: tuple[int, float, float]) -> float:
    n, v, x = int(operands[0]), float(operands[1]), float(operands[2])
    if x == 0.0 and v >= 0.0:
        return 0.0 if v > 0.0 else (-1.0) ** n * math.inf
    if not x > 0.0 or math.isnan(v) or math.isinf(v):
        return math.nan
    if math.isinf(x):
        return 0.0
    return _first_kind(n, v, x) if v >= 0.0 else _reflected(n, -v, x)[0]


@kernel
def _yv_by_order(operands: tuple[int, float, float]) -> float:
    n, v, x = int(operands[0]), float(operands[1]), float(operands[2])
    if not x > 0.0 or math.isnan(v) or math.isinf(v):
        return math.nan
    if math.isinf(x):
        return 0.0
    return _second_kind(n, v, x) if v >= 0.0 else _reflected(n, -v, x)[1]


@kernel
def _reflected(n: int, v: float, x: float) -> tuple[float, float]:
    """The derivatives of `jv` and `yv` at the order -v."""
    first, second, choose = 0.0, 0.0, 1.0
    for j in range(n + 1):
        sine, cosine = choose * sine_derivative(j, v), choose * sine_derivative(j, v + 0.5)
        one, other = _first_kind(n - j, v, x), _second_kind(n - j, v, x)
        if cosine != 0.0:
            first += cosine * one
            second += cosine * other
        if sine != 0.0:
            first -= sine * other
            second += sine * one
        choose *= (n - j) / (j + 1.0)
    return (-first, -second) if n % 2 == 1 else (first, second)


@kernel
def _first_kind(n: int, v: float, x: float) -> float:
    if 0.25 * x * x <= 1.5 * (v + 1.0):
        return _by_power_series(n, v, x)
    if x > max(40.0, 0.5 * v * v):
        return _by_asymptotic_series(n, v, x)[0]
    if v > x + 2.0 * np.cbrt(x):
        return _by_descent(n, v, x)
    falling = _falling(n, -v, x)
    total, choose = _oscillating(n, v, x).real, 1.0
    for j in range(n + 1):
        part = falling[j] if j % 2 == 0 else -falling[j]
        total -= choose * sine_derivative(n - j, v) * part
        choose *= (n - j) / (j + 1.0)
    return float(total / math.pi)


@kernel
def _second_kind(n: int, v: float, x: float) -> float:
    if x > max(40.0, 0.5 * v * v):
        return _by_asymptotic_series(n, v, x)[1]
    falling = _falling(n, -v, x)
    total, choose = _oscillating(n, v, x).imag - _falling(n, v, x)[n], 1.0
    for j in range(n + 1):
        part = falling[j] if j % 2 == 0 else -falling[j]
        total -= choose * sine_derivative(n - j, v + 0.5) * part
        choose *= (n - j) / (j + 1.0)
    return float(total / math.pi)


@kernel
def _by_power_series(n: int, v: float, x: float) -> float:
    half = 0.5 * x
    slopes = slopes_of_term(n, half, v + 1.0)
    weight, total, k = gamma_density(v + 1.0, half) * np.exp(half), 0.0, 0.0
    size = 0.0
    while k < 500.0:
        term = weight * of_exponential(n, slopes)
        total += term
        size += abs(term)
        move_slopes(n, slopes, v + k + 1.0, 1.0)
        k += 1.0
        weight *= -half / k * (half / (v + k))
        if k > 3.0 and abs(term) <= _SMALL * size:
            break
    return float(total)


@kernel
def _by_asymptotic_series(n: int, v: float, x: float) -> tuple[float, float]:
    """Both derivatives, of Hankel's function as a product of power series in the step of `v`."""
    coefficient = np.zeros(n + 1)
    total = np.zeros(n + 1, np.complex128)
    coefficient[0] = 1.0
    total[0] = 1.0
    turn = 1.0 + 0.0j
    for k in range(1, int(2.0 * x)):
        size = next_coefficient(coefficient, k, v, x)
        turn *= 1j
        total += turn * coefficient
        if k > v and size <= _SMALL * abs(total[n]):
            break
    quarter = (0.5 * v + 0.25) % 2.0
    term = complex(math.cos(math.pi * quarter), -math.sin(math.pi * quarter))
    term *= complex(math.cos(x), math.sin(x)) * math.sqrt(2.0 / (math.pi * x))
    value, factor = 0.0j, 1.0
    for j in range(n + 1):
        value += term * total[n - j]
        term *= -0.5j * math.pi / (j + 1.0)
        factor *= max(j, 1)
    return float(factor * value.real), float(factor * value.imag)


@kernel
def _by_descent(n: int, v: float, x: float) -> float:
    """Over the path t + i s with cosh(t) = v s / (x sin(s)), for `v` above `x`."""
    step = min(0.1, 0.35 / math.sqrt(math.sqrt((v - x) * (v + x))))
    total = 0.0
    for k in range(int(math.pi / step) + 1):
        s = k * step
        if s < 1e-3:
            ratio, slope = 1.0 + s * s / 6.0, s / 3.0
        else:
            sine = math.sin(s)
            ratio, slope = s / sine, (sine - s * math.cos(s)) / (sine * sine)
        height = v / x * ratio
        root = math.sqrt((height - 1.0) * (height + 1.0))
        t = math.log(height + root)
        exponent = v * t - x * root * math.cos(s)
        value = (complex(-t, -s) ** n * complex(1.0, -v / x * slope / root)).real * np.exp(-exponent)
        if k > 3 and abs(value) <= _SMALL * abs(total):
            break
        total += 0.5 * value if k == 0 else value
    return float(step * total / math.pi)


@kernel
def _oscillating(n: int, v: float, x: float) -> complex:
    """The integral of (-i t)^n exp(i (x sin(t) - v t)) for t from 0 to pi."""
    panels = int(0.45 * (x + v)) + 2
    half = 0.5 * math.pi / panels
    total = 0.0j
    for panel in range(panels):
        middle = (2 * panel + 1) * half
        for point, weight in zip(_POINTS, _WEIGHTS):  # noqa: B905  Numba has no `strict`
            t = middle + half * point
            phase = x * math.sin(t) - v * t
            total += weight * t**n * complex(math.cos(phase), math.sin(phase))
    return half * total * (-1j) ** n


@kernel
def _falling(n: int, v: float, x: float):
    """The integrals of t^j exp(v t - x sinh(t)), j = 0, ..., n, for positive t."""
    found = np.zeros(n + 1)
    top = math.acosh(v / x) if v > x else 0.0
    peak = v * top - x * np.sinh(top)
    start = 0.0
    while start < 800.0:
        exponent = v * start - x * np.sinh(start)
        if start > top and exponent < peak - 46.0:
            break
        slope, bend = abs(v - x * np.cosh(start)), x * np.sinh(start)
        width = min(0.75, 6.0 / (slope + 1e-3), 3.0 / math.sqrt(bend + 1e-3), 3.0 / np.cbrt(x + 1e-3))
        half, middle = 0.5 * width, start + 0.5 * width
        if start > top or v * (start + width) - x * np.sinh(start + width) > peak - 46.0:
            for point, weight in zip(_POINTS, _WEIGHTS):  # noqa: B905  Numba has no `strict`
                t = middle + half * point
                term = half * weight * np.exp(v * t - x * np.sinh(t))
                for j in range(n + 1):
                    found[j] += term
                    term *= t
        start += width
    return found
