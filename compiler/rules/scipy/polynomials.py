"""Rules of `scipy.special`: polynomials, spherical Bessel functions, functions with several results, binomials, Voigt's profile.

The formulas are those of the Digital Library of Mathematical Functions (DLMF), chapters 6, 7, 9, 10, 18 and 22.
"""

import numpy as np
import scipy.special as sp

from backsweep.rules.declare import FixedSample, elementwise
from backsweep.rules.limits import declare_poles
from backsweep.runtime.scipy.densities import beta_density
from backsweep.runtime.special_functions.carlson import legendre_integral
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
    sine_integral,
)
from backsweep.runtime.special_functions.voigt import voigt_by_gamma, voigt_by_x, voigt_imaginary

WIDE = (-2.0, 2.0)
POSITIVE = (0.4, 4.0)
UNIT = (0.05, 0.95)
UNKNOWN = "no closed form of it is known"
DEGREE = "it is a whole number here"
WHOLE = "it is a whole number, or counts as the one below it"


@elementwise(
    gegenbauer_polynomial,
    samples=[FixedSample(3), POSITIVE, WIDE],
    refused={"n": DEGREE, "alpha": UNKNOWN},
)
def gegenbauer(n, alpha, x):
    """Ultraspherical polynomial (DLMF 18.9.19). Legendre's and Chebyshev's of the second kind are of this family."""
    y = gegenbauer_polynomial(n, alpha, x)
    return y, lambda y_bar: y_bar * 2.0 * alpha * gegenbauer_polynomial(n - 1, alpha + 1.0, x)


@elementwise(
    laguerre_polynomial, samples=[FixedSample(3), POSITIVE, WIDE], refused={"n": DEGREE, "alpha": UNKNOWN}
)
def laguerre(n, alpha, x):
    """Generalised Laguerre polynomial (DLMF 18.9.23)."""
    y = laguerre_polynomial(n, alpha, x)
    return y, lambda y_bar: -y_bar * laguerre_polynomial(n - 1, alpha + 1.0, x)


@elementwise(
    hermite_polynomial,
    static=["scale"],
    samples=[FixedSample(3), FixedSample(2.0), WIDE],
    refused={"n": DEGREE},
)
def hermite(n, scale, x):
    """Hermite's polynomial, the physicists' or the probabilists' (DLMF 18.9.25, 18.9.27)."""
    y = hermite_polynomial(n, scale, x)
    return y, lambda y_bar: y_bar * scale * n * hermite_polynomial(n - 1, scale, x)


@elementwise(chebyshev_polynomial, samples=[FixedSample(3), WIDE], refused={"n": DEGREE})
def chebyshev(n, x):
    """Chebyshev's polynomial of the first kind (DLMF 18.9.21)."""
    y = chebyshev_polynomial(n, x)
    return y, lambda y_bar: y_bar * n * gegenbauer_polynomial(n - 1, 1.0, x)


@elementwise(
    spherical_bessel,
    static=["kind"],
    samples=[FixedSample(0), FixedSample(2), POSITIVE],
    refused={"n": DEGREE},
)
def spherical(kind, n, x):
    """Spherical Bessel function (DLMF 10.51.1, 10.51.4)."""
    y = spherical_bessel(kind, n, x)
    return (
        y,
        lambda y_bar: (
            y_bar
            * (
                np.where(kind == 3, -1.0, 1.0) * n * spherical_bessel(kind, n - 1, x)
                + np.where(kind == 2, 1.0, -1.0) * (n + 1) * spherical_bessel(kind, n + 1, x)
            )
            / (2 * n + 1)
        ),
    )


@elementwise(sine_integral, samples=[WIDE])
def si(x):
    """Sine integral (DLMF 6.2.9)."""
    y = sine_integral(x)
    return y, lambda y_bar: y_bar * np.sinc(x / np.pi)


@elementwise(cosine_integral, samples=[POSITIVE])
def ci(x):
    """Cosine integral (DLMF 6.2.11)."""
    y = cosine_integral(x)
    return y, lambda y_bar: y_bar * np.divide(np.cos(x), x)


@elementwise(hyperbolic_sine_integral, samples=[WIDE])
def shi(x):
    """Hyperbolic sine integral (DLMF 6.2.15)."""
    y = hyperbolic_sine_integral(x)
    return y, lambda y_bar: y_bar * np.exp(-x) * sp.exprel(2.0 * x)


@elementwise(hyperbolic_cosine_integral, samples=[POSITIVE])
def chi(x):
    """Hyperbolic cosine integral (DLMF 6.2.16)."""
    y = hyperbolic_cosine_integral(x)
    return y, lambda y_bar: y_bar * np.divide(np.cosh(x), x)


@elementwise(fresnel_sine, samples=[WIDE])
def fresnel_s(x):
    """Fresnel's integral of the sine (DLMF 7.2.8)."""
    y = fresnel_sine(x)
    return y, lambda y_bar: y_bar * np.sin(0.5 * np.pi * x * x)


@elementwise(fresnel_cosine, samples=[WIDE])
def fresnel_c(x):
    """Fresnel's integral of the cosine (DLMF 7.2.7)."""
    y = fresnel_cosine(x)
    return y, lambda y_bar: y_bar * np.cos(0.5 * np.pi * x * x)


@elementwise(airy_ai, samples=[WIDE])
def ai(x):
    """Airy function Ai."""
    y = airy_ai(x)
    return y, lambda y_bar: y_bar * airy_ai_slope(x)


@elementwise(airy_ai_slope, samples=[WIDE])
def ai_slope(x):
    """Derivative of Ai (DLMF 9.2.1)."""
    y = airy_ai_slope(x)
    return y, lambda y_bar: y_bar * x * airy_ai(x)


@elementwise(airy_bi, samples=[WIDE])
def bi(x):
    """Airy function Bi."""
    y = airy_bi(x)
    return y, lambda y_bar: y_bar * airy_bi_slope(x)


@elementwise(airy_bi_slope, samples=[WIDE])
def bi_slope(x):
    """Derivative of Bi (DLMF 9.2.1)."""
    y = airy_bi_slope(x)
    return y, lambda y_bar: y_bar * x * airy_bi(x)


@elementwise(
    amplitude, samples=[(0.2, 1.4), (0.1, 0.8)], edges=[((1.0, 0.0), (1.0, np.sin(2.0) / 8.0 - 0.25))]
)
def am(u, m):
    """Jacobi's amplitude, the inverse of `ellipkinc` in its first argument (DLMF 22.16.1)."""
    y = amplitude(u, m)
    return y, lambda y_bar: (
        y_bar * np.sqrt(1.0 - m * np.sin(y) ** 2),
        -0.5 * y_bar * np.sqrt(1.0 - m * np.sin(y) ** 2) * legendre_integral(103, y, m),
    )


@elementwise(sp.bdtr, samples=[FixedSample(2), FixedSample(5), UNIT], refused={"k": WHOLE, "n": UNKNOWN})
def bdtr(k, n, p):
    """Distribution function of the binomial distribution, by its probability (DLMF 8.17.5); constant for all counts but those from 0 to n - 1."""
    y = sp.bdtr(k, n, p)
    return (
        y,
        lambda y_bar: (
            -y_bar
            * np.where(
                (k >= 0.0) & (np.floor(n) > np.floor(k)),
                beta_density(
                    np.maximum(np.floor(k) + 1.0, 1.0), np.maximum(np.floor(n) - np.floor(k), 1.0), p
                ),
                0.0,
            )
        ),
    )


@elementwise(sp.bdtrc, samples=[FixedSample(2), FixedSample(5), UNIT], refused={"k": WHOLE, "n": UNKNOWN})
def bdtrc(k, n, p):
    """Survival function of the binomial distribution, by its probability (DLMF 8.17.5)."""
    y = sp.bdtrc(k, n, p)
    return (
        y,
        lambda y_bar: (
            y_bar
            * np.where(
                (k >= 0.0) & (np.floor(n) > np.floor(k)),
                beta_density(
                    np.maximum(np.floor(k) + 1.0, 1.0), np.maximum(np.floor(n) - np.floor(k), 1.0), p
                ),
                0.0,
            )
        ),
    )


@elementwise(sp.bdtri, samples=[FixedSample(2), FixedSample(5), UNIT], refused={"k": WHOLE, "n": UNKNOWN})
def bdtri(k, n, y):
    """Inverse of `bdtr` in its probability."""
    p = sp.bdtri(k, n, y)
    return p, lambda p_bar: -np.divide(p_bar, beta_density(np.floor(k) + 1.0, np.floor(n) - np.floor(k), p))


declare_poles([cosine_integral, hyperbolic_cosine_integral], lambda one: one.is_positive)
declare_poles([spherical_bessel, amplitude, sp.bdtr, sp.bdtrc, sp.bdtri], lambda *_: False)


@elementwise(sp.voigt_profile, samples=[WIDE, POSITIVE, POSITIVE])
def voigt_profile(x, sigma, gamma):
    """Voigt's profile, which is homogeneous of degree -1 (DLMF 7.19.4)."""
    y = sp.voigt_profile(x, sigma, gamma)
    return y, lambda y_bar: (
        y_bar * voigt_by_x(x, sigma, gamma),
        -y_bar
        * np.divide(y + x * voigt_by_x(x, sigma, gamma) + gamma * voigt_by_gamma(x, sigma, gamma), sigma),
        y_bar * voigt_by_gamma(x, sigma, gamma),
    )


@elementwise(voigt_imaginary, samples=[WIDE, POSITIVE, POSITIVE])
def imaginary_of_voigt(x, sigma, gamma):
    """The imaginary part that belongs to Voigt's profile: both are parts of a function of x + i gamma."""
    y = voigt_imaginary(x, sigma, gamma)
    return y, lambda y_bar: (
        -y_bar * voigt_by_gamma(x, sigma, gamma),
        -y_bar
        * np.divide(y - x * voigt_by_gamma(x, sigma, gamma) + gamma * voigt_by_x(x, sigma, gamma), sigma),
        y_bar * voigt_by_x(x, sigma, gamma),
    )


@elementwise(voigt_by_x, samples=[WIDE, POSITIVE, POSITIVE])
def slope_of_voigt_by_x(x, sigma, gamma):
    """Derivative of Voigt's profile by x (DLMF 7.10.3). Its own derivatives lose digits far out: as many as (x / sigma)^2 has."""
    y = voigt_by_x(x, sigma, gamma)
    return y, lambda y_bar: (
        -y_bar
        * np.divide(
            sp.voigt_profile(x, sigma, gamma) + x * y + gamma * voigt_by_gamma(x, sigma, gamma), sigma * sigma
        ),
        -y_bar
        * np.divide(
            2.0 * y
            - x
            * np.divide(
                sp.voigt_profile(x, sigma, gamma) + x * y + gamma * voigt_by_gamma(x, sigma, gamma),
                sigma * sigma,
            )
            + gamma
            * np.divide(
                voigt_imaginary(x, sigma, gamma) - x * voigt_by_gamma(x, sigma, gamma) + gamma * y,
                sigma * sigma,
            ),
            sigma,
        ),
        y_bar
        * np.divide(
            voigt_imaginary(x, sigma, gamma) - x * voigt_by_gamma(x, sigma, gamma) + gamma * y, sigma * sigma
        ),
    )


@elementwise(voigt_by_gamma, samples=[WIDE, POSITIVE, POSITIVE])
def slope_of_voigt_by_gamma(x, sigma, gamma):
    """Derivative of Voigt's profile by gamma (DLMF 7.10.3). Its own derivatives lose digits far out: as many as (x / sigma)^2 has."""
    y = voigt_by_gamma(x, sigma, gamma)
    return y, lambda y_bar: (
        y_bar
        * np.divide(
            voigt_imaginary(x, sigma, gamma) - x * y + gamma * voigt_by_x(x, sigma, gamma), sigma * sigma
        ),
        -y_bar
        * np.divide(
            2.0 * y
            + x
            * np.divide(
                voigt_imaginary(x, sigma, gamma) - x * y + gamma * voigt_by_x(x, sigma, gamma), sigma * sigma
            )
            + gamma
            * np.divide(
                sp.voigt_profile(x, sigma, gamma) + x * voigt_by_x(x, sigma, gamma) + gamma * y, sigma * sigma
            ),
            sigma,
        ),
        y_bar
        * np.divide(
            sp.voigt_profile(x, sigma, gamma) + x * voigt_by_x(x, sigma, gamma) + gamma * y, sigma * sigma
        ),
    )


declare_poles([sp.voigt_profile, voigt_imaginary, voigt_by_x, voigt_by_gamma], lambda *_: False)
