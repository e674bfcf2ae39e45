"""Lambert's function where it is real, binomial coefficients, and derivatives of `rgamma` of `scipy.special`."""

from __future__ import annotations

import math

import scipy.special as sp

from backsweep.runtime.scipy.entries import by_entries
from backsweep.runtime.support.compiled import declared, kernel


@declared(by_entry=True)
@kernel
def real_lambertw(x, branch):
    """The branch 0 or -1 of Lambert's function, where that is real (DLMF 4.13)."""
    return by_entries(_real_lambertw, (x, branch))


@kernel
def _real_lambertw(operands: tuple[float, int]) -> float:
    """By Halley's iteration, from the series about the branch point or for large or small numbers (DLMF 4.13.6, 4.13.10, 4.13.11)."""
    x, branch = operands
    if math.isnan(x):
        return math.nan
    if x < -0.36787944117144233 or (branch == -1 and x > 0.0):
        raise ValueError(
            "the value of lambertw is not real here, and compiled code computes real values only"
        )
    if x == 0.0:
        return 0.0 if branch == 0 else -math.inf
    if math.isinf(x):
        return math.inf
    if x < -0.25:
        p = math.sqrt(max(2.0 * (math.e * x + 1.0), 0.0))
        p = p if branch == 0 else -p
        w = -1.0 + p * (1.0 - p * (1.0 / 3.0 - p * 11.0 / 72.0))
    elif branch == 0:
        w = math.log1p(x) if x < 3.0 else math.log(x) - math.log(math.log(x))
    else:
        log = math.log(-x)
        w = log - math.log(-log)
    for _ in range(50):
        grown = math.exp(w)
        excess = w * grown - x
        if w == -1.0 or excess == 0.0:
            break
        step = excess / (grown * (w + 1.0) - (w + 2.0) * excess / (2.0 * w + 2.0))
        w -= step
        if abs(step) <= 2e-16 * abs(w):
            break
    return float(w)


@declared(by_entry=True)
@kernel
def combinations(n, k):
    """Binomial coefficient, zero for `k` beyond 0 and `n`."""
    return by_entries(_combinations, (n, k))


@kernel
def _combinations(operands: tuple[float, float]) -> float:
    n, k = operands
    return float(sp.binom(n, k)) if 0.0 <= k <= n else 0.0


@declared(by_entry=True)
@kernel
def rgamma_derivative(order, x):
    """First or second derivative of 1 / gamma(x), which is smooth where gamma has poles."""
    return by_entries(_rgamma_derivative, (order, x))


@kernel
def _rgamma_derivative(operands: tuple[int, float]) -> float:
    """Not above 0 by reflection: 1 / gamma(x) = sin(pi x) gamma(1 - x) / pi (DLMF 5.5.3)."""
    order, x = operands
    if order > 2 or not math.isfinite(x):
        return math.nan
    if x > 0.0:
        psi = float(sp.psi(x))
        return (-psi if order == 1 else psi * psi - float(sp.zeta(2.0, x))) * float(sp.rgamma(x))
    whole = math.floor(x + 0.5)
    sign = 1.0 if whole % 2.0 == 0.0 else -1.0
    sine, cosine = sign * math.sin(math.pi * (x - whole)), sign * math.cos(math.pi * (x - whole))
    psi = float(sp.psi(1.0 - x))
    slope = cosine - sine * psi / math.pi
    if order == 2:
        slope = -psi * (slope + cosine) - math.pi * sine + sine * float(sp.zeta(2.0, 1.0 - x)) / math.pi
    return float(sp.gamma(1.0 - x)) * slope
