"""Discrete distributions: logarithms of probabilities, and distribution functions.

Source: N. Johnson, A. Kemp, S. Kotz, Univariate Discrete Distributions (2005); the parameters are SciPy's. Where `k` is no
whole number of the support, the logarithm of the probability is -inf.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from backsweep.runtime.statistics.located import positive, probability
from backsweep.runtime.support.compiled import inlined


@inlined
def _not_negative(parameter):
    if np.ndim(parameter) == 0:
        return parameter if parameter >= 0.0 else math.nan
    return np.where(parameter >= 0.0, parameter, math.nan)


@inlined
def poisson_logpmf(k, mu):
    mu = _not_negative(mu)
    outside = (k < 0.0) | (np.floor(k) < k)
    return np.where(outside, -math.inf, sp.xlogy(k, mu) - sp.gammaln(np.where(outside, 0.0, k) + 1.0) - mu)


@inlined
def poisson_cdf(k, mu):
    whole = np.floor(k)
    return np.where(whole < 0.0, 0.0, sp.gammaincc(np.maximum(whole, 0.0) + 1.0, _not_negative(mu)))


@inlined
def poisson_sf(k, mu):
    whole = np.floor(k)
    return np.where(whole < 0.0, 1.0, sp.gammainc(np.maximum(whole, 0.0) + 1.0, _not_negative(mu)))


@inlined
def binom_logpmf(k, n, p):
    p = probability(p)
    outside = (k < 0.0) | (k > n) | (np.floor(k) < k)
    inside = np.where(outside, 0.0, k)
    choices = -np.log(n + 1.0) - sp.betaln(n - inside + 1.0, inside + 1.0)
    return np.where(outside, -math.inf, choices + sp.xlogy(inside, p) + sp.xlog1py(n - inside, -p))


@inlined
def binom_cdf(k, n, p):
    whole = np.floor(k)
    inside = np.clip(whole, 0.0, n - 1.0)
    some = sp.betaincc(inside + 1.0, n - inside, probability(p))
    return np.where(whole < 0.0, 0.0, np.where(whole >= n, 1.0, some))


@inlined
def binom_sf(k, n, p):
    whole = np.floor(k)
    inside = np.clip(whole, 0.0, n - 1.0)
    some = sp.betainc(inside + 1.0, n - inside, probability(p))
    return np.where(whole < 0.0, 1.0, np.where(whole >= n, 0.0, some))


@inlined
def bernoulli_logpmf(k, p):
    p = probability(p)
    outside = (k < 0.0) | (k > 1.0) | (np.floor(k) < k)
    inside = np.where(outside, 0.0, k)
    return np.where(outside, -math.inf, sp.xlogy(inside, p) + sp.xlog1py(1.0 - inside, -p))


@inlined
def geom_logpmf(k, p):
    p = probability(p)
    outside = (k < 1.0) | (np.floor(k) < k)
    return np.where(outside, -math.inf, sp.xlog1py(k - 1.0, -p) + np.log(p))


@inlined
def geom_logsf(k, p):
    return sp.xlog1py(np.maximum(np.floor(k), 0.0), -probability(p))


@inlined
def nbinom_logpmf(k, n, p):
    n, p = positive(n), probability(p)
    outside = (k < 0.0) | (np.floor(k) < k)
    inside = np.where(outside, 0.0, k)
    choices = -np.log(n + inside) - sp.betaln(n, inside + 1.0)
    return np.where(outside, -math.inf, choices + n * np.log(p) + sp.xlog1py(inside, -p))


@inlined
def nbinom_cdf(k, n, p):
    whole = np.floor(k)
    some = sp.betainc(positive(n), np.maximum(whole, 0.0) + 1.0, probability(p))
    return np.where(whole < 0.0, 0.0, some)


@inlined
def nbinom_sf(k, n, p):
    whole = np.floor(k)
    some = sp.betaincc(positive(n), np.maximum(whole, 0.0) + 1.0, probability(p))
    return np.where(whole < 0.0, 1.0, some)


@inlined
def betabinom_logpmf(k, n, a, b):
    a, b = positive(a), positive(b)
    outside = (k < 0.0) | (k > n) | (np.floor(k) < k)
    inside = np.where(outside, 0.0, k)
    choices = -np.log(n + 1.0) - sp.betaln(n - inside + 1.0, inside + 1.0)
    return np.where(outside, -math.inf, choices + sp.betaln(inside + a, n - inside + b) - sp.betaln(a, b))
