"""Functions of `scipy.special` with several results, and those that are others' with other parameters."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from backsweep.prelude.declare import has_array, is_known, means, refuse
from backsweep.runtime.scipy.written_out import combinations, real_lambertw
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


@means(sp.sici)
def sici(x):
    """The integrals of sine and cosine."""
    return sine_integral(x), cosine_integral(x)


@means(sp.shichi)
def shichi(x):
    """The integrals of hyperbolic sine and cosine."""
    return hyperbolic_sine_integral(x), hyperbolic_cosine_integral(x)


@means(sp.fresnel)
def fresnel(z):
    """Fresnel's integrals."""
    return fresnel_sine(z), fresnel_cosine(z)


@means(sp.airy)
def airy(z):
    """Airy's functions, each with its derivative."""
    return airy_ai(z), airy_ai_slope(z), airy_bi(z), airy_bi_slope(z)


@means(sp.ellipj)
def ellipj(u, m):
    """Jacobi's functions sn, cn and dn, and the amplitude."""
    angle = amplitude(u, m)
    sine = np.sin(angle)
    return sine, np.cos(angle), np.sqrt(1.0 - m * sine * sine), angle


@means(sp.pbdv)
def pbdv(v, x):
    """Parabolic cylinder functions D, with derivatives."""
    return parabolic_cylinder(0, 0, v, x), parabolic_cylinder(0, 1, v, x)


@means(sp.pbvv)
def pbvv(v, x):
    """Parabolic cylinder functions V, with derivatives."""
    return parabolic_cylinder(1, 0, v, x), parabolic_cylinder(1, 1, v, x)


def _mathieu(kind, unit):
    """A function of Mathieu's, for angles in degrees or in radians."""

    def mathieu(m, q, x):
        """A function of Mathieu's, and its derivative, for angles in degrees by radians."""
        return mathieu_function(kind, 0, m, q, x), unit * mathieu_function(kind, 1, m, q, x)

    return mathieu


for _kind, _function in enumerate(
    (
        *(sp.mathieu_cem, sp.mathieu_sem),
        *(sp.mathieu_modcem1, sp.mathieu_modcem2, sp.mathieu_modsem1, sp.mathieu_modsem2),
    )
):
    means(_function)(_mathieu(_kind, 180.0 / math.pi if _kind < 2 else 1.0))


@means(sp.nbdtr)
def nbdtr(k, n, p):
    """The distribution of failures before so many successes."""
    return sp.betainc(np.where(n < 1.0, np.nan, np.trunc(n)), np.trunc(k) + 1.0, p)


@means(sp.nbdtrc)
def nbdtrc(k, n, p):
    """One minus that."""
    return sp.betaincc(np.where(n < 1.0, np.nan, np.trunc(n)), np.trunc(k) + 1.0, p)


@means(sp.nbdtri)
def nbdtri(k, n, y):
    """The inverse of `nbdtr` in the probability."""
    return sp.betaincinv(np.where(n < 1.0, np.nan, np.trunc(n)), np.trunc(k) + 1.0, y)


@means(sp.pdtri)
def pdtri(k, y):
    """The inverse of Poisson's distribution in the rate."""
    return sp.gammainccinv(np.floor(k) + 1.0, y)


@means(sp.lambertw)
def lambertw(z, k=0, tol=1e-8):
    """Lambert's function where it is real."""
    del tol
    if has_array(k):
        refuse(
            "`k` of `scipy.special.lambertw` is an array, and an option here: one value for all entries",
            "call it once for each value",
        )
    if not is_known(k):
        refuse("`k` of `lambertw` is known only when the program runs", "write it as a literal", "BS115")
    if k not in (0, -1):
        refuse(
            f"`lambertw` is supported where it is real, and its branch {k} is not",
            "give k=0 or k=-1",
            "BS202",
        )
    return real_lambertw(z, k) + 0.0j


@means(sp.comb)
def comb(N, k, exact=False, repetition=False):
    """Binomial coefficients."""
    if exact:
        refuse("`exact` of `comb` gives integers, which have no derivative", "leave it out", "BS202")
    return combinations(N + k - 1 if repetition else N, k)


@means(sp.multigammaln)
def multigammaln(a, d):
    """The logarithm of the gamma function of several variables."""
    result = sp.loggamma(a) + 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(1, d):
        result = result + sp.loggamma(a - 0.5 * j)
    return result
