"""Rules of `scipy.special`: the gamma function and its kin, incomplete gamma and beta functions, the zeta function.

The formulas are those of the Digital Library of Mathematical Functions (DLMF), chapters 5, 8 and 25. The derivatives of the digamma
function are zeta functions of two arguments (DLMF 25.11.12).
"""

import numpy as np
import scipy.special as sp

from backsweep.rules.declare import FixedSample, elementwise
from backsweep.rules.limits import declare_poles
from backsweep.runtime.scipy.densities import beta_density, gamma_density
from backsweep.runtime.scipy.written_out import combinations, rgamma_derivative
from backsweep.runtime.special_functions.incomplete_beta import betainc_by_a, betainc_by_b
from backsweep.runtime.special_functions.incomplete_gamma import gammainc_by_shape
from backsweep.runtime.special_functions.zeta import zeta_by_exponent

POSITIVE = (0.4, 6.0)
UNIT = (0.05, 0.95)


@elementwise(sp.gammaln, samples=[POSITIVE])
def gammaln(x):
    """Logarithm of the absolute value of the gamma function (DLMF 5.2.2)."""
    y = sp.gammaln(x)
    return y, lambda y_bar: y_bar * sp.psi(x)


@elementwise(sp.loggamma, samples=[POSITIVE])
def loggamma(x):
    """Principal branch of the logarithm of the gamma function (DLMF 5.2.2), nan for negative numbers."""
    y = sp.loggamma(x)
    return y, lambda y_bar: y_bar * np.where(x < 0.0, np.nan, sp.psi(x))


@elementwise(sp.gamma, samples=[POSITIVE])
def gamma(x):
    """Gamma function (DLMF 5.2.2)."""
    y = sp.gamma(x)
    return y, lambda y_bar: y_bar * y * sp.psi(x)


@elementwise(sp.rgamma, samples=[POSITIVE])
def rgamma(x):
    """Reciprocal of the gamma function (DLMF 5.2.2)."""
    y = sp.rgamma(x)
    return y, lambda y_bar: y_bar * rgamma_derivative(1, x)


@elementwise(
    rgamma_derivative,
    static=["order"],
    samples=[FixedSample(1), POSITIVE],
    edges=[((1, 0.0), (1.1544313298030657,))],
)
def derivative_of_rgamma(order, x):
    """Derivative of the reciprocal of the gamma function of an order."""
    y = rgamma_derivative(order, x)
    return y, lambda y_bar: y_bar * rgamma_derivative(order + 1, x)


@elementwise(sp.psi, samples=[POSITIVE])
def psi(x):
    """Digamma function (DLMF 25.11.12)."""
    y = sp.psi(x)
    return y, lambda y_bar: y_bar * sp.zeta(2.0, x)


@elementwise(sp.zeta, samples=[(1.5, 3.0), POSITIVE])
def zeta(s, q):
    """Zeta function of two arguments (DLMF 25.11.7, 25.11.17)."""
    y = sp.zeta(s, q)
    return y, lambda y_bar: (y_bar * zeta_by_exponent(1, s, q), -y_bar * s * sp.zeta(s + 1.0, q))


@elementwise(sp.zetac, samples=[(1.5, 3.0)])
def zetac(x):
    """Riemann's zeta function less one (DLMF 25.2.9, 25.4.1)."""
    y = sp.zetac(x)
    return y, lambda y_bar: y_bar * zeta_by_exponent(1, x, 1.0)


@elementwise(zeta_by_exponent, static=["order"], samples=[FixedSample(2), (1.5, 3.0), POSITIVE])
def derivative_of_zeta(order, s, q):
    """Derivative of `zeta` by its exponent, of an order (DLMF 25.11.7, 25.11.17)."""
    y = zeta_by_exponent(order, s, q)
    return y, lambda y_bar: (
        y_bar * zeta_by_exponent(order + 1, s, q),
        -y_bar * (s * zeta_by_exponent(order, s + 1.0, q) + order * zeta_by_exponent(order - 1, s + 1.0, q)),
    )


@elementwise(sp.polygamma, samples=[FixedSample(2), POSITIVE], refused={"n": "it is a whole number"})
def polygamma(n, x):
    """Derivative of the digamma function of an order (DLMF 5.15.1)."""
    y = sp.polygamma(n, x)
    return y, lambda y_bar: y_bar * sp.polygamma(n + 1, x)


@elementwise(sp.factorial, samples=[(0.4, 5.0)], edges=[((-0.5,), (0.0,))])
def factorial(n):
    """Factorial, continued to numbers between; zero for negative ones (DLMF 5.2.2)."""
    y = sp.factorial(n)
    return y, lambda y_bar: y_bar * np.where(n < 0.0, 0.0, y * sp.psi(np.abs(n) + 1.0))


@elementwise(sp.beta, samples=[POSITIVE, POSITIVE])
def beta(a, b):
    """Beta function (DLMF 5.12.1)."""
    y = sp.beta(a, b)
    return y, lambda y_bar: (y_bar * y * (sp.psi(a) - sp.psi(a + b)), y_bar * y * (sp.psi(b) - sp.psi(a + b)))


@elementwise(sp.betaln, samples=[POSITIVE, POSITIVE])
def betaln(a, b):
    """Logarithm of the absolute value of the beta function (DLMF 5.12.1)."""
    y = sp.betaln(a, b)
    return y, lambda y_bar: (y_bar * (sp.psi(a) - sp.psi(a + b)), y_bar * (sp.psi(b) - sp.psi(a + b)))


@elementwise(sp.binom, samples=[(4.0, 6.0), (0.5, 3.0)])
def binom(n, k):
    """Binomial coefficient of numbers (DLMF 1.2.6), nan where the numerator has a pole.

    Where it is zero one factor of the denominator has a pole, as psi has: there the reciprocals of the factors are differentiated.
    """
    y = sp.binom(n, k)
    return y, lambda y_bar: (
        np.where(
            y == 0.0,
            y_bar
            * (
                y * sp.psi(n + 1.0)
                + sp.gamma(n + 1.0) * sp.rgamma(k + 1.0) * rgamma_derivative(1, n - k + 1.0)
            ),
            y_bar * y * (sp.psi(n + 1.0) - sp.psi(n - k + 1.0)),
        ),
        np.where(
            y == 0.0,
            y_bar
            * sp.gamma(n + 1.0)
            * (
                sp.rgamma(n - k + 1.0) * rgamma_derivative(1, k + 1.0)
                - sp.rgamma(k + 1.0) * rgamma_derivative(1, n - k + 1.0)
            ),
            y_bar * y * (sp.psi(n - k + 1.0) - sp.psi(k + 1.0)),
        ),
    )


@elementwise(combinations, samples=[(4.0, 6.0), (0.5, 3.0)], edges=[((3.0, 4.0), (0.0, 0.0))])
def comb(n, k):
    """Binomial coefficient, zero for `k` beyond 0 and `n`, where the adjoints are zero (DLMF 1.2.6)."""
    y = combinations(n, k)
    return y, lambda y_bar: (
        y_bar * np.where(y == 0.0, 0.0, y * (sp.psi(n + 1.0) - sp.psi(np.abs(n - k) + 1.0))),
        y_bar * np.where(y == 0.0, 0.0, y * (sp.psi(np.abs(n - k) + 1.0) - sp.psi(k + 1.0))),
    )


@elementwise(sp.gammainc, samples=[POSITIVE, POSITIVE])
def gammainc(a, x):
    """Lower incomplete gamma function, regularised (DLMF 8.8.13)."""
    y = sp.gammainc(a, x)
    return y, lambda y_bar: (y_bar * gammainc_by_shape(a, x), y_bar * gamma_density(a, x))


@elementwise(sp.gammaincc, samples=[POSITIVE, POSITIVE])
def gammaincc(a, x):
    """Upper incomplete gamma function, regularised (DLMF 8.8.13)."""
    y = sp.gammaincc(a, x)
    return y, lambda y_bar: (-y_bar * gammainc_by_shape(a, x), -y_bar * gamma_density(a, x))


@elementwise(gamma_density, samples=[POSITIVE, POSITIVE])
def density_of_gamma(a, x):
    """Density of the gamma distribution, x^(a - 1) exp(-x) / gamma(a)."""
    y = gamma_density(a, x)
    return y, lambda y_bar: (y_bar * y * (np.log(x) - sp.psi(a)), y_bar * y * np.divide(a - 1.0 - x, x))


@elementwise(sp.gammaincinv, samples=[POSITIVE, UNIT])
def gammaincinv(a, p):
    """Inverse of `gammainc` in its second argument."""
    y = sp.gammaincinv(a, p)
    return y, lambda y_bar: (
        -y_bar * np.divide(gammainc_by_shape(a, y), gamma_density(a, y)),
        np.divide(y_bar, gamma_density(a, y)),
    )


@elementwise(sp.betainc, samples=[POSITIVE, POSITIVE, UNIT])
def betainc(a, b, x):
    """Incomplete beta function, regularised (DLMF 8.17.1)."""
    y = sp.betainc(a, b, x)
    return y, lambda y_bar: (
        y_bar * betainc_by_a(a, b, x),
        y_bar * betainc_by_b(a, b, x),
        y_bar * beta_density(a, b, x),
    )


@elementwise(sp.betaincc, samples=[POSITIVE, POSITIVE, UNIT])
def betaincc(a, b, x):
    """Complement of `betainc` (DLMF 8.17.1)."""
    y = sp.betaincc(a, b, x)
    return y, lambda y_bar: (
        -y_bar * betainc_by_a(a, b, x),
        -y_bar * betainc_by_b(a, b, x),
        -y_bar * beta_density(a, b, x),
    )


@elementwise(beta_density, samples=[POSITIVE, POSITIVE, UNIT])
def density_of_beta(a, b, x):
    """Density of the beta distribution, x^(a - 1) (1 - x)^(b - 1) / beta(a, b)."""
    y = beta_density(a, b, x)
    return y, lambda y_bar: (
        y_bar * y * (np.log(x) - sp.psi(a) + sp.psi(a + b)),
        y_bar * y * (np.log1p(-x) - sp.psi(b) + sp.psi(a + b)),
        y_bar * y * (np.divide(a - 1.0, x) - np.divide(b - 1.0, 1.0 - x)),
    )


@elementwise(sp.betaincinv, samples=[POSITIVE, POSITIVE, UNIT])
def betaincinv(a, b, p):
    """Inverse of `betainc` in its third argument."""
    y = sp.betaincinv(a, b, p)
    return y, lambda y_bar: (
        -y_bar * np.divide(betainc_by_a(a, b, y), beta_density(a, b, y)),
        -y_bar * np.divide(betainc_by_b(a, b, y), beta_density(a, b, y)),
        np.divide(y_bar, beta_density(a, b, y)),
    )


declare_poles([sp.gammaln, sp.loggamma, sp.gamma, sp.psi], lambda one: one.is_positive)
declare_poles([sp.polygamma, sp.zeta], lambda _, one: one.is_positive)
declare_poles([sp.zetac, zeta_by_exponent], lambda *_: False)
declare_poles([sp.beta, sp.betaln], lambda one, other: one.is_positive and other.is_positive)
declare_poles([sp.gammaincinv], lambda _, one: one.low > 0.0 and one.high < 1.0)
declare_poles([sp.betaincinv], lambda *operands: operands[2].low > 0.0 and operands[2].high < 1.0)
declare_poles([gamma_density], lambda shape, one: shape.low >= 1.0 or one.is_positive)
declare_poles([rgamma_derivative], lambda _, one: one.low > -150.0)
declare_poles([beta_density, sp.binom, sp.gammainc, sp.gammaincc, sp.betainc, sp.betaincc], lambda *_: False)
