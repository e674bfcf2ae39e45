"""Functions of `math` and `statistics` that Numba lacks, that take any number of items, or whose result it does not take apart."""

from __future__ import annotations

import math
import statistics
from statistics import StatisticsError

import numpy as np

from backsweep.prelude.declare import core, early, is_known, means, refuse, with_places
from backsweep.runtime.support.marks import stop_gradient


@means(divmod)
def divmod_(x, y):
    """Quotient and remainder."""
    return x // y, x % y


@means(math.frexp)
def frexp(x):
    """Mantissa and exponent."""
    return np.frexp(float(x))


@means(math.modf)
def modf(x):
    """The parts behind and before the point."""
    return np.modf(float(x))


@means(math.fmod)
def fmod(x, y):
    """The remainder with the sign of `x`."""
    return np.fmod(float(x), float(y))


@means(math.log)
def log(x, *base):
    """The logarithm to a base is a quotient, in Python too."""
    if len(base) == 0:
        return core(math.log)(x)
    return core(math.log)(float(x)) / core(math.log)(float(base[0]))


if hasattr(math, "exp2"):

    @means(math.exp2)
    def exp2(x):
        """A power of two."""
        return np.exp2(float(x))


if hasattr(math, "cbrt"):

    @means(math.cbrt)
    def cbrt(x):
        """The cube root."""
        return np.cbrt(float(x))


@means(math.hypot)
def hypot(*coordinates):
    """The length of a vector whose coordinates are written out."""
    if len(coordinates) == 2:
        return core(math.hypot)(*coordinates)
    length = 0.0
    for each in coordinates:
        length = core(math.hypot)(length, each)
    return length


@means(math.dist)
def dist(p, q):
    """The length of a difference."""
    p, q = with_places(p), with_places(q)
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    length = 0.0
    for k in range(len(p)):
        length = math.hypot(length, p[k] - q[k])
    return length


@means(math.prod)
def prod(iterable, *, start=1):
    """The product of the items."""
    if isinstance(iterable, np.ndarray) and iterable.ndim == 1:
        return np.prod(iterable) if is_known(start) and start == 1 else start * np.prod(iterable)
    total = start
    for each in iterable:
        total = total * each
    return total


@means(math.fsum)
def fsum(seq):
    """The sum, rounded once; the derivative is that of the sum."""
    items = with_places(seq)
    total = 0.0
    for k in range(len(items)):
        total += items[k]
    if not math.isfinite(total):
        return total
    return total + stop_gradient(_exact_sum(items) - total)


def _exact_sum(items) -> float:
    """The sum of the numbers, rounded once: that of parts that do not overlap (Shewchuk 1997)."""
    parts = [0.0]
    for k in range(len(items)):
        x = float(items[k])
        kept = 0
        for j in range(len(parts)):
            y = parts[j]
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                parts[kept] = low
                kept += 1
            x = high
        del parts[kept:]
        parts.append(x)
    total = 0.0
    for j in range(len(parts)):
        total += parts[j]
    return total


if hasattr(math, "sumprod"):

    @means(math.sumprod)
    def sumprod(p, q):
        """The sum of products."""
        p, q = with_places(p), with_places(q)
        if len(p) != len(q):
            raise ValueError("Inputs are not the same length")
        total = 0.0
        for k in range(len(p)):
            total += p[k] * q[k]
        return total


@means(math.isclose)
def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    """Whether two numbers differ by no more than one of the limits."""
    if a == b:
        return True
    apart = abs(a - b)
    return bool(math.isfinite(apart) and apart <= max(rel_tol * max(abs(a), abs(b)), abs_tol))


@means(math.factorial)
def factorial(n):
    """The product of the numbers up to `n`, as long as it has 64 bits."""
    _check_whole("math.factorial", n)
    if is_known(n) and 0 <= n <= 20:
        return early(math.factorial, n)
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    if n > 20:
        raise OverflowError("math.factorial of a number over 20 is no 64-bit number: use math.gamma(n + 1.0)")
    found = 1
    for k in range(2, n + 1):
        found = found * k
    return found


@means(math.comb)
def comb(n, k):
    """In how many ways `k` of `n` things are chosen, as long as it has 64 bits."""
    _check_whole("math.comb", n)
    _check_whole("math.comb", k)
    if is_known(n, k) and 0 <= n <= 60 and k >= 0:
        return early(math.comb, n, k)
    if n < 0 or k < 0:
        raise ValueError("n must be a non-negative integer, and k too")
    if k > n:
        return 0
    if n > 60:
        raise OverflowError("math.comb of a number over 60 may be no 64-bit number: use math.lgamma")
    found = 1
    for i in range(1, k + 1):
        found = found * (n - k + i) // i
    return found


def _check_whole(called: str, n) -> None:
    """Refuse what is no whole number."""
    if not isinstance(n, (int, np.integer)):
        refuse(f"`{called}` takes whole numbers", "use math.gamma for numbers in between")


@means(statistics.mean)
def mean(data):
    """The mean."""
    data = with_places(data)
    if len(data) < 1:
        raise StatisticsError("mean requires at least one data point")
    return fsum(data) / len(data)


@means(statistics.fmean)
def fmean(data, weights=None):
    """The mean, perhaps with weights."""
    data = with_places(data)
    if len(data) < 1:
        raise StatisticsError("fmean requires at least one data point")
    if weights is None:
        return fsum(data) / len(data)
    weights = with_places(weights)
    if len(weights) != len(data):
        raise StatisticsError("data and weights must be the same length")
    total, whole = 0.0, 0.0
    for k in range(len(data)):
        total += data[k] * weights[k]
        whole += weights[k]
    if whole == 0.0:
        raise StatisticsError("sum of weights must be non-zero")
    return total / whole


@means(statistics.variance)
def variance(data, xbar=None):
    """The variance of a sample."""
    data = with_places(data)
    if len(data) < 2:
        raise StatisticsError("variance requires at least two data points")
    return _squares_about(data, xbar) / (len(data) - 1)


@means(statistics.pvariance)
def pvariance(data, mu=None):
    """The variance of a population."""
    data = with_places(data)
    if len(data) < 1:
        raise StatisticsError("pvariance requires at least one data point")
    return _squares_about(data, mu) / len(data)


@means(statistics.stdev)
def stdev(data, xbar=None):
    """The standard deviation of a sample."""
    data = with_places(data)
    if len(data) < 2:
        raise StatisticsError("stdev requires at least two data points")
    return math.sqrt(_squares_about(data, xbar) / (len(data) - 1))


@means(statistics.pstdev)
def pstdev(data, mu=None):
    """The standard deviation of a population."""
    data = with_places(data)
    if len(data) < 1:
        raise StatisticsError("pstdev requires at least one data point")
    return math.sqrt(_squares_about(data, mu) / len(data))


def _squares_about(data, centre):
    """The sum of the squares of the deviations from a number, or from the mean."""
    middle = mean(data) if centre is None else centre
    total = 0.0
    for k in range(len(data)):
        total += (data[k] - middle) ** 2
    return total


@means(statistics.geometric_mean)
def geometric_mean(data):
    """The exponential of the mean of logarithms."""
    data = with_places(data)
    if len(data) < 1:
        raise StatisticsError("geometric_mean requires at least one data point")
    total = 0.0
    for k in range(len(data)):
        if data[k] <= 0.0:
            raise StatisticsError("geometric mean requires positive numbers")
        total += math.log(data[k])
    return math.exp(total / len(data))
