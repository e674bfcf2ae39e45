"""Distributions whose tails need forms of their own, where those of the functions of `scipy.special` cancel.

Source: DLMF 7.8, 7.12.1 for Mills' ratio. A parameter that is not allowed gives nan.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from backsweep.runtime.scipy.densities import log_skewed
from backsweep.runtime.statistics.located import positive
from backsweep.runtime.support.compiled import inlined

LOG_2 = math.log(2.0)
HALF_LOG_TURN = 0.5 * math.log(2.0 * math.pi)


@inlined
def invgauss_logpdf(x, mu):
    mu = positive(mu)
    outside = (x <= 0.0) | (x == math.inf)
    safe = np.where(outside, 1.0, x)
    away = (safe - mu) / mu
    inside = -HALF_LOG_TURN - 1.5 * np.log(safe) - away * away / (2.0 * safe)
    return np.where(outside, -math.inf, inside)


@inlined
def invgauss_cdf(x, mu):
    near, far, height = _wald(x, positive(mu))
    low = np.exp(height) * (_mills(_above(-near)) + _mills(far))
    high = sp.ndtr(_above(near)) + np.exp(height) * _mills(far)
    return np.where(x <= 0.0, 0.0, np.where(near < 0.0, low, high))


@inlined
def invgauss_sf(x, mu):
    near, far, height = _wald(x, positive(mu))
    low = sp.ndtr(_above(-near)) - np.exp(height) * _mills(far)
    high = np.exp(height) * _less_of_mills(_above(near), far)
    return np.where(x <= 0.0, 1.0, np.where(near < 0.0, low, high))


@inlined
def invgauss_logcdf(x, mu):
    near, far, height = _wald(x, positive(mu))
    low = height + np.log(_mills(_above(-near)) + _mills(far))
    high = np.log1p(-np.exp(height) * _less_of_mills(_above(near), far))
    return np.where(x <= 0.0, -math.inf, np.where(near < 0.0, low, high))


@inlined
def invgauss_logsf(x, mu):
    near, far, height = _wald(x, positive(mu))
    low = np.log1p(-np.exp(height) * (_mills(_above(-near)) + _mills(far)))
    high = height + np.log(_less_of_mills(_above(near), far))
    inside = np.where(x == math.inf, -math.inf, np.where(near < 0.0, low, high))
    return np.where(x <= 0.0, 0.0, inside)


@inlined
def _wald(x, mu):
    """Two places of the normal distribution, and the logarithm of its density at the first, which is that at the second, weighted."""
    safe = np.where((x <= 0.0) | (x == math.inf), 1.0, x)
    root = np.sqrt(safe)
    near = root / mu - 1.0 / root
    return near, root / mu + 1.0 / root, -0.5 * near * near - HALF_LOG_TURN


@inlined
def _above(x):
    """A place where it is not negative; at zero, too, with its slope."""
    return np.where(x < 0.0, 0.0, x)


@inlined
def _mills(x):
    """The normal distribution beyond a place, relative to its density there."""
    return math.sqrt(0.5 * math.pi) * sp.erfcx(x / math.sqrt(2.0))


@inlined
def _less_of_mills(x, y):
    """How much more that is at one place than at one further out; far out by its asymptotic series."""
    is_far = x > 1e4
    one, other = 1.0 / np.where(is_far, x, 1.0), 1.0 / np.where(is_far, y, 2.0)
    squares = one * one + one * other + other * other
    far = (one - other) * (1.0 - squares)
    return np.where(is_far, far, _mills(np.where(is_far, 1.0, x)) - _mills(np.where(is_far, 2.0, y)))


@inlined
def skewnorm_logpdf(x, a):
    return LOG_2 - 0.5 * x * x - HALF_LOG_TURN + sp.log_ndtr(a * x)


@inlined
def skewnorm_logcdf(x, a):
    return log_skewed(x, a)


@inlined
def skewnorm_logsf(x, a):
    return log_skewed(-x, -a)


@inlined
def skewnorm_cdf(x, a):
    return np.exp(log_skewed(x, a))


@inlined
def skewnorm_sf(x, a):
    return np.exp(log_skewed(-x, -a))
