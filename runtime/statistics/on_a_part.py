"""Distributions on a part of the line in standard form: logarithms of densities, distribution functions, quantiles.

Source: the densities as SciPy documents them in `scipy.stats`; N. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate
Distributions (1994, 1995). Outside of the support the logarithm of a density is -inf, without a gradient. A parameter that
is not allowed gives nan.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from backsweep.runtime.scipy.series import log1p_quotient
from backsweep.runtime.statistics.located import log_of_the_rest, positive
from backsweep.runtime.support.compiled import inlined

LOG_2 = math.log(2.0)
LOG_PI = math.log(math.pi)
HALF_LOG_TURN = 0.5 * math.log(2.0 * math.pi)
ROOT_OF_2 = math.sqrt(2.0)


@inlined
def lognorm_logpdf(x, s):
    s = positive(s)
    outside = (x <= 0.0) | (x == math.inf)
    safe = np.where(outside, 1.0, x)
    z = np.log(safe) / s
    return np.where(outside, -math.inf, -0.5 * z * z - np.log(s * safe) - HALF_LOG_TURN)


@inlined
def lognorm_by(norm, x, s):
    safe = np.where(x <= 0.0, 1.0, x)
    return norm(np.where(x <= 0.0, -math.inf, np.log(safe) / positive(s)))


@inlined
def lognorm_back(norm, q, s):
    return np.exp(positive(s) * norm(q))


@inlined
def halfnorm_logpdf(x):
    return np.where(x < 0.0, -math.inf, 0.5 * (LOG_2 - LOG_PI) - 0.5 * x * x)


@inlined
def halfnorm_cdf(x):
    return np.where(x < 0.0, 0.0, sp.erf(x / ROOT_OF_2))


@inlined
def halfnorm_sf(x):
    return np.where(x < 0.0, 1.0, sp.erfc(x / ROOT_OF_2))


@inlined
def halfnorm_ppf(q):
    return ROOT_OF_2 * sp.erfinv(q)


@inlined
def halfnorm_isf(q):
    return -sp.ndtri(0.5 * q)


@inlined
def expon_logpdf(x):
    return np.where(x < 0.0, -math.inf, -x)


@inlined
def expon_logsf(x):
    return np.where(x < 0.0, 0.0, -x)


@inlined
def expon_ppf(q):
    return -np.log1p(-q)


@inlined
def expon_isf(q):
    return -np.log(q)


@inlined
def gamma_logpdf(x, a):
    a = positive(a)
    return np.where(x < 0.0, -math.inf, sp.xlogy(a - 1.0, x) - x - sp.gammaln(a))


@inlined
def gamma_cdf(x, a):
    return np.where(x < 0.0, 0.0, sp.gammainc(positive(a), np.where(x < 0.0, 0.0, x)))


@inlined
def gamma_sf(x, a):
    return np.where(x < 0.0, 1.0, sp.gammaincc(positive(a), np.where(x < 0.0, 0.0, x)))


@inlined
def gamma_ppf(q, a):
    return sp.gammaincinv(positive(a), q)


@inlined
def gamma_isf(q, a):
    return sp.gammainccinv(positive(a), q)


@inlined
def chi2_logpdf(x, df):
    half = 0.5 * positive(df)
    return np.where(x < 0.0, -math.inf, sp.xlogy(half - 1.0, x) - 0.5 * x - sp.gammaln(half) - LOG_2 * half)


@inlined
def chi2_by(gamma, x, df):
    return gamma(0.5 * x, 0.5 * df)


@inlined
def chi2_back(gamma, q, df):
    return 2.0 * gamma(q, 0.5 * df)


@inlined
def invgamma_logpdf(x, a):
    a = positive(a)
    safe = np.where(x <= 0.0, 1.0, x)
    return np.where(x <= 0.0, -math.inf, -(a + 1.0) * np.log(safe) - sp.gammaln(a) - 1.0 / safe)


@inlined
def invgamma_cdf(x, a):
    safe = np.where(x <= 0.0, 1.0, x)
    return np.where(x <= 0.0, 0.0, sp.gammaincc(positive(a), 1.0 / safe))


@inlined
def invgamma_sf(x, a):
    safe = np.where(x <= 0.0, 1.0, x)
    return np.where(x <= 0.0, 1.0, sp.gammainc(positive(a), 1.0 / safe))


@inlined
def invgamma_ppf(q, a):
    return 1.0 / sp.gammainccinv(positive(a), q)


@inlined
def invgamma_isf(q, a):
    return 1.0 / sp.gammaincinv(positive(a), q)


@inlined
def beta_logpdf(x, a, b):
    a, b = positive(a), positive(b)
    inside = sp.xlogy(a - 1.0, x) + sp.xlog1py(b - 1.0, -x) - sp.betaln(a, b)
    return np.where((x < 0.0) | (x > 1.0), -math.inf, inside)


@inlined
def beta_cdf(x, a, b):
    return sp.betainc(positive(a), positive(b), np.clip(x, 0.0, 1.0))


@inlined
def beta_sf(x, a, b):
    return sp.betaincc(positive(a), positive(b), np.clip(x, 0.0, 1.0))


@inlined
def beta_ppf(q, a, b):
    return sp.betaincinv(positive(a), positive(b), q)


@inlined
def uniform_logpdf(x):
    return np.where((x < 0.0) | (x > 1.0), -math.inf, 0.0 * x)


@inlined
def uniform_pdf(x):
    return np.where((x < 0.0) | (x > 1.0), 0.0, 1.0 + 0.0 * x)


@inlined
def uniform_cdf(x):
    return np.clip(x, 0.0, 1.0)


@inlined
def uniform_ppf(q):
    return q


@inlined
def f_logpdf(x, dfn, dfd):
    n, m = positive(dfn), positive(dfd)
    inside = (
        0.5 * m * np.log(m)
        + 0.5 * n * np.log(n)
        + sp.xlogy(0.5 * n - 1.0, x)
        - 0.5 * (n + m) * np.log(m + n * np.where(x < 0.0, 0.0, x))
        - sp.betaln(0.5 * n, 0.5 * m)
    )
    return np.where(x < 0.0, -math.inf, inside)


@inlined
def f_cdf(x, dfn, dfd):
    return sp.fdtr(positive(dfn), positive(dfd), np.where(x < 0.0, 0.0, x))


@inlined
def f_sf(x, dfn, dfd):
    return sp.fdtrc(positive(dfn), positive(dfd), np.where(x < 0.0, 0.0, x))


@inlined
def f_ppf(q, dfn, dfd):
    return np.where(q == 1.0, math.inf, sp.fdtri(positive(dfn), positive(dfd), q))


@inlined
def f_isf(q, dfn, dfd):
    return 1.0 / f_ppf(q, dfd, dfn)


@inlined
def halfcauchy_logpdf(x):
    return np.where(x < 0.0, -math.inf, LOG_2 - LOG_PI - np.log1p(x * x))


@inlined
def halfcauchy_cdf(x):
    return np.where(x < 0.0, 0.0, 2.0 / math.pi * np.arctan(x))


@inlined
def halfcauchy_sf(x):
    return np.where(x < 0.0, 1.0, 2.0 / math.pi * np.arctan2(1.0, x))


@inlined
def halfcauchy_ppf(q):
    return np.where(q >= 1.0, math.inf, np.tan(math.pi / 2.0 * q))


@inlined
def halfcauchy_isf(q):
    inside = np.where(q <= 0.0, 1.0, q)
    return np.where(q <= 0.0, math.inf, 1.0 / np.tan(math.pi / 2.0 * inside))


@inlined
def weibull_min_logpdf(x, c):
    c = positive(c)
    safe = np.where(x < 0.0, 0.0, x)
    return np.where(x < 0.0, -math.inf, np.log(c) + sp.xlogy(c - 1.0, safe) - safe**c)


@inlined
def weibull_min_by(expon, x, c):
    return expon(np.where(x < 0.0, 0.0, x) ** positive(c))


@inlined
def weibull_min_back(expon, q, c):
    return expon(q) ** (1.0 / positive(c))


@inlined
def pareto_logpdf(x, b):
    b = positive(b)
    safe = np.where(x < 1.0, 1.0, x)
    return np.where(x < 1.0, -math.inf, np.log(b) - (b + 1.0) * np.log(safe))


@inlined
def pareto_by(expon, x, b):
    return expon(positive(b) * np.log(np.where(x < 1.0, 1.0, x)))


@inlined
def pareto_back(expon, q, b):
    return np.exp(expon(q) / positive(b))


@inlined
def powerlaw_logpdf(x, a):
    a = positive(a)
    return np.where((x < 0.0) | (x > 1.0), -math.inf, np.log(a) + sp.xlogy(a - 1.0, x))


@inlined
def powerlaw_cdf(x, a):
    return np.clip(x, 0.0, 1.0) ** positive(a)


@inlined
def powerlaw_logcdf(x, a):
    none = x <= 0.0
    return np.where(none, -math.inf, positive(a) * np.log(np.where(none, 1.0, np.minimum(x, 1.0))))


@inlined
def powerlaw_sf(x, a):
    return -np.expm1(powerlaw_logcdf(x, a))


@inlined
def powerlaw_logsf(x, a):
    below = powerlaw_logcdf(x, a)
    return np.where(x >= 1.0, -math.inf, log_of_the_rest(np.where(x >= 1.0, -1.0, below)))


@inlined
def powerlaw_ppf(q, a):
    return q ** (1.0 / positive(a))


@inlined
def rayleigh_logpdf(x):
    outside = (x <= 0.0) | (x == math.inf)
    safe = np.where(outside, 1.0, x)
    return np.where(outside, -math.inf, np.log(safe) - 0.5 * safe * safe)


@inlined
def rayleigh_by(expon, x):
    safe = np.where(x < 0.0, 0.0, x)
    return expon(0.5 * safe * safe)


@inlined
def rayleigh_back(expon, q):
    return np.sqrt(2.0 * expon(q))


@inlined
def maxwell_logpdf(x):
    outside = (x <= 0.0) | (x == math.inf)
    safe = np.where(outside, 1.0, x)
    inside = 0.5 * (LOG_2 - LOG_PI) + 2.0 * np.log(safe) - 0.5 * safe * safe
    return np.where(outside, -math.inf, inside)


@inlined
def maxwell_by(gamma, x):
    safe = np.where(x < 0.0, 0.0, x)
    return gamma(0.5 * safe * safe, 1.5)


@inlined
def maxwell_back(gamma, q):
    return np.sqrt(2.0 * gamma(q, 1.5))


@inlined
def fisk_logpdf(x, c):
    c = positive(c)
    outside = (x <= 0.0) | (x == math.inf)
    safe = np.where(outside, 1.0, x)
    inside = np.log(c) + (c - 1.0) * np.log(safe) - 2.0 * np.log1p(safe**c)
    return np.where(outside, -math.inf, inside)


@inlined
def fisk_by(logistic, x, c):
    safe = np.where(x <= 0.0, 1.0, x)
    return logistic(np.where(x <= 0.0, -math.inf, positive(c) * np.log(safe)))


@inlined
def fisk_back(logistic, q, c):
    return np.exp(logistic(q) / positive(c))


@inlined
def genpareto_logpdf(x, c):
    outside = (x < 0.0) | (c * x <= -1.0) | (x == math.inf)
    bend = np.where(outside, 0.0, c * x)
    return np.where(outside, -math.inf, -x * log1p_quotient(0, bend) - np.log1p(bend))


@inlined
def genpareto_logsf(x, c):
    safe = np.where(x < 0.0, 0.0, x)
    beyond = (c * safe <= -1.0) | (safe == math.inf)
    return np.where(beyond, -math.inf, -safe * log1p_quotient(0, np.where(beyond, 0.0, c * safe)))


@inlined
def genpareto_ppf(q, c):
    return -sp.boxcox1p(-q, -c)


@inlined
def genpareto_isf(q, c):
    return -sp.boxcox(q, -c)
