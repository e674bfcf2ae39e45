"""Bessel functions of `scipy.special` in terms of others: spherical ones, and derivatives."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from backsweep.prelude.declare import computed, means
from backsweep.runtime.special_functions.recurrences import spherical_bessel


def _spherical(kind):
    """A spherical Bessel function of a kind."""
    below, above = -1.0 if kind == 3 else 1.0, 1.0 if kind == 2 else -1.0

    def spherical(n, z, derivative=False):
        """A spherical Bessel function, or its derivative (DLMF 10.51.1, 10.51.4)."""
        if not derivative:
            return spherical_bessel(kind, n - (n < 0), z)
        before, after = spherical_bessel(kind, n - 1, z), spherical_bessel(kind, n + 1, z)
        return (below * n * before + above * (n + 1) * after) / (2 * n + 1)

    return spherical


def _derivative(function, phase, sign):
    """The derivatives of a Bessel function."""

    def derivative(v, z, n=1):
        """The derivative of a Bessel function of an order that is known (DLMF 10.6.7, 10.29.5)."""
        total = 0.0
        for i, weight in enumerate(computed(_weights)(n, phase, sign)):
            total = total + weight * function(v - n + 2 * i, z)
        return total

    return derivative


def _weights(n, phase, sign):
    """The weights of the functions of the orders v - n, v - n + 2, ... in a derivative of order n."""
    if n < 0 or n != int(n):
        raise ValueError("the order of a derivative is a whole number that is not negative")
    return [sign ** int(n) * phase**i * math.comb(int(n), i) / 2.0**n for i in range(int(n) + 1)]


for _kind, _function in enumerate((sp.spherical_jn, sp.spherical_yn, sp.spherical_in, sp.spherical_kn)):
    means(_function)(_spherical(_kind))
for _slope, *_of in (
    *((sp.jvp, sp.jv, -1.0, 1.0), (sp.yvp, sp.yv, -1.0, 1.0), (sp.ivp, sp.iv, 1.0, 1.0)),
    *((sp.kvp, sp.kv, 1.0, -1.0), (sp.h1vp, sp.hankel1, -1.0, 1.0), (sp.h2vp, sp.hankel2, -1.0, 1.0)),
):
    means(_slope)(_derivative(*_of))


@means(sp.riccati_jn)
def riccati_jn(n, x):
    """Riccati's functions of the first kind up to an order, and their derivatives (DLMF 10.51.2)."""
    orders = np.arange(int(n) + 1)
    values, slopes = sp.spherical_jn(orders, x), sp.spherical_jn(orders, x, True)
    return x * values, values + x * slopes


@means(sp.riccati_yn)
def riccati_yn(n, x):
    """Riccati's functions of the second kind up to an order, and their derivatives."""
    orders = np.arange(int(n) + 1)
    values, slopes = sp.spherical_yn(orders, x), sp.spherical_yn(orders, x, True)
    return x * values, values + x * slopes
