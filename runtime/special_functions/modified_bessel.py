"""Derivatives of modified Bessel functions with respect to their order, as often as wanted.

Those of `kve` are integrals of smooth functions, for which the trapezoidal rule converges geometrically. Those of `ive` are sums of the power
series, from its largest term on, or for large `x` of the asymptotic one. Against mpmath the relative error of the first three is below 1e-12
for `kve`, and 1e-11 of the function itself for `ive`.

Sources: DLMF 10.32.9 (the integral), 10.25.2 and 10.40.1 (the series), 10.27.2 (negative orders); L. N. Trefethen and J. A. C. Weideman, The
exponentially convergent trapezoidal rule, SIAM Review 56 (2014).
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from backsweep.runtime.scipy.densities import gamma_density
from backsweep.runtime.scipy.entries import by_entries
from backsweep.runtime.scipy.series import zeta
from backsweep.runtime.support.compiled import declared, kernel

_STEPS = 10_000_000
_SMALL = 1e-18


@declared(by_entry=True)
@kernel
def kve_by_order(order, v, x):
    """The derivative of this order of `kve(v, x)` by `v`, for positive `x`; nan for others."""
    return by_entries(_kve_by_order, (order, v, x))


@declared(by_entry=True)
@kernel
def kv_by_order(order, v, x):
    """The derivative of this order of `kv(v, x)` by `v`, for positive `x`; nan for others."""
    return by_entries(_kv_by_order, (order, v, x))


@declared(by_entry=True)
@kernel
def ive_by_order(order, v, x):
    """The derivative of this order of `ive(v, x)` by `v`, for positive `x`; nan for others."""
    return by_entries(_ive_by_order, (order, v, x))


@declared(by_entry=True)
@kernel
def iv_by_order(order, v, x):
    """The derivative of this order of `iv(v, x)` by `v`, for positive `x`; nan for others."""
    return by_entries(_iv_by_order, (order, v, x))


@kernel
def _kve_by_order(operands: tuple[int, float, float]) -> float:
    return scaled_k(int(operands[0]), float(operands[1]), float(operands[2]), 0.0)


@kernel
def _kv_by_order(operands: tuple[int, float, float]) -> float:
    x = float(operands[2])
    return scaled_k(int(operands[0]), float(operands[1]), x, -x)


@kernel
def _ive_by_order(operands: tuple[int, float, float]) -> float:
    return float(scaled_i(int(operands[0]), float(operands[1]), float(operands[2])))


@kernel
def _iv_by_order(operands: tuple[int, float, float]) -> float:
    half = np.exp(min(0.5 * float(operands[2]), 700.0))
    return float(scaled_i(int(operands[0]), float(operands[1]), float(operands[2])) * half * half)


@kernel
def scaled_k(n: int, v: float, x: float, shift: float) -> float:
    """The n-th derivative of `kve` by `v`, times exp(shift): the integral of t^n cosh(v t), for odd n sinh(v t), times exp(-x (cosh(t) - 1))."""
    if not x > 0.0 or math.isnan(v) or math.isinf(v):
        return math.nan
    if math.isinf(x):
        return 0.0
    odd = n % 2 == 1
    sign = -1.0 if odd and v < 0.0 else 1.0
    v = abs(v)
    width = 1.0 / math.sqrt(math.hypot(x, v))
    step = min(0.18, 0.5 * width)
    middle = int(math.asinh(v / x) / step) if x > 1e-300 * v else int(700.0 / step)
    total = 0.0
    for direction in (-1, 1):
        j = middle if direction == -1 else middle + 1
        largest = 0.0
        while 0 <= j < _STEPS:
            t = j * step
            exponent = v * t - 2.0 * x * np.sinh(0.5 * t) ** 2 + shift
            other = -math.expm1(-2.0 * v * t) if odd else 1.0 + np.exp(-2.0 * v * t)
            term = t**n * np.exp(exponent) * other * (0.5 if j == 0 else 1.0)
            total += term
            largest = max(largest, term)
            if (term <= _SMALL * total and term < largest) or (direction == 1 and exponent < -760.0):
                break
            j += direction
    return sign * 0.5 * step * total


@kernel
def scaled_i(n: int, v: float, x: float) -> float:
    """The n-th derivative of `ive` by `v`."""
    if not x >= 0.0 or math.isnan(v) or math.isinf(v):
        return math.nan
    if math.isinf(x):
        return 0.0
    if x == 0.0:
        return 0.0 if v > 0.0 else (math.nan if v < 0.0 else (-1.0) ** n * math.inf)
    if v >= 0.0:
        return _by_asymptotic_series(n, v, x) if x > max(40.0, 0.5 * v * v) else _by_power_series(n, v, x)
    # of -v it is that of I plus 2 sin(pi v) / pi times that of K
    total = scaled_i(n, -v, x)
    choose = 1.0
    for j in range(n + 1):
        factor = sine_derivative(j, -v)
        if factor != 0.0:
            total += 2.0 / math.pi * choose * factor * scaled_k(n - j, -v, x, -2.0 * x)
        choose *= (n - j) / (j + 1.0)
    return -total if n % 2 == 1 else total


@kernel
def sine_derivative(n: int, v: float) -> float:
    """The n-th derivative of sin(pi v) by `v`, exactly zero where it is."""
    turned = (v + 0.5 * (n % 4)) % 2.0
    if turned in (0.0, 1.0):
        return 0.0
    return float(math.sin(math.pi * turned) * math.pi**n)


@kernel
def of_exponential(n: int, slopes) -> float:
    """The n-th derivative of exp(f), over exp(f), from those of f: `slopes[0]` is the first (Bell's polynomials)."""
    found = np.ones(n + 1)
    for k in range(1, n + 1):
        total, choose = 0.0, 1.0
        for j in range(k):
            total += choose * slopes[j] * found[k - 1 - j]
            choose *= (k - 1.0 - j) / (j + 1.0)
        found[k] = total
    return float(found[n])


@kernel
def slopes_of_term(n: int, half: float, z: float):
    """The first n derivatives of `z log(half) - gammaln(z)` by `z`."""
    slopes = np.zeros(max(n, 1))
    slopes[0] = math.log(half) - sp.psi(z)
    factor = 1.0
    for j in range(1, n):
        factor *= -j
        slopes[j] = factor * zeta(j + 1.0, z)  # less the polygamma function (DLMF 25.11.12)
    return slopes


@kernel
def move_slopes(n: int, slopes, z: float, sign: float) -> None:
    """From the slopes at `z` to those at `z + 1`, or with -1 from those at `z + 1` to those at `z`."""
    term = 1.0 / z
    for j in range(n):
        slopes[j] -= sign * term
        term *= -(j + 1.0) / z


@kernel
def _by_power_series(n: int, v: float, x: float) -> float:
    half = 0.5 * x
    middle = _largest(v, half * half)
    first = gamma_density(middle + 1.0, half) * gamma_density(v + 1.0 + middle, half)
    return float(first * _around(n, v + 1.0, half * half, half, middle))


@kernel
def _largest(v: float, product: float) -> float:
    """Of which k the term product^k / (k! gamma(v + k + 1)) is the largest."""
    if product == 0.0:
        return 0.0
    root = math.sqrt(v * v + 4.0 * product)
    return float(np.floor(2.0 * product / (v + root) if v > 0.0 else 0.5 * (root - v)))


@kernel
def _around(n: int, shape: float, product: float, base: float, middle: float) -> float:
    """The sum of the n-th derivatives by `shape` of base^(shape + k) (product / base)^k / (k! gamma(shape + k)), over the term of `middle`."""
    slopes = slopes_of_term(n, base, shape + middle)
    total, size, weight, k = 0.0, 0.0, 1.0, middle
    while k < middle + _STEPS:
        term = weight * of_exponential(n, slopes)
        total += term
        size += abs(term)
        move_slopes(n, slopes, shape + k, 1.0)
        k += 1.0
        weight *= product / (k * (shape + (k - 1.0)))
        if weight <= _SMALL and abs(term) <= _SMALL * size:
            break
    slopes = slopes_of_term(n, base, shape + middle)
    weight, k = 1.0, middle
    while k > 0.0:
        weight *= k * (shape + (k - 1.0)) / product
        move_slopes(n, slopes, shape + (k - 1.0), -1.0)
        k -= 1.0
        term = weight * of_exponential(n, slopes)
        total += term
        size += abs(term)
        if weight <= _SMALL and abs(term) <= _SMALL * size:
            break
    return total


@declared(by_entry=True)
@kernel
def noncentral_density_by_freedom(order, x, df, nc):
    """The derivative of this order of `noncentral_density` by `df`, for positive `x` and `df`; nan for others."""
    return by_entries(_noncentral_density_by_freedom, (order, x, df, nc))


@kernel
def _noncentral_density_by_freedom(operands: tuple[int, float, float, float]) -> float:
    """The terms are those of the Bessel function of order df / 2 - 1."""
    n, x, df, nc = int(operands[0]), float(operands[1]), float(operands[2]), float(operands[3])
    if not (x > 0.0 and df > 0.0 and nc >= 0.0) or math.isinf(df) or math.isinf(nc):
        return math.nan
    if math.isinf(x):
        return 0.0
    shape, product = 0.5 * df, 0.25 * x * nc
    middle = _largest(shape - 1.0, product)
    first = gamma_density(shape + middle, 0.5 * x)
    if nc > 0.0:
        first *= gamma_density(middle + 1.0, 0.5 * nc)
    return float(0.5 ** (n + 1) * first * _around(n, shape, product, 0.5 * x, middle))


@kernel
def next_coefficient(coefficient, k: int, v: float, x: float) -> float:
    """From the power series in the step of `v` of a_(k-1)(v) / x^(k-1) to that of a_k(v) / x^k (DLMF 10.17.1), and its size."""
    odd = 2.0 * k - 1.0
    scale = 1.0 / (8.0 * k * x)
    value, slope, bend = (2.0 * v - odd) * (2.0 * v + odd) * scale, 8.0 * v * scale, 4.0 * scale
    size = 0.0
    for j in range(coefficient.size - 1, -1, -1):
        moved = value * coefficient[j]
        if j > 0:
            moved += slope * coefficient[j - 1]
        if j > 1:
            moved += bend * coefficient[j - 2]
        coefficient[j] = moved
        size = max(size, abs(moved))
    return size


@kernel
def _by_asymptotic_series(n: int, v: float, x: float) -> float:
    coefficient, total = np.zeros(n + 1), np.zeros(n + 1)
    coefficient[0] = total[0] = 1.0
    sign = 1.0
    for k in range(1, int(2.0 * x)):
        size = next_coefficient(coefficient, k, v, x)
        sign = -sign
        total += sign * coefficient
        if k > v and size <= _SMALL * abs(total[n]):
            break
    factor = 1.0 / math.sqrt(2.0 * math.pi * x)
    for k in range(2, n + 1):
        factor *= k
    return float(factor * total[n])
