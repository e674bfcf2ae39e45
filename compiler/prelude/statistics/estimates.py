"""Estimates of `scipy.stats` from samples: cumulants, entropies, slopes, ranks, what is within limits, densities."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.special
import scipy.stats

from backsweep.prelude.declare import (
    as_floats,
    has_known_items,
    is_complex,
    means,
    only_propagating,
    refuse,
    stands_for,
)
from backsweep.prelude.statistics.measures import yeojohnson


@means(scipy.stats.kstat)
def kstat(data, n=2, *, axis=None, nan_policy="propagate", keepdims=False):
    """Unbiased estimates of cumulants."""
    only_propagating(nan_policy)
    return _cumulant(as_floats(data), n, axis, keepdims)


def _cumulant(x, order, axis, keepdims):
    if order not in (1, 2, 3, 4):
        raise ValueError("k-statistics only supported for 1<=n<=4")
    n = x.size if axis is None else x.shape[axis]
    one = np.sum(x, axis=axis, keepdims=keepdims)
    if order == 1:
        return one / n
    two = np.sum(x**2, axis=axis, keepdims=keepdims)
    if order == 2:
        return (n * two - one**2) / (n * (n - 1.0))
    three = np.sum(x**3, axis=axis, keepdims=keepdims)
    if order == 3:
        return (2.0 * one**3 - 3.0 * n * one * two + n * n * three) / (n * (n - 1.0) * (n - 2.0))
    four = np.sum(x**4, axis=axis, keepdims=keepdims)
    above = -6.0 * one**4 + 12.0 * n * one**2 * two - 3.0 * n * (n - 1.0) * two**2
    above = above - 4.0 * n * (n + 1.0) * one * three + n * n * (n + 1.0) * four
    return above / (n * (n - 1.0) * (n - 2.0) * (n - 3.0))


@means(scipy.stats.kstatvar)
def kstatvar(data, n=2, *, axis=None, nan_policy="propagate", keepdims=False):
    """Unbiased estimates of the variances of these."""
    only_propagating(nan_policy)
    if n not in (1, 2):
        raise ValueError("Only n=1 or n=2 supported.")
    x = as_floats(data)
    count = x.size if axis is None else x.shape[axis]
    two = _cumulant(x, 2, axis, keepdims)
    if n == 1:
        return two / count
    four = _cumulant(x, 4, axis, keepdims)
    return (2.0 * count * two**2 + (count - 1.0) * four) / (count * (count + 1.0))


@means(scipy.stats.differential_entropy)
def differential_entropy(
    values, *, window_length=None, base=None, axis=0, method="auto", nan_policy="propagate", keepdims=False
):
    """The entropy of what a sample is drawn from, by the distances of its entries."""
    only_propagating(nan_policy)
    x = as_floats(values)
    if axis is None:
        x, axis = np.ravel(x), 0
    x = np.sort(np.moveaxis(x, axis, -1), axis=-1)
    n = x.shape[-1]
    m = int(math.sqrt(n) + 0.5) if window_length is None else window_length
    if not 2 <= 2 * m < n:
        raise ValueError("Window length must be positive and less than half the sample size.")
    if method == "auto":
        found = _van_es(x, n, m) if n <= 10 else _ebrahimi(x, n, m) if n <= 1000 else _vasicek(x, n, m)
    elif method == "van es":
        found = _van_es(x, n, m)
    elif method == "ebrahimi":
        found = _ebrahimi(x, n, m)
    elif method == "vasicek":
        found = _vasicek(x, n, m)
    else:
        refuse(
            "`scipy.stats.differential_entropy` is supported with the methods 'vasicek', 'van es' and 'ebrahimi'",
            "leave `method` out",
        )
    if base is not None:
        found = found / np.log(base)
    return np.expand_dims(found, axis) if keepdims else found


def _van_es(x, n, m):
    logs = np.log((n + 1.0) / m * (x[..., m:] - x[..., : n - m]))
    known = np.sum(1.0 / np.arange(m, n + 1)) + math.log(m) - math.log(n + 1)
    return np.sum(logs, axis=-1) / (n - m) + known


def _ebrahimi(x, n, m):
    place = np.arange(n)
    weight = 1.0 + np.minimum(np.minimum(place, n - 1 - place) / m, 1.0)
    return np.mean(np.log(n * _distances(x, n, m) / (weight * m)), axis=-1)


def _vasicek(x, n, m):
    return np.mean(np.log(n / (2.0 * m) * _distances(x, n, m)), axis=-1)


def _distances(x, n, m):
    """How far apart the entries `m` places before and behind each one are; the ends count for what is beyond them."""
    place = np.arange(n)
    return x[..., np.minimum(place + m, n - 1)] - x[..., np.maximum(place - m, 0)]


class Slopes(NamedTuple):
    """What `theilslopes` returns."""

    slope: Any
    intercept: Any
    low_slope: Any
    high_slope: Any


@means(scipy.stats.theilslopes)
def theilslopes(
    y, x=None, alpha=0.95, method="separate", *, axis=None, nan_policy="propagate", keepdims=False
):
    """The median of the slopes between all pairs of points, and the interval that it is in (Theil and Sen)."""
    only_propagating(nan_policy)
    if axis is not None or keepdims:
        refuse("`scipy.stats.theilslopes` is supported of whole arrays", "call it for each of the rows")
    if method not in ("joint", "separate"):
        raise ValueError("method must be either 'joint' or 'separate'.")
    y = np.ravel(as_floats(y))
    x = np.arange(len(y)) * 1.0 if x is None else np.ravel(as_floats(x))
    if len(x) != len(y):
        raise ValueError("Array shapes are incompatible for broadcasting.")
    across, up = np.reshape(x, (-1, 1)) - x, np.reshape(y, (-1, 1)) - y
    slopes = np.sort(up[across > 0.0] / across[across > 0.0])
    slope = np.median(slopes)
    intercept = np.median(y - slope * x) if method == "joint" else np.median(y) - slope * np.median(x)
    n, count = len(y), len(slopes)
    z = scipy.special.ndtri((1.0 - alpha if alpha > 0.5 else alpha) / 2.0)
    sigma = np.sqrt((n * (n - 1.0) * (2.0 * n + 5.0) - _of_ties(x) - _of_ties(y)) / 18.0)
    last = min(int(np.round((count - z * sigma) / 2.0)), count - 1)
    first = max(int(np.round((count + z * sigma) / 2.0)) - 1, 0)
    return Slopes(slope, intercept, slopes[first], slopes[last])


def _of_ties(x):
    """What entries that are alike take off the variance."""
    alike = np.sum(np.reshape(x, (-1, 1)) == x, axis=1)
    return np.sum((alike - 1.0) * (2.0 * alike + 5.0))


class Siegel(NamedTuple):
    """What `siegelslopes` returns."""

    slope: Any
    intercept: Any


@means(scipy.stats.siegelslopes)
def siegelslopes(y, x=None, method="hierarchical", *, axis=None, nan_policy="propagate", keepdims=False):
    """The median of each point's median slope to the others (Siegel)."""
    only_propagating(nan_policy)
    if axis is not None or keepdims:
        refuse("`scipy.stats.siegelslopes` is supported of whole arrays", "call it for each of the rows")
    if method not in ("hierarchical", "separate"):
        raise ValueError("method can only be 'hierarchical' or 'separate'")
    y = np.ravel(as_floats(y))
    x = np.arange(len(y)) * 1.0 if x is None else np.ravel(as_floats(x))
    slopes, inters = np.empty(len(y)), np.empty(len(y))
    for j in range(len(y)):
        others = x != x[j]
        across = x[j] - x[others]
        slopes[j] = np.median((y[j] - y[others]) / across)
        inters[j] = np.median((y[others] * x[j] - y[j] * x[others]) / across)
    slope = np.median(slopes)
    return Siegel(slope, np.median(inters) if method == "separate" else np.median(y - slope * x))


@means(scipy.stats.rankdata)
def rankdata(a, method="average", *, axis=None, nan_policy="propagate"):
    """Ranks, which have no derivative."""
    only_propagating(nan_policy)
    if axis is not None and np.ndim(a) > 1:
        return np.apply_along_axis(_ranks, axis, np.asarray(a), method)
    return _ranks(np.ravel(np.asarray(a)), method)


def _ranks(x, method):
    order = np.sort(x)
    of_nan = np.any(np.isnan(x))
    if method == "average":
        ranks = (np.searchsorted(order, x, "left") + np.searchsorted(order, x, "right") + 1) / 2.0
        return np.where(of_nan, np.nan, ranks)
    if of_nan:
        raise ValueError("ranks beside nan are nan, and no whole numbers: they are those of method='average'")
    if method == "min":
        return np.searchsorted(order, x, "left") + 1
    if method == "max":
        return np.searchsorted(order, x, "right")
    if method == "dense":
        return np.searchsorted(np.unique(x), x) + 1
    if method == "ordinal":
        return np.argsort(np.argsort(x, kind="mergesort")) + 1
    raise ValueError("unknown method")


@means(scipy.stats.expectile)
def expectile(a, alpha=0.5, *, weights=None):
    """The number from which distances below and above it, weighed as told, sum up to zero."""
    if alpha < 0.0 or alpha > 1.0:
        raise ValueError("The expectile level alpha must be in the range [0, 1].")
    x = np.ravel(as_floats(a))
    shares = np.ones(x.shape) if weights is None else np.ravel(as_floats(weights))
    found, before = np.sum(shares * x) / np.sum(shares), np.inf
    while found != before:  # each step is exact for its choice of sides, of which there are few
        before = found
        sided = shares * np.abs((x <= found) - alpha)
        found = np.sum(sided * x) / np.sum(sided)
        if abs(found - before) <= 1e-15 * abs(before):
            before = found
    return found


@means(scipy.stats.tmean)
def tmean(a, limits=None, inclusive=(True, True), axis=None, *, nan_policy="propagate", keepdims=False):
    """The mean of what is within limits."""
    only_propagating(nan_policy)
    x = as_floats(a)
    inside = _within(x, limits, inclusive)
    count = np.sum(inside, axis=axis, keepdims=keepdims)
    return np.sum(np.where(inside, x, 0.0), axis=axis, keepdims=keepdims) / count


@means(scipy.stats.tvar)
def tvar(a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, nan_policy="propagate", keepdims=False):
    """The variance of what is within limits."""
    only_propagating(nan_policy)
    return _trimmed(a, limits, inclusive, axis, ddof, keepdims)[0]


@means(scipy.stats.tstd)
def tstd(a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, nan_policy="propagate", keepdims=False):
    """The standard deviation of what is within limits."""
    only_propagating(nan_policy)
    return np.sqrt(_trimmed(a, limits, inclusive, axis, ddof, keepdims)[0])


@means(scipy.stats.tsem)
def tsem(a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, nan_policy="propagate", keepdims=False):
    """The standard error of the mean of what is within limits."""
    only_propagating(nan_policy)
    variance, count = _trimmed(a, limits, inclusive, axis, ddof, keepdims)
    return np.sqrt(variance / count)


def _trimmed(a, limits, inclusive, axis, ddof, keepdims):
    """The variance of what is within limits, and how much that is."""
    x = as_floats(a)
    inside = _within(x, limits, inclusive)
    counts = np.sum(inside, axis=axis, keepdims=True)
    means_ = np.sum(np.where(inside, x, 0.0), axis=axis, keepdims=True) / counts
    count = np.sum(inside, axis=axis, keepdims=keepdims)
    away = x - means_
    each = (away * np.conj(away)).real if is_complex(x) else away**2
    squares = np.sum(np.where(inside, each, 0.0), axis=axis, keepdims=keepdims)
    return squares / (count - ddof), count


def _within(x, limits, inclusive):
    inside = np.ones(x.shape, np.bool_)
    if limits is None:
        return inside
    if limits[0] is not None:
        inside = x >= limits[0] if inclusive[0] else x > limits[0]
    if limits[1] is not None:
        inside = inside & (x <= limits[1] if inclusive[1] else x < limits[1])
    return inside


@means(scipy.stats.tmin)
def tmin(a, lowerlimit=None, axis=0, inclusive=True, nan_policy="propagate", *, keepdims=False):
    """The least entry above a limit."""
    only_propagating(nan_policy)
    x = as_floats(a)
    if lowerlimit is not None:
        x = np.where(x >= lowerlimit if inclusive else x > lowerlimit, x, np.inf)
    found = np.min(x, axis=axis, keepdims=keepdims)
    return found if lowerlimit is None else np.where(np.isinf(found), np.nan, found)


@means(scipy.stats.tmax)
def tmax(a, upperlimit=None, axis=0, inclusive=True, nan_policy="propagate", *, keepdims=False):
    """The largest entry below a limit."""
    only_propagating(nan_policy)
    x = as_floats(a)
    if upperlimit is not None:
        x = np.where(x <= upperlimit if inclusive else x < upperlimit, x, -np.inf)
    found = np.max(x, axis=axis, keepdims=keepdims)
    return found if upperlimit is None else np.where(np.isinf(found), np.nan, found)


@means(scipy.stats.gstd)
def gstd(a, axis=0, ddof=1, *, keepdims=False, nan_policy="propagate"):
    """The exponential of the deviation of logarithms."""
    only_propagating(nan_policy)
    return np.exp(np.std(np.log(as_floats(a)), axis=axis, ddof=ddof, keepdims=keepdims))


class Description(NamedTuple):
    """What `describe` returns."""

    nobs: Any
    minmax: Any
    mean: Any
    variance: Any
    skewness: Any
    kurtosis: Any


@means(scipy.stats.describe)
def describe(a, axis=0, ddof=1, bias=True, nan_policy="propagate"):
    """How many entries there are, the least and the largest, and four moments."""
    only_propagating(nan_policy)
    x = as_floats(a)
    if axis is None:
        x, axis = np.ravel(x), 0
    return Description(
        x.shape[axis],
        (np.min(x, axis=axis), np.max(x, axis=axis)),
        np.mean(x, axis=axis),
        np.var(x, axis=axis, ddof=ddof),
        scipy.stats.skew(x, axis=axis, bias=bias),
        scipy.stats.kurtosis(x, axis=axis, bias=bias),
    )


@means(scipy.stats.boxcox_llf)
def boxcox_llf(lmb, data, *, axis=0, keepdims=False, nan_policy="propagate"):
    """The logarithm of the likelihood of an exponent of Box and Cox."""
    only_propagating(nan_policy)
    x = as_floats(data)
    n = x.size if axis is None else x.shape[axis]
    scale = np.var(scipy.special.boxcox(x, lmb), axis=axis, keepdims=keepdims)
    return (lmb - 1.0) * np.sum(np.log(x), axis=axis, keepdims=keepdims) - n / 2.0 * np.log(scale)


@means(scipy.stats.yeojohnson_llf)
def yeojohnson_llf(lmb, data, *, axis=0, nan_policy="propagate", keepdims=False):
    """The logarithm of the likelihood of an exponent of Yeo and Johnson."""
    only_propagating(nan_policy)
    x = as_floats(data)
    n = x.size if axis is None else x.shape[axis]
    scale = np.var(yeojohnson(x, lmb), axis=axis, keepdims=keepdims)
    logs = np.sum(np.sign(x) * np.log1p(np.abs(x)), axis=axis, keepdims=keepdims)
    return (lmb - 1.0) * logs - n / 2.0 * np.log(scale)


class Clipped(NamedTuple):
    """What `sigmaclip` returns."""

    clipped: Any
    lower: Any
    upper: Any


@means(scipy.stats.sigmaclip)
def sigmaclip(a, low=4.0, high=4.0):
    """What is left after entries far from the mean are left out, again and again."""
    x, before = np.ravel(as_floats(a)), -1
    lower, upper = 0.0, 0.0
    while len(x) != before:
        before = len(x)
        mean, deviation = np.mean(x), np.std(x)
        lower, upper = mean - deviation * low, mean + deviation * high
        x = x[(x >= lower) & (x <= upper)]
    return Clipped(x, lower, upper)


@means(scipy.stats.quantile)
def quantile(x, p, *, method="linear", axis=0, nan_policy="propagate", keepdims=None, weights=None):
    """Quantiles of one share."""
    only_propagating(nan_policy)
    if np.ndim(p) != 0 or weights is not None:
        refuse("`scipy.stats.quantile` is supported of one share, without weights", "call np.quantile")
    return np.quantile(as_floats(x), p, axis=axis, method=method, keepdims=keepdims is True)


@means(scipy.stats.scoreatpercentile)
def scoreatpercentile(a, per, limit=(), interpolation_method="fraction", axis=None):
    """Percentiles."""
    if not has_known_items(limit) or len(limit) > 0:
        refuse(
            "`limit` of `scipy.stats.scoreatpercentile` is not supported", "leave out what is beyond first"
        )
    method: Any = "linear" if interpolation_method == "fraction" else interpolation_method
    return np.percentile(as_floats(a), per, axis=axis, method=method)


@means(scipy.stats.lmoment)
def lmoment(
    sample, order=None, *, axis=0, sorted=False, standardize=True, nan_policy="propagate", keepdims=False
):
    """Moments of the ordered sample."""
    only_propagating(nan_policy)
    if np.ndim(sample) != 1 or keepdims or axis not in (0, -1, None):
        refuse("`scipy.stats.lmoment` is supported of a vector", "call it for each of the rows")
    x = as_floats(sample)
    x = x if sorted else np.sort(x)
    if order is None:
        return np.array([_lmoment(x, each, standardize) for each in (1, 2, 3, 4)])
    if np.ndim(order) == 0:
        return _lmoment(x, order, standardize)
    return np.array([_lmoment(x, each, standardize) for each in order])


def _lmoment(x, order, standardize):
    """One of them: weights are shifted Legendre polynomials of what comes before each entry."""
    found, n = 0.0, len(x)
    for k in range(order):
        share, i = np.ones(n), np.arange(n)
        for r in range(k):
            share = share * (i - r) / (n - 1.0 - r)
        sign = (-1.0) ** (order - 1 - k)
        weight = sign * scipy.special.binom(order - 1, k) * scipy.special.binom(order - 1 + k, k)
        found = found + weight * np.mean(share * x)
    return found / _lmoment(x, 2, False) if standardize and order > 2 else found


@means(scipy.stats.gaussian_kde)
class GaussianKde:
    """A density that is a mean of normal ones around the entries of a sample."""

    called: Any = "gaussian_kde"
    instead: Any = "ask it for the density, pdf or logpdf, or for its covariance"

    def __init__(self, dataset, bw_method=None, weights=None) -> None:
        points = as_floats(dataset)
        if points.ndim == 1:
            points = np.reshape(points, (1, -1))
        shares = np.ones(points.shape[1]) if weights is None else as_floats(weights)
        shares = shares / np.sum(shares)
        self.points = points
        self.shares = shares
        around = points - np.reshape(points @ shares, (-1, 1))
        factor = _width(bw_method, 1.0 / np.sum(shares**2), points.shape[0])
        self.covariance = (around * shares) @ around.T / (1.0 - np.sum(shares**2)) * factor**2

    def logpdf(self, x):
        """The logarithm of the density."""
        places = np.reshape(as_floats(x), (len(self.points), -1))
        apart = np.reshape(places, (len(places), -1, 1)) - np.reshape(self.points, (len(places), 1, -1))
        flat = np.reshape(apart, (len(places), -1))
        squares = np.sum(flat * np.linalg.solve(self.covariance, flat), axis=0)
        logs = np.log(self.shares) - 0.5 * np.reshape(squares, (-1, len(self.shares)))
        norm = 0.5 * np.linalg.slogdet(2.0 * math.pi * self.covariance)[1]
        return scipy.special.logsumexp(logs, axis=1) - norm

    def pdf(self, x):
        """The density."""
        return np.exp(self.logpdf(x))

    def evaluate(self, points):
        """The density."""
        return np.exp(self.logpdf(points))

    def __call__(self, points):
        """The density."""
        return np.exp(self.logpdf(points))


def _width(bw_method, n, d):
    """The width of the kernels in terms of the deviation of the sample."""
    if bw_method is None or (isinstance(bw_method, str) and bw_method == "scott"):
        return n ** (-1.0 / (d + 4.0))
    if isinstance(bw_method, str):
        if bw_method != "silverman":
            raise ValueError("`bw_method` should be 'scott', 'silverman', a scalar or a callable.")
        return (n * (d + 2.0) / 4.0) ** (-1.0 / (d + 4.0))
    if callable(bw_method):
        refuse("`bw_method` of `scipy.stats.gaussian_kde` is a function", "pass the factor itself")
    return bw_method


@stands_for(scipy.stats.gaussian_kde, reads=("dataset", "weights", "covariance"))
def of_kernels(thing) -> GaussianKde:
    """One that is made around the function."""
    made = GaussianKde.__new__(GaussianKde)
    made.points = np.asarray(thing.dataset, np.float64)
    made.shares = np.asarray(thing.weights, np.float64)
    made.covariance = np.asarray(thing.covariance)
    return made
