"""Rules of `scipy.special`: error functions, the normal distribution, logistic functions, exponentials, their sums, and logarithms.

The formulas are those of the Digital Library of Mathematical Functions (DLMF), chapter 7, or elementary. Where the plain formula
loses its digits in a tail, the adjoint takes another function that has them there: `expit(-x)` for `1 - expit(x)`,
`erfcx` for the ratio of a density to its integral.
"""

import math

import numpy as np
import scipy.special as sp

from backsweep.rules.declare import FixedSample, Sample, elementwise, rule
from backsweep.rules.limits import declare_poles, declare_roots
from backsweep.runtime.scipy.series import erfcx_derivative, exprel_derivative
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
from backsweep.runtime.special import strong_quotient

WIDE = (-3.0, 3.0)
POSITIVE = (0.3, 3.0)
UNIT = (0.05, 0.95)
MATRIX = Sample((3, 4))


@elementwise(sp.erf, samples=[WIDE])
def erf(x):
    """Error function (DLMF 7.2.1)."""
    y = sp.erf(x)
    return y, lambda y_bar: y_bar * 1.1283791670955126 * np.exp(-x * x)


@elementwise(sp.erfc, samples=[WIDE])
def erfc(x):
    """Complementary error function (DLMF 7.2.2)."""
    y = sp.erfc(x)
    return y, lambda y_bar: -y_bar * 1.1283791670955126 * np.exp(-x * x)


@elementwise(sp.erfi, samples=[WIDE])
def erfi(x):
    """Imaginary error function: -i erf(i x)."""
    y = sp.erfi(x)
    return y, lambda y_bar: y_bar * 1.1283791670955126 * np.exp(x * x)


@elementwise(sp.erfcx, samples=[(-2.0, 30.0)])
def erfcx(x):
    """Scaled complementary error function, exp(x^2) erfc(x) (DLMF 7.18.4)."""
    y = sp.erfcx(x)
    return y, lambda y_bar: y_bar * erfcx_derivative(1, x)


@elementwise(erfcx_derivative, static=["order"], samples=[FixedSample(2), (-2.0, 30.0)])
def derivative_of_erfcx(order, x):
    """Derivative of `erfcx` of an order (DLMF 7.18.4)."""
    y = erfcx_derivative(order, x)
    return y, lambda y_bar: y_bar * erfcx_derivative(order + 1, x)


@elementwise(sp.erfinv, samples=[(-0.95, 0.95)])
def erfinv(x):
    """Inverse of the error function. The adjoint reads only the result."""
    y = sp.erfinv(x)
    return y, lambda y_bar: y_bar * 0.886226925452758 * np.exp(y * y)


@elementwise(sp.erfcinv, samples=[(0.05, 1.95)])
def erfcinv(x):
    """Inverse of the complementary error function. The adjoint reads only the result."""
    y = sp.erfcinv(x)
    return y, lambda y_bar: -y_bar * 0.886226925452758 * np.exp(y * y)


@elementwise(sp.ndtr, samples=[WIDE])
def ndtr(x):
    """Distribution function of the normal distribution."""
    y = sp.ndtr(x)
    return y, lambda y_bar: y_bar * 0.3989422804014327 * np.exp(-0.5 * x * x)


@elementwise(sp.log_ndtr, samples=[(-30.0, 3.0)], edges=[((-1e200,), (1e200,)), ((50.0,), (0.0,))])
def log_ndtr(x):
    """Logarithm of the normal distribution function. The adjoint is the inverse of Mills' ratio, in the tails too (DLMF 7.8.1)."""
    y = sp.log_ndtr(x)
    return y, lambda y_bar: y_bar * 0.7978845608028654 / sp.erfcx(-0.7071067811865476 * x)


@elementwise(sp.ndtri, samples=[UNIT])
def ndtri(x):
    """Quantile of the normal distribution. The adjoint reads only the result."""
    y = sp.ndtri(x)
    return y, lambda y_bar: y_bar * 2.5066282746310007 * np.exp(0.5 * y * y)


@elementwise(sp.ndtri_exp, samples=[(-30.0, -0.1)])
def ndtri_exp(x):
    """Quantile of the normal distribution for the logarithm of a probability. The adjoint reads only the result."""
    y = sp.ndtri_exp(x)
    return y, lambda y_bar: y_bar * 1.2533141373155003 * sp.erfcx(-0.7071067811865476 * y)


@elementwise(sp.dawsn, samples=[WIDE])
def dawsn(x):
    """Dawson's integral (DLMF 7.10.3). For large x the adjoint loses digits: as many as x^2 has."""
    y = sp.dawsn(x)
    return y, lambda y_bar: y_bar * (1.0 - 2.0 * x * y)


@elementwise(
    sp.expit, samples=[WIDE], edges=[((800.0,), (0.0,)), ((-800.0,), (0.0,)), ((40.0,), (math.exp(-40.0),))]
)
def expit(x):
    """Logistic function. Its complement is computed as such: near one, `1 - y` has no digits left."""
    y = sp.expit(x)
    return y, lambda y_bar: y_bar * y * sp.expit(-x)


@elementwise(sp.logit, samples=[UNIT])
def logit(x):
    """Inverse of the logistic function."""
    y = sp.logit(x)
    return y, lambda y_bar: y_bar / (x * (1.0 - x))


@elementwise(
    sp.log_expit,
    samples=[WIDE],
    edges=[((800.0,), (0.0,)), ((-800.0,), (1.0,)), ((40.0,), (math.exp(-40.0),))],
)
def log_expit(x):
    """Logarithm of the logistic function."""
    y = sp.log_expit(x)
    return y, lambda y_bar: y_bar * sp.expit(-x)


@elementwise(sp.expm1, samples=[WIDE])
def expm1(x):
    """Exponential minus one."""
    y = sp.expm1(x)
    return y, lambda y_bar: y_bar * np.exp(x)


@elementwise(sp.log1p, samples=[(-0.9, 0.9)])
def log1p(x):
    """Logarithm of one plus the operand."""
    y = sp.log1p(x)
    return y, lambda y_bar: y_bar / (1.0 + x)


@elementwise(sp.cbrt, samples=[POSITIVE])
def cbrt(x):
    """Cube root. The adjoint reads only the result."""
    y = sp.cbrt(x)
    return y, lambda y_bar: y_bar / (3.0 * y * y)


declare_roots([sp.cbrt])


@elementwise(sp.exp2, samples=[WIDE])
def exp2(x):
    """Power of two. The adjoint reads only the result."""
    y = sp.exp2(x)
    return y, lambda y_bar: y_bar * 0.6931471805599453 * y


@elementwise(sp.exp10, samples=[WIDE])
def exp10(x):
    """Power of ten. The adjoint reads only the result."""
    y = sp.exp10(x)
    return y, lambda y_bar: y_bar * 2.302585092994046 * y


@elementwise(sp.exprel, samples=[WIDE], edges=[((0.0,), (0.5,))])
def exprel(x):
    """(exp(x) - 1) / x."""
    y = sp.exprel(x)
    return y, lambda y_bar: y_bar * exprel_derivative(1, x)


@elementwise(exprel_derivative, static=["order"], samples=[FixedSample(2), WIDE])
def derivative_of_exprel(order, x):
    """Derivative of `exprel` of an order: the integral of t^order exp(x t) for t from 0 to 1."""
    y = exprel_derivative(order, x)
    return y, lambda y_bar: y_bar * exprel_derivative(order + 1, x)


@elementwise(sp.cosm1, samples=[WIDE])
def cosm1(x):
    """Cosine minus one."""
    y = sp.cosm1(x)
    return y, lambda y_bar: -y_bar * np.sin(x)


@elementwise(sp.entr, samples=[POSITIVE])
def entr(x):
    """Elementwise entropy, -x log(x)."""
    y = sp.entr(x)
    return y, lambda y_bar: -y_bar * (np.log(x) + 1.0)


@elementwise(
    sp.xlogy,
    samples=[POSITIVE, POSITIVE],
    edges=[((0.0, 0.0), (-math.inf, 0.0)), ((0.0, 2.0), (math.log(2.0), 0.0))],
)
def xlogy(x, y):
    """X log(y), zero where x is zero, so that there the adjoint of y is zero, whatever y is."""
    z = sp.xlogy(x, y)
    return z, lambda z_bar: (z_bar * np.log(y), z_bar * strong_quotient(x, y))


@elementwise(sp.xlog1py, samples=[POSITIVE, POSITIVE], edges=[((0.0, -1.0), (-math.inf, 0.0))])
def xlog1py(x, y):
    """X log(1 + y), zero where x is zero, so that there the adjoint of y is zero, whatever y is."""
    z = sp.xlog1py(x, y)
    return z, lambda z_bar: (z_bar * np.log1p(y), z_bar * strong_quotient(x, 1.0 + y))


@elementwise(sp.rel_entr, samples=[POSITIVE, POSITIVE], edges=[((0.0, 2.0), (-math.inf, 0.0))])
def rel_entr(x, y):
    """Elementwise relative entropy, x log(x / y)."""
    z = sp.rel_entr(x, y)
    return z, lambda z_bar: (z_bar * (np.log(np.divide(x, y)) + 1.0), -z_bar * np.divide(x, y))


@elementwise(
    sp.kl_div, samples=[POSITIVE, POSITIVE], edges=[((1.0, 1.0), (0.0, 0.0)), ((0.0, 2.0), (-math.inf, 1.0))]
)
def kl_div(x, y):
    """Elementwise Kullback-Leibler divergence, x log(x / y) - x + y."""
    z = sp.kl_div(x, y)
    return z, lambda z_bar: (z_bar * np.log(np.divide(x, y)), z_bar * np.divide(y - x, y))


@elementwise(
    sp.huber, samples=[(0.5, 1.0), WIDE], edges=[((1.0, 1.0), (0.0, 1.0)), ((1.0, -3.0), (2.0, -1.0))]
)
def huber(delta, r):
    """Huber's loss: quadratic up to delta, linear beyond."""
    y = sp.huber(delta, r)
    return y, lambda y_bar: (
        y_bar * np.maximum(np.abs(r) - delta, 0.0),
        y_bar * np.where(np.abs(r) <= delta, r, delta * np.sign(r)),
    )


@elementwise(sp.pseudo_huber, samples=[(0.5, 1.5), WIDE])
def pseudo_huber(delta, r):
    """Smooth form of Huber's loss: delta^2 (s - 1) with s = sqrt(1 + (r / delta)^2).

    Second derivatives lose digits for large r / delta: as many as its square has.
    """
    y = sp.pseudo_huber(delta, r)
    return y, lambda y_bar: (
        y_bar
        * delta
        * np.divide(r, delta) ** 4
        / ((1.0 + np.hypot(1.0, np.divide(r, delta))) ** 2 * np.hypot(1.0, np.divide(r, delta))),
        y_bar * r / np.hypot(1.0, np.divide(r, delta)),
    )


declare_poles([sp.logit, sp.erfinv, sp.ndtri], lambda one: one.low > 0.0 and one.high < 1.0)
declare_poles([sp.erfcinv], lambda one: one.low > 0.0 and one.high < 2.0)
declare_poles([sp.ndtri_exp], lambda one: one.high < 0.0)
declare_poles([sp.log1p], lambda one: one.low > -1.0)
declare_poles([sp.entr], lambda one: one.is_positive)
declare_poles([sp.xlogy, sp.rel_entr, sp.kl_div], lambda one, other: one.is_positive and other.is_positive)
declare_poles([sp.xlog1py], lambda _, other: other.low > -1.0)


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
