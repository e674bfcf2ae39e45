"""The normal distribution between two bounds, by the logarithms of how probable its parts are.

In the tails these logarithms are numbers where the probabilities themselves are zero. Bounds may be infinite.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from backsweep.runtime.statistics.located import log_of_the_rest, probability
from backsweep.runtime.support.compiled import inlined

HALF_LOG_TURN = 0.5 * math.log(2.0 * math.pi)


@inlined
def truncnorm_logpdf(x, a, b):
    outside = ((x < a) | (x > b)) & (b > a)
    return np.where(outside, -math.inf, -0.5 * x * x - HALF_LOG_TURN - _log_between(a, b))


@inlined
def truncnorm_logcdf(x, a, b):
    below = _log_between(a, np.minimum(np.maximum(x, a), b)) - _log_between(a, b)
    most = below > -0.1
    return np.where(most, np.log1p(-np.where(most, truncnorm_sf(x, a, b), 0.0)), below)


@inlined
def truncnorm_logsf(x, a, b):
    return truncnorm_logcdf(-x, -b, -a)


@inlined
def truncnorm_cdf(x, a, b):
    within = np.minimum(np.maximum(x, a), b)
    whole = _log_between(a, b)
    more, less = np.where(a > 0.0, -a, within), np.where(a > 0.0, -within, a)
    return np.exp(sp.log_ndtr(more) - whole) - np.exp(sp.log_ndtr(less) - whole)


@inlined
def truncnorm_sf(x, a, b):
    return truncnorm_cdf(-x, -b, -a)


@inlined
def truncnorm_ppf(q, a, b):
    q = probability(q)
    turned = a > 0.0
    kept = np.where(turned, 1.0 - q, q)
    none = kept == 0.0
    share = np.where(none, -math.inf, np.log(np.where(none, 1.0, kept)))
    left = np.logaddexp(sp.log_ndtr(np.where(turned, -b, a)), share + _log_between(a, b))
    return np.where(turned, -1.0, 1.0) * sp.ndtri_exp(left)


@inlined
def truncnorm_isf(q, a, b):
    return -truncnorm_ppf(q, -b, -a)


@inlined
def _log_between(a, b):
    """The logarithm of how probable a normal number from `a` to `b` is, taken in the tail that is nearer; nan if `b` is below."""
    low, high = np.where(a > 0.0, -b, a), np.where(a > 0.0, -a, b)
    below, whole = sp.log_ndtr(low), sp.log_ndtr(high)
    empty = high == -math.inf
    part = log_of_the_rest(np.where(empty, -1.0, below - np.where(empty, 0.0, whole)))
    return np.where(b < a, math.nan, whole + part)
