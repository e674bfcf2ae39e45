"""Rules of the error and gamma functions of `math`, of the runtime's derivatives of them, and of the logistic function."""

import math

import numpy as np

from backsweep.rules.declare import FixedSample, elementwise
from backsweep.runtime.interpolation import sinc_derivative as sinc_slope
from backsweep.runtime.special import digamma as psi
from backsweep.runtime.special import falling_logistic
from backsweep.runtime.special import polygamma as psi_derivative

POSITIVE = (0.4, 6.0)


@elementwise(math.erf, samples=[(-2.0, 2.0)])
def erf(x):
    """Error function."""
    y = math.erf(x)
    return y, lambda y_bar: y_bar * 1.1283791670955126 * math.exp(-x * x)


@elementwise(math.erfc, samples=[(-2.0, 2.0)])
def erfc(x):
    """Complementary error function."""
    y = math.erfc(x)
    return y, lambda y_bar: -y_bar * 1.1283791670955126 * math.exp(-x * x)


@elementwise(math.gamma, samples=[POSITIVE])
def gamma(x):
    """Gamma function."""
    y = math.gamma(x)
    return y, lambda y_bar: y_bar * y * psi(x)


@elementwise(math.lgamma, samples=[POSITIVE])
def lgamma(x):
    """Logarithm of the gamma function."""
    y = math.lgamma(x)
    return y, lambda y_bar: y_bar * psi(x)


@elementwise(psi, samples=[POSITIVE])
def digamma(x):
    """Derivative of `lgamma`."""
    y = psi(x)
    return y, lambda y_bar: y_bar * psi_derivative(1, x)


@elementwise(psi_derivative, static=["order"], samples=[FixedSample(2), POSITIVE])
def polygamma(order, x):
    """Derivative of `digamma` of an order."""
    y = psi_derivative(order, x)
    return y, lambda y_bar: y_bar * psi_derivative(order + 1, x)


@elementwise(np.sinc, samples=[(0.3, 3.0)], edges=[((0.0,), (0.0,))])
def sinc(x):
    """Normalised sinc function."""
    y = np.sinc(x)
    return y, lambda y_bar: y_bar * sinc_slope(1, x)


@elementwise(sinc_slope, static=["order"], samples=[FixedSample(2), (0.3, 3.0)])
def sinc_derivative(order, x):
    """Derivative of `np.sinc` of an order: the integral of that of cos(pi x t) for t from 0 to 1."""
    y = sinc_slope(order, x)
    return y, lambda y_bar: y_bar * sinc_slope(order + 1, x)


@elementwise(
    falling_logistic,
    samples=[(-3.0, 3.0)],
    edges=[((800.0,), (0.0,)), ((-800.0,), (0.0,)), ((-40.0,), (-math.exp(-40.0),))],
)
def one_over_one_plus_exp(x):
    """Logistic function of -x, also where it is spelled so. Near one, where `1 - y` has no digits left, the adjoint reads x."""
    y = 1.0 / (1.0 + np.exp(x))
    return y, lambda y_bar: -y_bar * np.where(y < 0.99, y * (1.0 - y), y * y * np.exp(np.minimum(x, 0.0)))
