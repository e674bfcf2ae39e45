"""Statistical tests of `scipy.stats`: what they measure, and how likely as much is by chance."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.special
import scipy.stats

from backsweep.prelude.declare import as_floats, has_known_items, means, only_propagating, refuse
from backsweep.prelude.statistics.estimates import rankdata


class Tested(NamedTuple):
    """What a test returns."""

    statistic: Any
    pvalue: Any


def _by_student(t, df, alternative):
    """The share of Student's distribution that is as far out."""
    if alternative == "two-sided":
        return Tested(t, 2.0 * scipy.special.stdtr(df, -np.abs(t)))
    if alternative == "less":
        return Tested(t, scipy.special.stdtr(df, t))
    if alternative == "greater":
        return Tested(t, scipy.special.stdtr(df, -t))
    raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")


def _by_normal(z, alternative):
    """The same of the normal distribution."""
    if alternative == "two-sided":
        return Tested(z, 2.0 * scipy.special.ndtr(-np.abs(z)))
    if alternative == "less":
        return Tested(z, scipy.special.ndtr(z))
    if alternative == "greater":
        return Tested(z, scipy.special.ndtr(-z))
    raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")


@means(scipy.stats.ttest_1samp)
def ttest_1samp(a, popmean, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False):
    """Whether the mean of a sample is a number."""
    only_propagating(nan_policy)
    a = as_floats(a)
    if np.ndim(popmean) > 0:
        refuse(
            "`scipy.stats.ttest_1samp` is supported of one mean",
            "take the means off the samples, and test 0.0",
        )
    n = a.size if axis is None else a.shape[axis]
    variance = np.var(a, axis=axis, ddof=1, keepdims=keepdims)
    t = (np.mean(a, axis=axis, keepdims=keepdims) - popmean) / np.sqrt(variance / n)
    return _by_student(t, n - 1.0, alternative)


@means(scipy.stats.ttest_rel)
def ttest_rel(a, b, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False):
    """Whether the means of paired samples are the same."""
    return ttest_1samp(as_floats(a) - as_floats(b), 0.0, axis, nan_policy, alternative, keepdims=keepdims)


@means(scipy.stats.ttest_ind)
def ttest_ind(
    a,
    b,
    *,
    axis=0,
    equal_var=True,
    nan_policy="propagate",
    alternative="two-sided",
    trim=0,
    method=None,
    keepdims=False,
):
    """Whether the means of two samples are the same."""
    only_propagating(nan_policy)
    if trim != 0 or method is not None:
        refuse("`scipy.stats.ttest_ind` is supported without `trim` and `method`", "trim the samples first")
    a, b = as_floats(a), as_floats(b)
    return _of_means(
        np.mean(a, axis=axis, keepdims=keepdims) - np.mean(b, axis=axis, keepdims=keepdims),
        np.var(a, axis=axis, ddof=1, keepdims=keepdims),
        a.size if axis is None else a.shape[axis],
        np.var(b, axis=axis, ddof=1, keepdims=keepdims),
        b.size if axis is None else b.shape[axis],
        equal_var,
        alternative,
    )


@means(scipy.stats.ttest_ind_from_stats)
def ttest_ind_from_stats(mean1, std1, nobs1, mean2, std2, nobs2, equal_var=True, alternative="two-sided"):
    """The same by the means, deviations and lengths of the samples."""
    return _of_means(mean1 - mean2, std1**2, nobs1, std2**2, nobs2, equal_var, alternative)


def _of_means(d, v1, n1, v2, n2, equal_var, alternative):
    if equal_var:
        df = n1 + n2 - 2.0
        pooled = ((n1 - 1.0) * v1 + (n2 - 1.0) * v2) / df
        return _by_student(d / np.sqrt(pooled * (1.0 / n1 + 1.0 / n2)), df, alternative)
    one, other = v1 / n1, v2 / n2
    df = (one + other) ** 2 / (one**2 / (n1 - 1.0) + other**2 / (n2 - 1.0))
    return _by_student(d / np.sqrt(one + other), df, alternative)


@means(scipy.stats.pointbiserialr)
def pointbiserialr(x, y, *, axis=0, nan_policy="propagate", keepdims=False):
    """The correlation of a choice of two and a sample."""
    only_propagating(nan_policy)
    if axis != 0 or keepdims:
        refuse("`scipy.stats.pointbiserialr` is supported of two vectors", "call it for each of the rows")
    found = scipy.stats.pearsonr(as_floats(x), as_floats(y))
    return Tested(found[0], found[1])


@means(scipy.stats.spearmanr)
def spearmanr(a, b=None, axis=0, nan_policy="propagate", alternative="two-sided"):
    """The correlation of ranks, which has no derivative."""
    only_propagating(nan_policy)
    if b is None or np.ndim(a) != 1 or np.ndim(b) != 1 or axis not in (0, None):
        refuse("`scipy.stats.spearmanr` is supported of two vectors", "call it for each pair")
    one, other = rankdata(a), rankdata(b)
    one, other = one - np.mean(one), other - np.mean(other)
    rho = np.sum(one * other) / np.sqrt(np.sum(one**2) * np.sum(other**2))
    df = len(one) - 2.0
    t = rho * np.sqrt(np.maximum(df / ((rho + 1.0) * (1.0 - rho)), 0.0))
    return Tested(rho, _by_student(t, df, alternative).pvalue)


@means(scipy.stats.f_oneway)
def f_oneway(*samples, axis=0, equal_var=True, nan_policy="propagate", keepdims=False):
    """Whether the means of several samples are the same: the analysis of variance."""
    only_propagating(nan_policy)
    _only_vectors(samples, axis, keepdims)
    if not equal_var:
        refuse("`scipy.stats.f_oneway` is supported of equal variances", "leave `equal_var` out")
    return _analysed([as_floats(each) for each in samples])


def _analysed(parts):
    """The variance between the means of samples, in terms of that within the samples."""
    whole = np.concatenate(parts)
    k, n, mean = len(parts), len(whole), np.mean(whole)
    between = sum(len(each) * (np.mean(each) - mean) ** 2 for each in parts)
    within = sum(np.sum((each - np.mean(each)) ** 2) for each in parts)
    f = between / (k - 1.0) / (within / (n - k))
    return Tested(f, scipy.special.fdtrc(k - 1.0, n - k * 1.0, f))


@means(scipy.stats.bartlett)
def bartlett(*samples, axis=0, nan_policy="propagate", keepdims=False):
    """Whether the variances of several samples are the same."""
    only_propagating(nan_policy)
    _only_vectors(samples, axis, keepdims)
    parts = [as_floats(each) for each in samples]
    k, rest = len(samples), sum(len(each) - 1.0 for each in parts)
    pooled = sum((len(each) - 1.0) * np.var(each, ddof=1) for each in parts) / rest
    above = rest * np.log(pooled) - sum((len(each) - 1.0) * np.log(np.var(each, ddof=1)) for each in parts)
    below = 1.0 + (sum(1.0 / (len(each) - 1.0) for each in parts) - 1.0 / rest) / (3.0 * (k - 1.0))
    return Tested(above / below, scipy.special.chdtrc(k - 1.0, above / below))


@means(scipy.stats.levene)
def levene(*samples, center="median", proportiontocut=0.05, axis=0, nan_policy="propagate", keepdims=False):
    """The same by distances from the middle."""
    only_propagating(nan_policy)
    _only_vectors(samples, axis, keepdims)
    del proportiontocut
    if center not in ("mean", "median"):
        refuse("`scipy.stats.levene` is supported with the mean and the median", "trim the samples first")
    if center == "mean":
        return _analysed([np.abs(as_floats(each) - np.mean(as_floats(each))) for each in samples])
    return _analysed([np.abs(as_floats(each) - np.median(as_floats(each))) for each in samples])


class AlexanderGovernResult:
    """What `alexandergovern` returns."""

    def __init__(self, statistic, pvalue) -> None:
        self.statistic = statistic
        self.pvalue = pvalue


@means(scipy.stats.alexandergovern)
def alexandergovern(*samples, nan_policy="propagate", axis=0, keepdims=False):
    """Whether the means of several samples are the same, whatever their variances are."""
    only_propagating(nan_policy)
    _only_vectors(samples, axis, keepdims)
    parts = [as_floats(each) for each in samples]
    averages = np.array([np.mean(each) for each in parts])
    squared_errors = np.array([np.var(each, ddof=1) / len(each) for each in parts])
    v = np.array([len(each) - 1.0 for each in parts])
    weights = 1.0 / squared_errors / np.sum(1.0 / squared_errors)
    squares = (averages - np.sum(weights * averages)) ** 2 / squared_errors
    a = v - 0.5
    b = 48.0 * a**2
    c = a * np.log(1.0 + squares / v)  # the square of what the sources call c, which has no slope at zero
    z = 1.0 + (c + 3.0) / b
    z = z - (4.0 * c**3 + 33.0 * c**2 + 240.0 * c + 855.0) / (10.0 * b**2 + 8.0 * b * c**2 + 1000.0 * b)
    found = np.sum(c * z**2)
    return AlexanderGovernResult(found, scipy.special.chdtrc(len(parts) - 1.0, found))


@means(scipy.stats.obrientransform)
def obrientransform(*samples):
    """Numbers whose mean is the variance of the sample that they are made of."""
    _only_vectors(samples, 0, keepdims=False)
    return np.stack([_obrien(as_floats(each)) for each in samples])


def _obrien(a):
    n = len(a) * 1.0
    squares = (a - np.mean(a)) ** 2
    total = np.sum(squares)
    found = ((n - 1.5) * n * squares - 0.5 * total) / ((n - 1.0) * (n - 2.0))
    if abs(total / (n - 1.0) - np.mean(found)) > math.sqrt(np.finfo(np.float64).eps):
        raise ValueError("Lack of convergence in obrientransform.")
    return found


def _only_vectors(samples, axis, keepdims) -> None:
    if not has_known_items(samples) or axis not in (0, -1, None) or keepdims:
        refuse("this test is supported of vectors that are written out", "call it for each of the rows")
    for each in samples:
        if np.ndim(each) != 1:
            refuse("this test is supported of vectors that are written out", "call it for each of the rows")


POWERS = {
    "pearson": 1.0,
    "log-likelihood": 0.0,
    "freeman-tukey": -0.5,
    "mod-log-likelihood": -1.0,
    "neyman": -2.0,
    "cressie-read": 2.0 / 3.0,
}


@means(scipy.stats.chisquare)
def chisquare(f_obs, f_exp=None, ddof=0, axis=0, *, sum_check=True, nan_policy="propagate", keepdims=False):
    """Whether frequencies are as expected."""
    only_propagating(nan_policy)
    return _divergence(f_obs, f_exp, ddof, axis, 1.0, sum_check, keepdims)


@means(scipy.stats.power_divergence)
def power_divergence(
    f_obs, f_exp=None, ddof=0, axis=0, lambda_=None, *, nan_policy="propagate", keepdims=False
):
    """The same by a power of the quotients (Cressie and Read)."""
    only_propagating(nan_policy)
    power = 1.0 if lambda_ is None else POWERS[lambda_] if isinstance(lambda_, str) else lambda_
    return _divergence(f_obs, f_exp, ddof, axis, power, True, keepdims)


def _divergence(f_obs, f_exp, ddof, axis, power, sum_check, keepdims):
    f_obs = as_floats(f_obs)
    if axis is None:
        f_obs, axis = np.ravel(f_obs), 0
    if f_exp is None:
        f_exp = np.mean(f_obs, axis=axis, keepdims=True)
    else:
        f_exp = as_floats(f_exp)
        if sum_check:
            one, other = np.sum(f_obs, axis=axis), np.sum(f_exp, axis=axis)
            if np.any(np.abs(one - other) > 1.5e-8 * np.minimum(np.abs(one), np.abs(other))):
                raise ValueError(
                    "the sum of the observed frequencies must agree with that of the expected ones"
                )
    if power == 1.0:
        terms = (f_obs - f_exp) ** 2 / f_exp
    elif power == 0.0:
        terms = 2.0 * scipy.special.xlogy(f_obs, f_obs / f_exp)
    elif power == -1.0:
        terms = 2.0 * scipy.special.xlogy(f_exp, f_exp / f_obs)
    else:
        terms = f_obs * ((f_obs / f_exp) ** power - 1.0) / (0.5 * power * (power + 1.0))
    found = np.sum(terms, axis=axis, keepdims=keepdims)
    return Tested(found, scipy.special.chdtrc(f_obs.shape[axis] - 1.0 - ddof, found))


@means(scipy.stats.jarque_bera)
def jarque_bera(x, *, axis=None, nan_policy="propagate", keepdims=False):
    """Whether skewness and kurtosis are those of a normal distribution."""
    only_propagating(nan_policy)
    x = as_floats(x)
    if axis is None:
        x, axis = np.ravel(x), 0
    around = x - np.mean(x, axis=axis, keepdims=True)
    two = np.mean(around**2, axis=axis, keepdims=keepdims)
    skew = np.mean(around**3, axis=axis, keepdims=keepdims) / two**1.5
    excess = np.mean(around**4, axis=axis, keepdims=keepdims) / two**2 - 3.0
    found = x.shape[axis] / 6.0 * (skew**2 + excess**2 / 4.0)
    return Tested(found, np.exp(-found / 2.0))


@means(scipy.stats.skewtest)
def skewtest(a, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False):
    """Whether the skewness is that of a normal distribution."""
    only_propagating(nan_policy)
    return _by_normal(_of_skewness(as_floats(a), axis, keepdims), alternative)


@means(scipy.stats.kurtosistest)
def kurtosistest(a, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False):
    """Whether the kurtosis is that of a normal distribution."""
    only_propagating(nan_policy)
    return _by_normal(_of_kurtosis(as_floats(a), axis, keepdims), alternative)


@means(scipy.stats.normaltest)
def normaltest(a, axis=0, nan_policy="propagate", *, keepdims=False):
    """Whether both are."""
    only_propagating(nan_policy)
    x = as_floats(a)
    found = _of_skewness(x, axis, keepdims) ** 2 + _of_kurtosis(x, axis, keepdims) ** 2
    return Tested(found, np.exp(-found / 2.0))


def _moments(x, axis, order, keepdims):
    """A moment about the mean, in deviations, and how many entries there are."""
    around = x - np.mean(x, axis=axis, keepdims=True)
    two = np.mean(around**2, axis=axis, keepdims=keepdims)
    found = np.mean(around**order, axis=axis, keepdims=keepdims) / two ** (order / 2.0)
    return found, (x.size if axis is None else x.shape[axis]) * 1.0


def _of_skewness(x, axis, keepdims):
    found, n = _moments(x, axis, 3, keepdims)
    if n < 8:
        raise ValueError("skewtest is not valid with less than 8 samples")
    y = found * math.sqrt((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0)))
    beta = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0)
    beta = beta / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0))
    square = -1.0 + math.sqrt(2.0 * (beta - 1.0))
    scaled = np.where(y == 0.0, 1.0, y) / math.sqrt(2.0 / (square - 1.0))
    return np.log(scaled + np.sqrt(scaled**2 + 1.0)) / math.sqrt(0.5 * math.log(square))


def _of_kurtosis(x, axis, keepdims):
    found, n = _moments(x, axis, 4, keepdims)
    if n < 5:
        raise ValueError("kurtosistest is not valid with less than 5 samples")
    variance = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0) ** 2 * (n + 3.0) * (n + 5.0))
    z = (found - 3.0 * (n - 1.0) / (n + 1.0)) / math.sqrt(variance)
    root = math.sqrt(6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0)))
    root = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0)) * root
    a = 6.0 + 8.0 / root * (2.0 / root + math.sqrt(1.0 + 4.0 / root**2))
    below = 1.0 + z * math.sqrt(2.0 / (a - 4.0))
    term = np.sign(below) * ((1.0 - 2.0 / a) / np.abs(below)) ** (1.0 / 3.0)
    return (1.0 - 2.0 / (9.0 * a) - term) / math.sqrt(2.0 / (9.0 * a))


@means(scipy.stats.combine_pvalues)
def combine_pvalues(
    pvalues, method="fisher", weights=None, *, axis=0, nan_policy="propagate", keepdims=False
):
    """One probability of several."""
    only_propagating(nan_policy)
    p = as_floats(pvalues)
    if (
        p.ndim != 1
        or axis not in (0, -1, None)
        or keepdims
        or method not in ("fisher", "stouffer", "pearson")
    ):
        refuse(
            "`scipy.stats.combine_pvalues` is supported of a vector, with the methods 'fisher', 'pearson' and 'stouffer'",
            "call it for each of the rows",
        )
    if method == "fisher":
        found = -2.0 * np.sum(np.log(p))
        return Tested(found, scipy.special.chdtrc(2.0 * len(p), found))
    if method == "pearson":
        found = 2.0 * np.sum(np.log1p(-p))
        return Tested(found, scipy.special.chdtr(2.0 * len(p), -found))
    shares = np.ones(len(p)) if weights is None else as_floats(weights)
    found = np.sum(shares * -scipy.special.ndtri(p)) / np.sqrt(np.sum(shares**2))
    return Tested(found, scipy.special.ndtr(-found))


@means(scipy.stats.false_discovery_control)
def false_discovery_control(ps, *, axis=0, method="bh"):
    """Probabilities of several tests, each as large as the share of false discoveries that it stands for."""
    ps = as_floats(ps)
    if np.any((ps < 0.0) | (ps > 1.0)):
        raise ValueError("`ps` must include only numbers between 0 and 1.")
    if method.lower() not in ("bh", "by"):
        raise ValueError("Unrecognized `method`. Method must be one of {'bh', 'by'}.")
    if axis is None:
        return false_discovery_control(np.ravel(ps), method=method)
    p = np.moveaxis(ps, axis, -1)
    n = p.shape[-1]
    order = np.argsort(p, axis=-1)
    numbers = np.arange(1, n + 1)
    scaled = np.take_along_axis(p, order, -1) * (n / numbers)
    if method.lower() == "by":
        scaled = scaled * np.sum(1.0 / numbers)
    least = np.minimum.accumulate(scaled[..., ::-1], axis=-1)[..., ::-1]
    found = np.take_along_axis(least, np.argsort(order, axis=-1), -1)
    return np.moveaxis(np.clip(found, 0.0, 1.0), -1, axis)
