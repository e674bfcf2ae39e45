"""Further distributions in standard form: logarithms of densities, distribution functions, quantiles.

Source: the densities as SciPy documents them in `scipy.stats`; N. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate
Distributions (1994, 1995). Outside of the support the logarithm of a density is -inf, without a gradient. A parameter that
is not allowed gives nan. `chi_by` gives a function of `chi` by that of the distribution which `MADE_OF` in `table.py` names,
and `chi_back` a quantile.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from backsweep.runtime.statistics.located import positive, probability
from backsweep.runtime.support.compiled import inlined

LOG_2 = math.log(2.0)
LOG_PI = math.log(math.pi)


@inlined
def ncx2_logpdf(x, df, nc):
    half = 0.5 * positive(df) - 1.0
    nc = positive(nc)
    outside = (x < 0.0) | (x == math.inf) | ((x == 0.0) & (half > 0.0))
    safe = np.where(outside, 1.0, x)
    away = np.sqrt(safe) - np.sqrt(nc)
    height = np.log(0.5 * sp.ive(half, np.sqrt(safe * nc)))
    return np.where(outside, -math.inf, 0.5 * sp.xlogy(half, safe / nc) - 0.5 * away * away + height)


@inlined
def ncx2_cdf(x, df, nc):
    safe = np.where(x <= 0.0, 1.0, x)
    return np.where(x <= 0.0, 0.0, sp.chndtr(safe, positive(df), nc))


@inlined
def ncx2_ppf(q, df, nc):
    return sp.chndtrix(q, positive(df), nc)


@inlined
def nct_pdf(x, df, nc):
    n = positive(df)
    whole = n + x * x
    point = 0.5 * (nc * x) ** 2 / whole
    height = 0.5 * n * np.log(n) + sp.gammaln(n + 1.0) - n * LOG_2 - 0.5 * nc * nc
    height = height - 0.5 * n * np.log(whole) - sp.gammaln(0.5 * n)
    odd = math.sqrt(2.0) * nc * x * sp.hyp1f1(0.5 * n + 1.0, 1.5, point) / (whole * sp.gamma(0.5 * (n + 1.0)))
    even = sp.hyp1f1(0.5 * (n + 1.0), 0.5, point) / (np.sqrt(whole) * sp.gamma(0.5 * n + 1.0))
    return np.exp(height) * (odd + even)


@inlined
def nct_logpdf(x, df, nc):
    return np.log(nct_pdf(x, df, nc))


@inlined
def chi_logpdf(x, df):
    half = 0.5 * positive(df)
    safe = np.where(x < 0.0, 0.0, x)
    inside = LOG_2 - LOG_2 * half - sp.gammaln(half) + sp.xlogy(2.0 * half - 1.0, safe) - 0.5 * safe * safe
    return np.where(x < 0.0, -math.inf, inside)


@inlined
def chi_by(gamma, x, df):
    safe = np.where(x < 0.0, 0.0, x)
    return gamma(0.5 * safe * safe, 0.5 * positive(df))


@inlined
def chi_back(gamma, q, df):
    return np.sqrt(2.0 * gamma(q, 0.5 * positive(df)))


@inlined
def gengamma_logpdf(x, a, c):
    a = positive(a)
    outside = (x < 0.0) | (x == math.inf) | ((x == 0.0) & (c < 0.0))
    safe = np.where(outside, 1.0, x)
    inside = np.log(np.abs(c)) + sp.xlogy(c * a - 1.0, safe) - safe**c - sp.gammaln(a)
    return np.where(outside, -math.inf, inside)


@inlined
def gengamma_cdf(x, a, c):
    power = np.where(x <= 0.0, 1.0, x) ** c
    some = np.where(c > 0.0, sp.gammainc(positive(a), power), sp.gammaincc(positive(a), power))
    return np.where(x <= 0.0, 0.0, some)


@inlined
def gengamma_sf(x, a, c):
    power = np.where(x <= 0.0, 1.0, x) ** c
    some = np.where(c > 0.0, sp.gammaincc(positive(a), power), sp.gammainc(positive(a), power))
    return np.where(x <= 0.0, 1.0, some)


@inlined
def gengamma_ppf(q, a, c):
    some = np.where(c > 0.0, sp.gammaincinv(positive(a), q), sp.gammainccinv(positive(a), q))
    return some ** (1.0 / c)


@inlined
def gengamma_isf(q, a, c):
    some = np.where(c > 0.0, sp.gammainccinv(positive(a), q), sp.gammaincinv(positive(a), q))
    return some ** (1.0 / c)


@inlined
def betaprime_logpdf(x, a, b):
    a, b = positive(a), positive(b)
    outside = (x < 0.0) | (x == math.inf)
    safe = np.where(outside, 0.0, x)
    inside = sp.xlogy(a - 1.0, safe) - (a + b) * np.log1p(safe) - sp.betaln(a, b)
    return np.where(outside, -math.inf, inside)


@inlined
def betaprime_cdf(x, a, b):
    a, b = positive(a), positive(b)
    low, high = _odds(x)
    return np.where(x < 1.0, sp.betainc(a, b, low), sp.betaincc(b, a, high))


@inlined
def betaprime_sf(x, a, b):
    a, b = positive(a), positive(b)
    low, high = _odds(x)
    return np.where(x < 1.0, sp.betaincc(a, b, low), sp.betainc(b, a, high))


@inlined
def _odds(x):
    """Of how many parts the odds are, and of how many the rest, each where it is the smaller."""
    low = np.where(x < 0.0, 0.0, np.where(x < 1.0, x, 1.0))
    return low / (1.0 + low), 1.0 / (1.0 + np.where(x < 1.0, 1.0, x))


@inlined
def betaprime_ppf(q, a, b):
    return sp.betaincinv(positive(a), positive(b), q) / sp.betainccinv(b, a, q)


@inlined
def betaprime_isf(q, a, b):
    return sp.betainccinv(positive(a), positive(b), q) / sp.betaincinv(b, a, q)


@inlined
def invweibull_logpdf(x, c):
    c = positive(c)
    outside = (x <= 0.0) | (x == math.inf)
    log = np.log(np.where(outside, 1.0, x))
    return np.where(outside, -math.inf, np.log(c) - (c + 1.0) * log - np.exp(-c * log))


@inlined
def invweibull_by(expon, x, c):
    safe = np.where(x <= 0.0, 1.0, x)
    return expon(np.where(x <= 0.0, math.inf, safe ** -positive(c)))


@inlined
def invweibull_back(expon, q, c):
    return expon(q) ** (-1.0 / positive(c))


@inlined
def weibull_max_logpdf(x, c):
    c = positive(c)
    safe = np.where(x > 0.0, 0.0, -x)
    return np.where(x > 0.0, -math.inf, np.log(c) + sp.xlogy(c - 1.0, safe) - safe**c)


@inlined
def weibull_max_by(expon, x, c):
    return expon(np.where(x > 0.0, 0.0, -x) ** positive(c))


@inlined
def weibull_max_back(expon, q, c):
    return -(expon(q) ** (1.0 / positive(c)))


@inlined
def gompertz_logpdf(x, c):
    c = positive(c)
    safe = np.where(x < 0.0, 0.0, x)
    return np.where(x < 0.0, -math.inf, np.log(c) + safe - c * np.expm1(safe))


@inlined
def gompertz_by(expon, x, c):
    return expon(positive(c) * np.expm1(np.where(x < 0.0, 0.0, x)))


@inlined
def gompertz_back(expon, q, c):
    return np.log1p(expon(q) / positive(c))


@inlined
def nakagami_logpdf(x, nu):
    nu = positive(nu)
    outside = (x < 0.0) | (x == math.inf)
    safe = np.where(outside, 1.0, x)
    inside = LOG_2 + nu * np.log(nu) - sp.gammaln(nu) + sp.xlogy(2.0 * nu - 1.0, safe) - nu * safe * safe
    return np.where(outside, -math.inf, inside)


@inlined
def nakagami_by(gamma, x, nu):
    safe = np.where(x < 0.0, 0.0, x)
    return gamma(positive(nu) * safe * safe, nu)


@inlined
def nakagami_back(gamma, q, nu):
    return np.sqrt(gamma(q, nu) / positive(nu))


@inlined
def lomax_logpdf(x, c):
    c = positive(c)
    return np.where(x < 0.0, -math.inf, np.log(c) - (c + 1.0) * np.log1p(np.where(x < 0.0, 0.0, x)))


@inlined
def lomax_by(expon, x, c):
    return expon(positive(c) * np.log1p(np.where(x < 0.0, 0.0, x)))


@inlined
def lomax_back(expon, q, c):
    return np.expm1(expon(q) / positive(c))


@inlined
def burr12_logpdf(x, c, d):
    c, d = positive(c), positive(d)
    outside = (x < 0.0) | (x == math.inf)
    safe = np.where(outside, 1.0, x)
    inside = np.log(c) + np.log(d) + sp.xlogy(c - 1.0, safe) - (d + 1.0) * np.log1p(safe**c)
    return np.where(outside, -math.inf, inside)


@inlined
def burr12_by(expon, x, c, d):
    return expon(positive(d) * np.log1p(np.where(x < 0.0, 0.0, x) ** positive(c)))


@inlined
def burr12_back(expon, q, c, d):
    return np.expm1(expon(q) / positive(d)) ** (1.0 / positive(c))


@inlined
def loguniform_logpdf(x, a, b):
    width = positive(np.log(b) - np.log(positive(a)))
    outside = ((x < a) | (x > b)) & (b > a)
    return np.where(outside, -math.inf, -np.log(np.where(outside, 1.0, x)) - np.log(width))


@inlined
def loguniform_cdf(x, a, b):
    width = positive(np.log(b) - np.log(positive(a)))
    return (np.log(np.minimum(np.maximum(x, a), b)) - np.log(a)) / width


@inlined
def loguniform_ppf(q, a, b):
    width = positive(np.log(b) - np.log(positive(a)))
    return np.exp(np.log(a) + q * width)


@inlined
def triang_logpdf(x, c):
    c = probability(c)
    outside = (x < 0.0) | (x > 1.0)
    below = x < c
    share = np.where(outside, 0.5, np.where(below, x, 1.0 - x))
    width = np.where(below, c, 1.0 - c)
    inside = LOG_2 + np.log(share) - np.log(np.where(width == 0.0, 1.0, width))
    return np.where(outside, -math.inf, inside)


@inlined
def triang_cdf(x, c):
    c, x = probability(c), np.clip(x, 0.0, 1.0)
    below = x < c
    low = x * x / np.where(below, c, 1.0)
    high = 1.0 - (1.0 - x) ** 2 / np.where(below | (c == 1.0), 1.0, 1.0 - c)
    return np.where(below, low, high)


@inlined
def triang_ppf(q, c):
    c = probability(c)
    return np.where(q < c, np.sqrt(c * q), 1.0 - np.sqrt((1.0 - c) * (1.0 - q)))


@inlined
def johnsonsu_logpdf(x, a, b):
    b = positive(b)
    away = a + b * np.arcsinh(x)
    return np.log(b) - 0.5 * np.log1p(x * x) - 0.5 * away * away - 0.5 * (LOG_2 + LOG_PI)


@inlined
def johnsonsu_by(norm, x, a, b):
    return norm(a + positive(b) * np.arcsinh(x))


@inlined
def johnsonsu_back(norm, q, a, b):
    return np.sinh((norm(q) - a) / positive(b))


@inlined
def rice_logpdf(x, b):
    outside = (x <= 0.0) | (x == math.inf)
    safe = np.where(outside, 1.0, x)
    away = safe - b
    inside = np.log(safe) - 0.5 * away * away + np.log(sp.i0e(safe * b))
    return np.where(outside, -math.inf, np.where(b >= 0.0, inside, math.nan))


@inlined
def rice_cdf(x, b):
    safe = np.where(x <= 0.0, 1.0, x)
    return np.where(x <= 0.0, 0.0, sp.chndtr(safe * safe, 2.0, b * np.where(b >= 0.0, b, math.nan)))


@inlined
def rice_ppf(q, b):
    return np.sqrt(sp.chndtrix(q, 2.0, b * np.where(b >= 0.0, b, math.nan)))


@inlined
def gennorm_logpdf(x, beta):
    beta = positive(beta)
    return np.log(0.5 * beta) - sp.gammaln(1.0 / beta) - np.abs(x) ** beta


@inlined
def gennorm_cdf(x, beta):
    scale = sp.gamma(1.0 + 1.0 / positive(beta))  # of the density, which is its inverse, halved, at zero
    tail = 0.5 * sp.gammaincc(1.0 / beta, np.abs(np.where(x == 0.0, 1.0, x)) ** beta)
    return np.where(x == 0.0, 0.5 + 0.5 * x / scale, np.where(x > 0.0, 1.0 - tail, tail))


@inlined
def gennorm_ppf(q, beta):
    scale = sp.gamma(1.0 + 1.0 / positive(beta))
    tail = np.where(q > 0.5, 2.0 * (1.0 - q), np.where(q == 0.5, 0.5, 2.0 * q))
    away = np.sign(q - 0.5) * sp.gammainccinv(1.0 / beta, tail) ** (1.0 / beta)
    return np.where(q == 0.5, scale * (2.0 * q - 1.0), away)


@inlined
def moyal_logpdf(x):
    return -0.5 * (x + np.exp(-x)) - 0.5 * (LOG_2 + LOG_PI)


@inlined
def moyal_by(halfnorm, x):
    return halfnorm(np.exp(-0.5 * x))


@inlined
def moyal_back(halfnorm, q):
    return -2.0 * np.log(halfnorm(q))


@inlined
def levy_logpdf(x):
    outside = (x <= 0.0) | (x == math.inf)
    safe = np.where(outside, 1.0, x)
    return np.where(outside, -math.inf, -0.5 * (LOG_2 + LOG_PI) - 1.5 * np.log(safe) - 0.5 / safe)


@inlined
def levy_by(halfnorm, x):
    safe = np.where(x <= 0.0, 1.0, x)
    return halfnorm(np.where(x <= 0.0, math.inf, 1.0 / np.sqrt(safe)))


@inlined
def levy_back(halfnorm, q):
    return 1.0 / halfnorm(q) ** 2


@inlined
def arcsine_logpdf(x):
    outside = (x < 0.0) | (x > 1.0)
    safe = np.where(outside, 0.5, x)
    return np.where(outside, -math.inf, -LOG_PI - 0.5 * np.log(safe * (1.0 - safe)))


@inlined
def arcsine_cdf(x):
    return 2.0 / math.pi * np.arcsin(np.sqrt(np.clip(x, 0.0, 1.0)))


@inlined
def arcsine_ppf(q):
    return np.sin(0.5 * math.pi * q) ** 2


@inlined
def hypsecant_logpdf(x):
    size = np.where(x > 0.0, x, -x)  # smooth, as the absolute value is not
    return LOG_2 - LOG_PI - size - np.log1p(np.exp(-2.0 * size))


@inlined
def hypsecant_cdf(x):
    return 2.0 / math.pi * np.arctan(np.exp(x))


@inlined
def hypsecant_ppf(q):
    return np.where(q == 1.0, math.inf, np.log(np.tan(0.5 * math.pi * np.where(q == 1.0, 0.5, q))))


@inlined
def truncexpon_logpdf(x, b):
    b = positive(b)
    return np.where((x < 0.0) | (x > b), -math.inf, -x - np.log(-np.expm1(-b)))


@inlined
def truncexpon_cdf(x, b):
    b = positive(b)
    return np.expm1(-np.clip(x, 0.0, b)) / np.expm1(-b)


@inlined
def truncexpon_sf(x, b):
    b = positive(b)
    inside = np.clip(x, 0.0, b)
    return np.exp(-inside) * np.expm1(inside - b) / np.expm1(-b)


@inlined
def truncexpon_ppf(q, b):
    return -np.log1p(q * np.expm1(-positive(b)))
