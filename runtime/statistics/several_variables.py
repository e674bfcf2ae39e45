"""Distributions of vectors: the normal, Student's, Dirichlet's and the multinomial distribution."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from backsweep.runtime.scipy.triangular import triangular_solution
from backsweep.runtime.statistics.located import positive
from backsweep.runtime.support.compiled import inlined

LOG_TURN = math.log(2.0 * math.pi)


@inlined
def multivariate_normal_logpdf(x, mean=None, cov=1.0, allow_singular: bool = False):  # noqa: ARG001  SciPy's parameters
    """The logarithm of the density of a vector, or of each row of a matrix; in one dimension of each entry."""
    if _is_of_one(mean, cov):
        away = x if mean is None else x - mean
        return -0.5 * (away * away / cov + np.log(cov) + LOG_TURN)
    away = _away(x, mean)
    lower = np.linalg.cholesky(_covariance(cov, away.shape[-1]))
    scaled = triangular_solution(lower, away.T, True, False)
    inside = np.sum(scaled * scaled, axis=0)
    return -0.5 * (inside + away.shape[-1] * LOG_TURN) - np.sum(np.log(np.diag(lower)))


@inlined
def _is_of_one(mean, cov) -> bool:
    """Whether the distribution is one of numbers: neither its center nor its covariance has more than one entry."""
    return np.ndim(cov) == 0 and (mean is None or np.ndim(mean) == 0)


@inlined
def _away(x, mean):
    """The vectors from the center."""
    if mean is None:
        return np.asarray(x)
    center = np.asarray(mean)
    if center.shape[-1] == 1 and np.shape(x)[-1] != 1:
        raise ValueError("the center has one entry: pass it and the variance as numbers")
    return np.asarray(x) - center


@inlined
def _covariance(cov, n: int):
    """The matrix of covariances that a number, a vector of variances or a matrix stands for."""
    if np.ndim(cov) == 0:
        return cov * np.eye(n)
    if np.ndim(cov) == 1:
        return np.diag(np.asarray(cov))
    return np.asarray(cov)


@inlined
def multivariate_t_logpdf(x, loc=None, shape=1.0, df=1.0):
    """The logarithm of the density of a vector, or of each row of a matrix; in one dimension of each entry."""
    df = positive(df)
    if _is_of_one(loc, shape):
        away = x if loc is None else x - loc
        top = 0.5 * (df + 1.0)
        constant = -sp.betaln(0.5 * df, 0.5) - 0.5 * np.log(df * shape)
        return constant - top * np.log1p(away * away / (shape * df))
    away = _away(x, loc)
    n = away.shape[-1]
    lower = np.linalg.cholesky(_covariance(shape, n))
    scaled = triangular_solution(lower, away.T, True, False)
    inside = np.sum(scaled * scaled, axis=0)
    top = 0.5 * (df + n)
    constant = sp.gammaln(0.5 * n) - sp.betaln(0.5 * df, 0.5 * n) - 0.5 * n * np.log(math.pi * df)
    return constant - np.sum(np.log(np.diag(lower))) - top * np.log1p(inside / df)


@inlined
def dirichlet_logpdf(x, alpha):
    """The logarithm of the density of a vector whose entries add up to 1."""
    x, alpha = np.asarray(x), positive(np.asarray(alpha))
    constant = sp.gammaln(np.sum(alpha)) - np.sum(sp.gammaln(alpha))
    return constant + np.sum(sp.xlogy(alpha - 1.0, x))


@inlined
def multinomial_logpmf(x, n, p):
    """The logarithm of the probability of counts that add up to `n`."""
    x, p = np.asarray(x), np.asarray(p)
    found = sp.gammaln(n + 1.0) + np.sum(sp.xlogy(x, p) - sp.gammaln(x + 1.0))
    return found if np.sum(x) == n else -math.inf
