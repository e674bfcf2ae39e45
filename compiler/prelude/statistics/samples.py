"""Means, moments, scores, entropies, correlations and lines of samples, of `scipy.stats`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.special as sp
import scipy.stats as st

from backsweep.prelude.declare import as_floats, means, only_propagating, refuse
from backsweep.runtime.scipy.series import log1p_quotient
from backsweep.runtime.support.marks import stop_gradient

TINY = 2.220446049250313e-16
"""Relative to a mean, deviations are rounding errors below this."""


class Correlated(NamedTuple):
    """What `pearsonr` returns, but for intervals."""

    statistic: float
    pvalue: float


class Line(NamedTuple):
    """What `linregress` returns, but for the error of the intercept."""

    slope: float
    intercept: float
    rvalue: float
    pvalue: float
    stderr: float


def _reals(x, nan_policy="propagate", keepdims=False, dtype=None):
    """An array of real numbers; `nan_policy` and `keepdims` have their defaults."""
    only_propagating(nan_policy)
    if keepdims:
        refuse("`keepdims` is not supported", "put the axis back by np.expand_dims")
    x = as_floats(x) if dtype is None else np.asarray(x).astype(dtype)
    if x.dtype.kind == "c":
        refuse(
            "this function of samples is supported for real numbers", "give the real and the imaginary part"
        )
    return x


def _count(x, axis):
    """How many entries are reduced to one."""
    if axis is None or x.ndim == 1:
        return x.size
    count = 1
    for each in (axis,) if isinstance(axis, int) else axis:
        count = count * x.shape[each]
    return count


def _back(found, axis):
    """What was reduced, which broadcasts with the array."""
    return found if np.ndim(found) == 0 else np.expand_dims(found, axis)


def _mean(x, axis):
    return np.sum(x, axis=axis) / _count(x, axis)


def _centred(x, axis):
    """The number of entries, their mean and the deviations of it."""
    mean = _mean(x, axis)
    return _count(x, axis), mean, x - _back(mean, axis)


@means(st.zscore)
def zscore(a, axis=0, ddof=0, nan_policy="propagate"):
    """Deviations from the mean, in units of the standard deviation."""
    return zmap(a, a, axis, ddof, nan_policy)


@means(st.zmap)
def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    """Deviations from the mean of another sample, in units of its standard deviation."""
    scores, compare = _reals(scores), _reals(compare, nan_policy)
    count, mean, middle = _centred(compare, axis)
    width = np.sqrt(np.sum(middle**2, axis=axis) / (count - ddof))
    width = np.where(width <= TINY * np.abs(mean), np.nan, width)
    return (scores - _back(mean, axis)) / _back(width, axis)


@means(st.sem)
def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    """The standard error of the mean."""
    count, _, middle = _centred(_reals(a, nan_policy, keepdims), axis)
    return np.sqrt(np.sum(middle**2, axis=axis) / (count - ddof) / count)


@means(st.variation)
def variation(a, axis=0, nan_policy="propagate", ddof=0, *, keepdims=False):
    """The standard deviation, relative to the mean."""
    count, mean, middle = _centred(_reals(a, nan_policy, keepdims), axis)
    return np.sqrt(np.sum(middle**2, axis=axis) / (count - ddof)) / mean


def _weighted(x, weights, axis):
    """The mean, with or without weights."""
    if weights is None:
        return _mean(x, axis)
    return np.sum(weights * x, axis=axis) / np.sum(weights, axis=axis)


def _weights(a, weights):
    """Weights, one for each entry."""
    if weights is None:
        return None
    weights = as_floats(weights)
    if weights.ndim != a.ndim:
        refuse("means are supported with one weight for each entry", "give them by np.broadcast_to")
    if weights.shape != a.shape:
        raise ValueError("there must be one weight for each entry")
    return weights


@means(st.gmean)
def gmean(a, axis=0, dtype=None, weights=None, nan_policy="propagate", *, keepdims=False):
    """The exponential of the mean of logarithms."""
    a = _reals(a, nan_policy, keepdims, dtype)
    return np.exp(_weighted(np.log(a), _weights(a, weights), axis))


@means(st.hmean)
def hmean(a, axis=0, dtype=None, *, weights=None, nan_policy="propagate", keepdims=False):
    """The inverse of the mean of inverses."""
    a = _reals(a, nan_policy, keepdims, dtype)
    return 1.0 / _weighted(1.0 / np.where(a < 0.0, np.nan, a), _weights(a, weights), axis)


@means(st.pmean)
def pmean(a, p, *, axis=0, dtype=None, weights=None, nan_policy="propagate", keepdims=False):
    """The root of the mean of powers; of the power 0, the geometric mean."""
    a = _reals(a, nan_policy, keepdims, dtype)
    weights = _weights(a, weights)
    if np.isinf(p):
        raise ValueError("Power mean only implemented for finite `p`")
    base = np.where(a < 0.0, np.nan, a)
    if abs(p) < 0.5 and np.all(a > 0.0):  # of the logarithms and p, which has no 0 / 0 where p is small
        mean = _weighted(np.log(base), weights, axis)
        apart = np.log(a) - _back(mean, axis)
        slope = _weighted(apart * sp.exprel(p * apart), weights, axis)
        return np.exp(mean + slope * log1p_quotient(0, p * slope))
    if p == 0:
        return np.exp(_weighted(np.log(base), weights, axis))
    return _weighted(base ** (1.0 * p), weights, axis) ** (1.0 / p)


@means(st.moment)
def moment(a, order=1, axis=0, nan_policy="propagate", *, center=None, keepdims=False):
    """The mean of powers of deviations from the mean, or from a number."""
    a = _reals(a, nan_policy, keepdims)
    if not isinstance(order, int) or order < 0:
        refuse("`scipy.stats.moment` is supported for one order, a whole number", "write it as a literal")
    if center is not None:
        return _mean((a - center) ** order, axis)
    if order < 2:
        return np.sum(a, axis=axis) * 0.0 + (1.0 if order == 0 else 0.0)
    _, _, middle = _centred(a, axis)
    return _mean(middle**order, axis)


def _shape(a, axis, power):
    """The number of entries, and a moment relative to that of order two."""
    count, mean, middle = _centred(a, axis)
    second = np.sum(middle**2, axis=axis) / count
    second = np.where(second <= (TINY * mean) ** 2, np.nan, second)
    return count, np.sum(middle**power, axis=axis) / count / second ** (0.5 * power)


@means(st.skew)
def skew(a, axis=0, bias=True, nan_policy="propagate", *, keepdims=False):
    """The third moment, relative to the second."""
    count, found = _shape(_reals(a, nan_policy, keepdims), axis, 3)
    if bias:
        return found
    return (np.sqrt(count * (count - 1.0)) / (count - 2.0) if count > 2 else 1.0) * found


@means(st.kurtosis)
def kurtosis(a, axis=0, fisher=True, bias=True, nan_policy="propagate", *, keepdims=False):
    """The fourth moment, relative to the second, by default less 3."""
    count, found = _shape(_reals(a, nan_policy, keepdims), axis, 4)
    if not bias and count > 3:
        found = ((count**2 - 1.0) * found - 3.0 * (count - 1.0) ** 2) / (count - 2.0) / (count - 3.0) + 3.0
    return found - 3.0 if fisher else found


@means(st.entropy)
def entropy(pk, qk=None, base=None, axis=0, *, nan_policy="propagate", keepdims=False):
    """The entropy of frequencies, or that of one distribution relative to another.

    The frequencies are not divided by their sum first: the slope by one that is zero is infinite, and the sum would
    bring it, times zero, to all others.
    """
    pk = _reals(pk, nan_policy, keepdims)
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    unit = 1.0 if base is None else np.log(1.0 * base)
    whole = np.sum(pk, axis=axis)
    if qk is None:
        return -np.sum(sp.rel_entr(pk, _back(whole, axis)), axis=axis) / whole / unit
    qk = _reals(qk)
    scaled = qk * _back(whole / np.sum(qk, axis=axis), axis)
    each = np.where((pk == 0.0) & (scaled == 0.0), 0.0, sp.rel_entr(pk, scaled))
    return np.sum(each, axis=axis) / whole / unit


def _products(x, y):
    """Two vectors, and the sums of products of their deviations."""
    x, y = _reals(x), _reals(y)
    if x.ndim != 1 or y.ndim != 1:
        refuse("correlations and lines are supported for vectors", "write the loop over the others")
    if x.size != y.size:
        raise ValueError("`x` and `y` must have the same length along `axis`.")
    if x.size < 2:
        raise ValueError("`x` and `y` must have length at least 2.")
    x_middle, y_middle = x - np.sum(x) / x.size, y - np.sum(y) / y.size
    return x, y, np.sum(x_middle * x_middle), np.sum(x_middle * y_middle), np.sum(y_middle * y_middle)


def _correlation(xx, xy, yy):
    """The correlation, whose rounding errors are cut off, but none of its derivatives."""
    r = xy / np.sqrt(xx * yy)
    return r + stop_gradient(min(max(r, -1.0), 1.0) - r)


def _defaults(alternative, method, axis) -> None:
    if alternative != "two-sided" or method is not None or axis not in (0, -1, None):
        refuse("`alternative`, `method` and `axis` have their defaults only", "leave them out")


@means(st.pearsonr)
def pearsonr(x, y, *, alternative="two-sided", method=None, axis=0):
    """The correlation of two vectors, and the probability of one as large by chance."""
    _defaults(alternative, method, axis)
    x, y, xx, xy, yy = _products(x, y)
    r = _correlation(xx, xy, yy)
    if np.all(x == x[0]) or np.all(y == y[0]):
        r = r * np.nan
    shape = 0.5 * x.size - 1.0
    pvalue = 1.0
    if x.size > 2:
        pvalue = 2.0 * sp.betainc(shape, shape, 0.5 * (1.0 - abs(r)))
    return Correlated(r, pvalue)


@means(st.linregress)
def linregress(x, y, alternative="two-sided", *, axis=0, nan_policy="propagate", keepdims=False):
    """The line that fits points best."""
    _defaults(alternative, None, axis)
    x, y, xx, xy, yy = _products(_reals(x, nan_policy, keepdims), y)
    if np.all(x == x[0]):
        raise ValueError("Cannot calculate a linear regression if all x values are identical")
    slope = xy / xx
    intercept = np.sum(y) / y.size - slope * (np.sum(x) / x.size)
    r = (np.nan if xy == 0.0 else 0.0) if yy == 0.0 else _correlation(xx, xy, yy)
    pvalue, stderr = 0.0, 0.0
    if x.size == 2:
        pvalue = 1.0 if y[0] == y[1] else 0.0
    else:
        free = x.size - 2.0
        t = r * np.sqrt(free / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
        pvalue = 2.0 * sp.stdtr(free, -abs(t))
        stderr = np.sqrt((1.0 - r**2) * yy / xx / free)
    return Line(slope, intercept, r, pvalue, stderr)
