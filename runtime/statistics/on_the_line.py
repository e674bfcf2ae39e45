"""Distributions on the whole line in standard form: logarithms of densities, distribution functions, quantiles.

Source: the densities as SciPy documents them in `scipy.stats`; N. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate
Distributions (1994, 1995). A parameter that is not allowed gives nan.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from backsweep.runtime.scipy.series import log1p_quotient
from backsweep.runtime.statistics.located import positive
from backsweep.runtime.support.compiled import inlined

LOG_2 = math.log(2.0)
LOG_PI = math.log(math.pi)
HALF_LOG_TURN = 0.5 * math.log(2.0 * math.pi)


@inlined
def norm_logpdf(x):
    return -0.5 * x * x - HALF_LOG_TURN


@inlined
def norm_pdf(x):
    return np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


@inlined
def norm_cdf(x):
    return sp.ndtr(x)


@inlined
def norm_logcdf(x):
    return sp.log_ndtr(x)


@inlined
def norm_ppf(q):
    return sp.ndtri(q)


@inlined
def t_logpdf(x, df):
    df = positive(df)
    is_normal = np.isinf(df)
    safe = np.where(is_normal, 1.0, df)
    top = 0.5 * (safe + 1.0)
    height = -sp.betaln(0.5 * safe, 0.5) - 0.5 * np.log(safe)
    return np.where(is_normal, -0.5 * x * x - HALF_LOG_TURN, height - top * np.log1p(x * x / safe))


@inlined
def t_cdf(x, df):
    return sp.stdtr(positive(df), x)


@inlined
def t_ppf(q, df):
    return np.where(q == 0.0, -math.inf, sp.stdtrit(positive(df), q))


@inlined
def cauchy_logpdf(x):
    return -LOG_PI - 2.0 * np.log(np.hypot(1.0, x))  # the square may be too large


@inlined
def cauchy_cdf(x):
    return np.arctan2(1.0, -x) / math.pi


@inlined
def cauchy_ppf(q):
    inside = (q > 0.0) & (q < 1.0)
    ends = np.where(q < 0.5, -math.inf, np.where(q > 0.5, math.inf, math.nan))
    tail = np.where(inside, np.minimum(np.minimum(q, 1.0 - q), 0.25), 0.25)
    far = np.where(q < 0.5, -1.0, 1.0) / np.tan(math.pi * tail)
    some = np.where(np.abs(q - 0.5) > 0.25, far, np.tan(math.pi * q - math.pi / 2.0))
    return np.where(inside, some, ends)


@inlined
def laplace_logpdf(x):
    return -LOG_2 - np.abs(x)


@inlined
def laplace_cdf(x):
    small = 0.5 * np.exp(np.where(x > 0.0, -x, x))  # not of the absolute value, which has a kink
    return np.where(x > 0.0, 1.0 - small, small)


@inlined
def laplace_ppf(q):
    return np.where(q > 0.5, -np.log(2.0 * (1.0 - q)), np.log(2.0 * q))


@inlined
def logistic_logpdf(x):
    return sp.log_expit(x) + sp.log_expit(-x)


@inlined
def logistic_cdf(x):
    return sp.expit(x)


@inlined
def logistic_logcdf(x):
    return sp.log_expit(x)


@inlined
def logistic_ppf(q):
    return sp.logit(q)


@inlined
def gumbel_r_logpdf(x):
    return -x - np.exp(-x)


@inlined
def gumbel_r_by(expon, x):
    return expon(np.exp(-x))


@inlined
def gumbel_r_back(expon, q):
    return -np.log(expon(q))


@inlined
def gumbel_l_logpdf(x):
    return x - np.exp(x)


@inlined
def gumbel_l_by(expon, x):
    return expon(np.exp(x))


@inlined
def gumbel_l_back(expon, q):
    return np.log(expon(q))


@inlined
def exponnorm_logpdf(x, K):
    inverse = 1.0 / positive(K)
    return -np.log(K) + inverse * (0.5 * inverse - x) + sp.log_ndtr(x - inverse)


@inlined
def exponnorm_cdf(x, K):
    return sp.ndtr(x) - _delayed(x, 1.0 / positive(K))


@inlined
def exponnorm_sf(x, K):
    return sp.ndtr(-x) + _delayed(x, 1.0 / positive(K))


@inlined
def _delayed(x, rate):
    """How probable it is that the normal part is below `x` and the sum is not."""
    nowhere = x == -math.inf
    safe = np.where(nowhere, 0.0, x)
    return np.where(nowhere, 0.0, np.exp(rate * (0.5 * rate - safe) + sp.log_ndtr(safe - rate)))


@inlined
def vonmises_logpdf(x, kappa):
    kappa = positive(kappa)
    near = np.sin(0.5 * x)
    return -2.0 * kappa * near * near - 2.0 * HALF_LOG_TURN - np.log(sp.i0e(kappa))


@inlined
def genextreme_logpdf(x, c):
    outside = (c * x >= 1.0) | (np.abs(x) == math.inf)
    bend = np.where(outside, 0.0, -c * x)
    scaled = -x * log1p_quotient(0, bend)
    return np.where(outside, -math.inf, scaled - np.exp(scaled) - np.log1p(bend))


@inlined
def genextreme_logcdf(x, c):
    outside = (c * x >= 1.0) | (np.abs(x) == math.inf)
    inside = -np.exp(-x * log1p_quotient(0, np.where(outside, 0.0, -c * x)))
    return np.where(outside, np.where(x > 0.0, 0.0, -math.inf), inside)


@inlined
def genextreme_ppf(q, c):
    return -sp.boxcox(-np.log(q), c)


@inlined
def genextreme_isf(q, c):
    return -sp.boxcox(-np.log1p(-q), c)


@inlined
def loggamma_logpdf(x, c):
    return positive(c) * x - np.exp(x) - sp.gammaln(c)


LEAST = -700.0
"""Below, a power of e is next to nothing, whose distribution function is a power."""


@inlined
def loggamma_cdf(x, c):
    some = sp.gammainc(positive(c), np.exp(np.maximum(x, LEAST)))
    return np.where(x < LEAST, np.exp(c * np.minimum(x, LEAST) - sp.gammaln(c + 1.0)), some)


@inlined
def loggamma_sf(x, c):
    some = sp.gammaincc(positive(c), np.exp(np.maximum(x, LEAST)))
    return np.where(x < LEAST, -np.expm1(c * np.minimum(x, LEAST) - sp.gammaln(c + 1.0)), some)


@inlined
def loggamma_ppf(q, c):
    power = sp.gammaincinv(positive(c), q)
    small = power < math.exp(LEAST)
    return np.where(small, (np.log(q) + sp.gammaln(c + 1.0)) / c, np.log(np.where(small, 1.0, power)))


@inlined
def loggamma_isf(q, c):
    power = sp.gammainccinv(positive(c), q)
    small = power < math.exp(LEAST)
    return np.where(small, (np.log1p(-q) + sp.gammaln(c + 1.0)) / c, np.log(np.where(small, 1.0, power)))
