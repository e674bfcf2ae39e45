"""Densities of the gamma, beta, Student's and noncentral chi-squared distributions, and the tails of the skewed normal one.

Large terms that nearly cancel are taken together.

Source: C. Loader, Fast and accurate computation of binomial probabilities (2000).
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from backsweep.runtime.scipy.entries import by_entries
from backsweep.runtime.support.compiled import declared, kernel

_TURN = 6.283185307179586
_LOG_2 = math.log(2.0)
_HALF_LOG_TURN = 0.5 * math.log(_TURN)
_ROOT_2 = math.sqrt(2.0)
_PLACES, _WEIGHTS = (tuple(each.tolist()) for each in np.polynomial.legendre.leggauss(64))


@kernel
def stirling_error(n: float) -> float:
    """How much the logarithm of `gamma(n + 1)` exceeds Stirling's formula (DLMF 5.11.1)."""
    if n <= 15.0:
        return float(sp.gammaln(n + 1.0) - (n + 0.5) * math.log(n) + n - 0.9189385332046728)
    square = 1.0 / (n * n)
    tail = 1.0 / 1188.0 - square * (691.0 / 360360.0 - square / 156.0)
    return (
        1.0 / 12.0
        - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square * tail)))
    ) / n


@kernel
def deviance(x: float, mean: float) -> float:
    """`x log(x / mean) + mean - x`; near the mean by a series."""
    if not abs(x - mean) < 0.1 * (x + mean):  # infinite numbers, too
        above = x / mean
        # beyond the smallest and the largest number the logarithms have the quotient still
        log = math.log(above) if 0.0 < above < math.inf else math.log(x) - math.log(mean)
        return x * log + mean - x
    ratio = (x - mean) / (x + mean)
    total = (x - mean) * ratio
    term = 2.0 * x * ratio
    n = 1
    while True:
        term *= ratio * ratio
        n += 2
        following = total + term / n
        if following == total:
            return total
        total = following


@declared(by_entry=True)
@kernel
def gamma_density(a, x):
    """Density of the gamma distribution, x^(a - 1) exp(-x) / gamma(a), for positive `a`; nan for negative `x`."""
    return by_entries(_gamma_density, (a, x))


@kernel
def _gamma_density(operands: tuple[float, float]) -> float:
    a, x = operands
    if not (a > 0.0 and x >= 0.0):
        return math.nan
    if x == 0.0:
        return 0.0 if a > 1.0 else (1.0 if a == 1.0 else math.inf)
    if math.isinf(x) or math.isinf(a):
        return math.nan if math.isinf(a) else 0.0
    half = math.exp(
        -0.5 * (stirling_error(a) + deviance(a, x))
    )  # the whole may be zero where the density is not
    return a * half / x * half / math.sqrt(_TURN * a)


@declared(by_entry=True)
@kernel
def beta_density(a, b, x):
    """Density of the beta distribution, x^(a - 1) (1 - x)^(b - 1) / beta(a, b), for positive `a` and `b`; nan for `x` beyond 0 and 1."""
    return by_entries(_beta_density, (a, b, x))


@kernel
def _beta_density(operands: tuple[float, float, float]) -> float:
    a, b, x = operands
    if not (a > 0.0 and b > 0.0 and 0.0 <= x <= 1.0):
        return math.nan
    if x in (0.0, 1.0):
        near, far = (a, b) if x == 0.0 else (b, a)
        return 0.0 if near > 1.0 else (far if near == 1.0 else math.inf)
    n = a + b
    errors = stirling_error(n) - stirling_error(a) - stirling_error(b)
    half = math.exp(0.5 * (errors - deviance(a, n * x) - deviance(b, n * (1.0 - x))))
    return a * b * half / (n * x * (1.0 - x)) * half * math.sqrt(n / (_TURN * a * b))


@declared(by_entry=True)
@kernel
def noncentral_density(x, df, nc):
    """Density of the noncentral chi-squared distribution, for positive `x` and `nc` not below zero; nan for others."""
    return by_entries(_noncentral_density, (x, df, nc))


@kernel
def _noncentral_density(operands: tuple[float, float, float]) -> float:
    x, df, nc = operands
    if not (x > 0.0 and nc >= 0.0):
        return math.nan
    if nc == 0.0:
        return 0.5 * _gamma_density((0.5 * df, 0.5 * x))
    distance = math.sqrt(x) - math.sqrt(nc)
    ratio = x / nc
    apart = math.log(ratio) if 0.0 < ratio < math.inf else math.log(x) - math.log(nc)
    exponent = (0.25 * df - 0.5) * apart
    power = math.exp(exponent) if exponent < 709.0 else math.inf
    height = power * sp.ive(0.5 * df - 1.0, math.sqrt(x * nc))
    return float(0.5 * math.exp(-0.5 * distance * distance) * height)


@declared(by_entry=True)
@kernel
def student_density(df, t):
    """Density of Student's distribution, for positive `df`; nan for others."""
    return by_entries(_student_density, (df, t))


@kernel
def _student_density(operands: tuple[float, float]) -> float:
    df, t = operands
    if not df > 0.0 or math.isnan(t):
        return math.nan
    if math.isinf(df):
        return math.exp(-0.5 * t * t) / math.sqrt(_TURN)
    half, square = 0.5 * df, t * t / df
    height = stirling_error(half + 0.5) - stirling_error(half) - deviance(half, half + 0.5)
    return math.exp(height - half * math.log1p(square)) / math.sqrt(_TURN * (1.0 + square))


@declared(by_entry=True)
@kernel
def noncentral_ratio_sum(power, m, n, nc, f):
    """The sum over i, with Poisson's weights of nc / 2, of x^a (1 - x)^b / (a^power B(a, b)) for a = m / 2 + i, b = n / 2 and x = m f / (m f + n).

    Over f it is the density of a noncentral ratio of variances for the power 0; half of it is how its distribution falls by `nc` for the power 1.
    """
    return by_entries(_noncentral_ratio_sum, (power, m, n, nc, f))


@kernel
def _noncentral_ratio_sum(operands: tuple[int, float, float, float, float]) -> float:
    power = operands[0]
    m, n, nc, f = float(operands[1]), float(operands[2]), float(operands[3]), float(operands[4])
    if not (m > 0.0 and n > 0.0 and nc >= 0.0 and f >= 0.0 and m + n + nc + f < math.inf):
        return math.nan
    a, b, half = 0.5 * m, 0.5 * n, 0.5 * nc
    x = m * f / (m * f + n)
    if x == 0.0:
        return 0.0
    size = a * math.log(x) + b * math.log(n / (m * f + n)) - half
    size += math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    total = 0.0
    for i in range(100_000):
        term = math.exp(size) if power == 0 else math.exp(size) / a
        total += term
        ratio = half * x * (a + b) / (a * (i + 1.0))
        if ratio == 0.0 or (ratio < 0.9 and term <= 1e-18 * total):
            return total
        size += math.log(ratio)
        a += 1.0
    return math.nan


@declared(by_entry=True)
@kernel
def log_skewed(x, a):
    """The logarithm of the distribution function of the skewed normal distribution."""
    return by_entries(_log_skewed, (x, a))


@kernel
def _log_skewed(operands: tuple[float, float]) -> float:
    x, a = float(operands[0]), float(operands[1])
    if math.isnan(x) or not math.isfinite(a):
        return math.nan
    if math.isinf(x):
        return 0.0 if x > 0.0 else -math.inf
    if a >= 0.0:
        return _log_skewed_up(x, a)
    if x > 0.0:
        return math.log1p(-math.exp(_log_skewed_up(-x, -a)))
    twice = _LOG_2 + float(sp.log_ndtr(x))
    return twice + math.log1p(-math.exp(_log_skewed_up(x, -a) - twice))


@kernel
def _log_skewed_up(x: float, a: float) -> float:
    """The same where `a` is not negative."""
    within = float(sp.owens_t(x, a))
    low = float(sp.ndtr(x)) - 2.0 * within
    if low > 0.5:
        return math.log1p(-float(sp.ndtr(-x)) - 2.0 * within)
    if low > 0.05 or a * x > 1.0:
        return math.log(low)
    # The two cancel: the density is integrated from here to where next to nothing is left, by Gauss's rule
    z = a * x
    tail = float(sp.erfcx(-z / _ROOT_2))
    ratio = math.sqrt(2.0 / math.pi) / tail
    slope, bend = a * ratio - x, 1.0 + a * a * ratio * (z + ratio)
    reach = 84.0 / (slope + math.sqrt(slope * slope + 84.0 * bend))
    total = 0.0
    for k in range(64):
        step = 0.5 * reach * (1.0 + _PLACES[k])
        part = (1.0 + a * a) * (x * step - 0.5 * step * step)
        total += _WEIGHTS[k] * math.exp(part) * float(sp.erfcx(a * (step - x) / _ROOT_2)) / tail
    density = _LOG_2 - 0.5 * (1.0 + a * a) * x * x - _HALF_LOG_TURN + math.log(0.5 * tail)
    return density + math.log(0.5 * reach * total)
