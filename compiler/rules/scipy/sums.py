"""Rules of sums of exponentials: what stands for `logsumexp`, `softmax` and `log_softmax` of `scipy.special`."""

import numpy as np

from backsweep.rules.declare import FixedSample, Sample, rule
from backsweep.runtime.scipy.sums_of_exponentials import (
    log_of_sum,
    log_of_sums,
    log_shares,
    log_shares_along,
    shares,
    shares_along,
    spread_sums,
    sums_along,
)

MATRIX = Sample((3, 4))


@rule(
    log_of_sum, samples=[MATRIX], edges=[((np.array([800.0, 800.0, -np.inf]),), (np.array([0.5, 0.5, 0.0]),))]
)
def logarithm_of_sum(x):
    """Logarithm of the sum of the exponentials of all entries."""
    y = log_of_sum(x)
    return y, lambda y_bar: y_bar * np.exp(x - y)


@rule(log_of_sums, static=["axis"], samples=[MATRIX, FixedSample(1)])
def logarithm_of_sums(x, axis):
    """Logarithm of the sums of the exponentials along an axis, which stays with an extent of one."""
    y = log_of_sums(x, axis)
    return y, lambda y_bar: y_bar * np.exp(x - y), lambda x_dot: sums_along(x_dot * np.exp(x - y), axis)


@rule(sums_along, static=["axis"], samples=[MATRIX, FixedSample(1)], linear=("x",))
def sums_kept(x, axis):
    """Sums along an axis, which stays with an extent of one."""
    y = sums_along(x, axis)
    return y, lambda y_bar: np.ones_like(x) * y_bar


@rule(spread_sums, static=["axis"], samples=[MATRIX, FixedSample(1)], linear=("x",))
def sums_everywhere(x, axis):
    """Sums along an axis, at every place along it."""
    y = spread_sums(x, axis)
    return y, lambda y_bar: spread_sums(y_bar, axis)


@rule(shares, samples=[MATRIX], edges=[((np.array([800.0, 0.0]),), (np.array([0.0, 0.0]),))])
def softmax(x):
    """Exponentials of all entries, divided by their sum. The adjoint reads only the result."""
    y = shares(x)
    return y, lambda y_bar: y * (y_bar - np.sum(y_bar * y)), lambda x_dot: y * (x_dot - np.sum(x_dot * y))


@rule(shares_along, static=["axis"], samples=[MATRIX, FixedSample(0)])
def softmax_along(x, axis):
    """Exponentials of the entries, divided by their sums along an axis. The adjoint reads only the result."""
    y = shares_along(x, axis)
    return (
        y,
        lambda y_bar: y * (y_bar - spread_sums(y_bar * y, axis)),
        lambda x_dot: y * (x_dot - spread_sums(x_dot * y, axis)),
    )


@rule(log_shares, samples=[MATRIX])
def log_softmax(x):
    """Logarithms of `softmax`. The adjoint reads only the result."""
    y = log_shares(x)
    return y, lambda y_bar: y_bar - np.exp(y) * np.sum(y_bar), lambda x_dot: x_dot - np.sum(np.exp(y) * x_dot)


@rule(log_shares_along, static=["axis"], samples=[MATRIX, FixedSample(0)])
def log_softmax_along(x, axis):
    """Logarithms of `softmax` along an axis. The adjoint reads only the result."""
    y = log_shares_along(x, axis)
    return (
        y,
        lambda y_bar: y_bar - np.exp(y) * spread_sums(y_bar, axis),
        lambda x_dot: x_dot - spread_sums(np.exp(y) * x_dot, axis),
    )
