"""What stands for functions of `scipy.special` that Numba cannot call: text made of functions that have rules."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from backsweep.runtime.scipy.instead import Implementation, always, instead
from backsweep.runtime.scipy.instead import register as register_instead
from backsweep.runtime.special_functions.recurrences import (
    chebyshev_polynomial,
    gegenbauer_polynomial,
    hermite_polynomial,
    laguerre_polynomial,
    spherical_bessel,
)
from backsweep.runtime.special_functions.several_results import (
    airy_ai,
    airy_ai_slope,
    airy_bi,
    airy_bi_slope,
    amplitude,
    cosine_integral,
    fresnel_cosine,
    fresnel_sine,
    hyperbolic_cosine_integral,
    hyperbolic_sine_integral,
    mathieu_function,
    parabolic_cylinder,
    sine_integral,
)


def register() -> None:
    """Tell Numba of these functions."""
    for module in ("_basic", "_spherical_bessel", "_ufuncs"):
        register_instead(f"scipy.special.{module}")


@always(sp.sici)
def _sici(x):
    return sine_integral(x), cosine_integral(x)


@always(sp.shichi)
def _shichi(x):
    return hyperbolic_sine_integral(x), hyperbolic_cosine_integral(x)


@always(sp.fresnel)
def _fresnel(z):
    return fresnel_sine(z), fresnel_cosine(z)


@always(sp.airy)
def _airy(z):
    return airy_ai(z), airy_ai_slope(z), airy_bi(z), airy_bi_slope(z)


@always(sp.ellipj)
def _ellipj(u, m):
    angle = amplitude(u, m)
    sine = np.sin(angle)
    return sine, np.cos(angle), np.sqrt(1.0 - m * sine * sine), angle


@always(sp.pbdv)
def _pbdv(v, x):
    return parabolic_cylinder(0, 0, v, x), parabolic_cylinder(0, 1, v, x)


@always(sp.pbvv)
def _pbvv(v, x):
    return parabolic_cylinder(1, 0, v, x), parabolic_cylinder(1, 1, v, x)


def _mathieu(kind: int, unit: float) -> Implementation:
    """A function of Mathieu's, and its derivative, for angles in degrees by radians."""

    def mathieu(m, q, x):
        return mathieu_function(kind, 0, m, q, x), unit * mathieu_function(kind, 1, m, q, x)

    return mathieu


for _kind, _function in enumerate(
    (
        *(sp.mathieu_cem, sp.mathieu_sem),
        *(sp.mathieu_modcem1, sp.mathieu_modcem2, sp.mathieu_modsem1, sp.mathieu_modsem2),
    )
):
    always(_function)(_mathieu(_kind, 180.0 / math.pi if _kind < 2 else 1.0))


@always(sp.eval_legendre)
def _eval_legendre(n, x):
    return gegenbauer_polynomial(np.maximum(n, -n - 1), 0.5, x)


@always(sp.eval_sh_legendre)
def _eval_sh_legendre(n, x):
    return gegenbauer_polynomial(np.maximum(n, -n - 1), 0.5, 2.0 * x - 1.0)


always(sp.eval_gegenbauer)(gegenbauer_polynomial)
always(sp.eval_genlaguerre)(laguerre_polynomial)


@always(sp.eval_chebyt)
def _eval_chebyt(n, x):
    return chebyshev_polynomial(np.abs(n), x)


@always(sp.eval_chebyu)
def _eval_chebyu(n, x):
    return np.where(n < 0, -1.0, 1.0) * gegenbauer_polynomial(np.maximum(n, -n - 2), 1.0, x)


@always(sp.eval_chebyc)
def _eval_chebyc(n, x):
    return 2.0 * sp.eval_chebyt(n, 0.5 * x)


@always(sp.eval_chebys)
def _eval_chebys(n, x):
    return sp.eval_chebyu(n, 0.5 * x)


@always(sp.eval_sh_chebyt)
def _eval_sh_chebyt(n, x):
    return sp.eval_chebyt(n, 2.0 * x - 1.0)


@always(sp.eval_sh_chebyu)
def _eval_sh_chebyu(n, x):
    return sp.eval_chebyu(n, 2.0 * x - 1.0)


@always(sp.eval_hermite)
def _eval_hermite(n, x):
    return hermite_polynomial(n - (n < 0), 2.0, x)


@always(sp.eval_hermitenorm)
def _eval_hermitenorm(n, x):
    return hermite_polynomial(n - (n < 0), 1.0, x)


@always(sp.eval_laguerre)
def _eval_laguerre(n, x):
    return laguerre_polynomial(n, 0.0, x)


def _spherical(kind: int, derivative: bool) -> Implementation:
    """A spherical Bessel function, or its derivative (DLMF 10.51.1, 10.51.4)."""
    below, above = -1.0 if kind == 3 else 1.0, 1.0 if kind == 2 else -1.0

    def value(n, z):
        return spherical_bessel(kind, n - (n < 0), z)

    def slope(n, z):
        before, after = spherical_bessel(kind, n - 1, z), spherical_bessel(kind, n + 1, z)
        return (below * n * before + above * (n + 1) * after) / (2 * n + 1)

    return slope if derivative else value


@instead(sp.spherical_jn, "n", "z")
def _spherical_jn(n, z, derivative: bool = False) -> Implementation | str:
    return _spherical(0, derivative)


@instead(sp.spherical_yn, "n", "z")
def _spherical_yn(n, z, derivative: bool = False) -> Implementation | str:
    return _spherical(1, derivative)


@instead(sp.spherical_in, "n", "z")
def _spherical_in(n, z, derivative: bool = False) -> Implementation | str:
    return _spherical(2, derivative)


@instead(sp.spherical_kn, "n", "z")
def _spherical_kn(n, z, derivative: bool = False) -> Implementation | str:
    return _spherical(3, derivative)


def _differences(n: int, phase: float, sign: float) -> list[float]:
    """The weights of the functions of the orders v - n, v - n + 2, ... in a derivative of order n (DLMF 10.6.7, 10.29.5)."""
    return [sign * phase**i * math.comb(n, i) / 2.0**n for i in range(n + 1)]


def _derivative(function, n: int, phase: float, sign: float) -> Implementation | str:
    """The derivative of order n of a Bessel function."""
    if n < 0 or n != int(n):
        return "the order of a derivative is a whole number that is not negative: give n=1"
    weights = tuple(_differences(int(n), phase, sign))

    def derivative(v, z):
        total = weights[0] * function(v - n, z)
        for i in range(1, n + 1):
            total = total + weights[i] * function(v - n + 2 * i, z)
        return total

    return derivative


@instead(sp.jvp, "v", "z")
def _jvp(v, z, n: int = 1) -> Implementation | str:
    return _derivative(sp.jv, n, -1.0, 1.0)


@instead(sp.yvp, "v", "z")
def _yvp(v, z, n: int = 1) -> Implementation | str:
    return _derivative(sp.yv, n, -1.0, 1.0)


@instead(sp.ivp, "v", "z")
def _ivp(v, z, n: int = 1) -> Implementation | str:
    return _derivative(sp.iv, n, 1.0, 1.0)


@instead(sp.kvp, "v", "z")
def _kvp(v, z, n: int = 1) -> Implementation | str:
    return _derivative(sp.kv, n, 1.0, -1.0 if n % 2 else 1.0)


@instead(sp.h1vp, "v", "z")
def _h1vp(v, z, n: int = 1) -> Implementation | str:
    return _derivative(sp.hankel1, n, -1.0, 1.0)


@instead(sp.h2vp, "v", "z")
def _h2vp(v, z, n: int = 1) -> Implementation | str:
    return _derivative(sp.hankel2, n, -1.0, 1.0)


@always(sp.nbdtr)
def _nbdtr(k, n, p):
    return sp.betainc(np.where(n < 1.0, np.nan, np.trunc(n)), np.trunc(k) + 1.0, p)


@always(sp.nbdtrc)
def _nbdtrc(k, n, p):
    return sp.betaincc(np.where(n < 1.0, np.nan, np.trunc(n)), np.trunc(k) + 1.0, p)


@always(sp.nbdtri)
def _nbdtri(k, n, y):
    return sp.betaincinv(np.where(n < 1.0, np.nan, np.trunc(n)), np.trunc(k) + 1.0, y)


@always(sp.pdtri)
def _pdtri(k, y):
    return sp.gammainccinv(np.floor(k) + 1.0, y)


def _softplus(x):
    return np.logaddexp(0.0, x)


if hasattr(sp, "softplus"):  # since SciPy 1.17
    always(sp.softplus)(_softplus)
