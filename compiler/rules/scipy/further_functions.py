"""Rules of `scipy.special`: scaled Bessel functions, Kelvin's and Struve's, powers, angles in degrees.

The formulas are those of the Digital Library of Mathematical Functions (DLMF), chapters 5, 8, 10, 11, 13, 19 and 25.
"""

import numpy as np
import scipy.special as sp

from backsweep.rules.declare import FixedSample, constant, elementwise
from backsweep.rules.limits import declare_poles
from backsweep.runtime.scipy.series import exprel_derivative, log1p_quotient
from backsweep.runtime.scipy.written_out import rgamma_derivative
from backsweep.runtime.special import at_zero, signed
from backsweep.runtime.special_functions.kolmogorov import kolmogorov_derivative, smirnov_derivative
from backsweep.runtime.special_functions.several_results import (
    mathieu_function,
    mathieu_value_slope,
    parabolic_cylinder,
)

WIDE = (-3.0, 3.0)
POSITIVE = (0.4, 4.0)
UNKNOWN = "no closed form of it is known"
ORDER = {"v": UNKNOWN}


@elementwise(sp.k0e, samples=[POSITIVE])
def k0e(x):
    """`k0` times exp(x) (DLMF 10.29.3)."""
    y = sp.k0e(x)
    return y, lambda y_bar: y_bar * (y - sp.k1e(x))


@elementwise(sp.k1e, samples=[POSITIVE])
def k1e(x):
    """`k1` times exp(x) (DLMF 10.29.2)."""
    y = sp.k1e(x)
    return y, lambda y_bar: y_bar * (y - sp.k0e(x) - y / x)


@elementwise(sp.ber, samples=[WIDE])
def ber(x):
    """Kelvin function (DLMF 10.61.1)."""
    y = sp.ber(x)
    return y, lambda y_bar: y_bar * sp.berp(x)


@elementwise(sp.bei, samples=[WIDE])
def bei(x):
    """Kelvin function (DLMF 10.61.1)."""
    y = sp.bei(x)
    return y, lambda y_bar: y_bar * sp.beip(x)


@elementwise(sp.berp, samples=[WIDE], edges=[((0.0,), (0.0,))])
def berp(x):
    """Derivative of `ber`, by the equation of its second (DLMF 10.61.3)."""
    y = sp.berp(x)
    return y, lambda y_bar: -y_bar * at_zero(x, 0.0, sp.bei(x) + y / (x + (x == 0.0)))


@elementwise(sp.beip, samples=[WIDE], edges=[((0.0,), (0.5,))])
def beip(x):
    """Derivative of `bei`, by the equation of its second (DLMF 10.61.3)."""
    y = sp.beip(x)
    return y, lambda y_bar: y_bar * at_zero(x, 0.5, sp.ber(x) - y / (x + (x == 0.0)))


@elementwise(sp.ker, samples=[POSITIVE])
def ker(x):
    """Kelvin function (DLMF 10.61.2)."""
    y = sp.ker(x)
    return y, lambda y_bar: y_bar * sp.kerp(x)


@elementwise(sp.kei, samples=[POSITIVE])
def kei(x):
    """Kelvin function (DLMF 10.61.2)."""
    y = sp.kei(x)
    return y, lambda y_bar: y_bar * sp.keip(x)


@elementwise(sp.kerp, samples=[POSITIVE])
def kerp(x):
    """Derivative of `ker`, by the equation of its second (DLMF 10.61.3)."""
    y = sp.kerp(x)
    return y, lambda y_bar: -y_bar * (sp.kei(x) + y / x)


@elementwise(sp.keip, samples=[POSITIVE])
def keip(x):
    """Derivative of `kei`, by the equation of its second (DLMF 10.61.3)."""
    y = sp.keip(x)
    return y, lambda y_bar: y_bar * (sp.ker(x) - y / x)


@elementwise(sp.struve, samples=[POSITIVE, POSITIVE], refused=ORDER)
def struve(v, x):
    """Struve function (DLMF 11.4.27)."""
    y = sp.struve(v, x)
    return y, lambda y_bar: y_bar * (sp.struve(v - 1.0, x) - v / x * y)


@elementwise(sp.modstruve, samples=[POSITIVE, POSITIVE], refused=ORDER)
def modstruve(v, x):
    """Modified Struve function (DLMF 11.4.29)."""
    y = sp.modstruve(v, x)
    return y, lambda y_bar: y_bar * (sp.modstruve(v - 1.0, x) - v / x * y)


@elementwise(sp.itstruve0, samples=[POSITIVE])
def itstruve0(x):
    """Integral of the Struve function of order zero from zero, which is even; SciPy's values have no right digit above 30."""
    y = sp.itstruve0(x)
    return y, lambda y_bar: signed(y_bar, x) * sp.struve(0.0 * x, np.abs(x))


@elementwise(sp.itmodstruve0, samples=[POSITIVE])
def itmodstruve0(x):
    """Integral of the modified Struve function of order zero from zero, which is even."""
    y = sp.itmodstruve0(x)
    return y, lambda y_bar: signed(y_bar, x) * sp.modstruve(0.0 * x, np.abs(x))


@elementwise(sp.it2struve0, samples=[POSITIVE])
def it2struve0(x):
    """Integral of the Struve function of order zero over its argument, to infinity."""
    y = sp.it2struve0(x)
    return y, lambda y_bar: -y_bar * sp.struve(0.0 * x, np.abs(x)) / np.abs(x)


@elementwise(sp.wright_bessel, samples=[POSITIVE, POSITIVE, POSITIVE], refused={"a": UNKNOWN, "b": UNKNOWN})
def wright_bessel(a, b, x):
    """Wright's generalised Bessel function, the sum of x^k / (k! gamma(a k + b)) (DLMF 10.46.1)."""
    y = sp.wright_bessel(a, b, x)
    return y, lambda y_bar: y_bar * sp.wright_bessel(a, a + b, x)


@elementwise(
    sp.log_wright_bessel, samples=[POSITIVE, POSITIVE, POSITIVE], refused={"a": UNKNOWN, "b": UNKNOWN}
)
def log_wright_bessel(a, b, x):
    """Logarithm of Wright's function (DLMF 10.46.1)."""
    y = sp.log_wright_bessel(a, b, x)
    return y, lambda y_bar: y_bar * np.exp(sp.log_wright_bessel(a, a + b, x) - y)


@elementwise(
    sp.besselpoly,
    samples=[POSITIVE, FixedSample(1.5), FixedSample(1.2)],
    refused={"power": UNKNOWN, "v": UNKNOWN},
)
def besselpoly(a, power, v):
    """Integral of x^power jv(v, 2 a x) for x from 0 to 1 (DLMF 10.6.1)."""
    y = sp.besselpoly(a, power, v)
    return (
        y,
        lambda y_bar: (
            y_bar * (sp.besselpoly(a, power + 1.0, v - 1.0) - sp.besselpoly(a, power + 1.0, v + 1.0))
        ),
    )


@elementwise(
    sp.lpmv,
    samples=[FixedSample(1.0), FixedSample(2.5), (-0.8, 0.8)],
    refused={"m": "it is a whole number", "v": UNKNOWN},
)
def lpmv(m, v, x):
    """Associated Legendre function; the formula holds between -1 and 1 (DLMF 14.10.1, 14.10.5)."""
    y = sp.lpmv(m, v, x)
    return (
        y,
        lambda y_bar: (
            0.5
            * y_bar
            * np.divide(
                (v + m) * (v - m + 1.0) * sp.lpmv(m - 1.0, v, x) - sp.lpmv(m + 1.0, v, x),
                np.sqrt(1.0 - x * x),  # as SciPy has it
            )
        ),
    )


@elementwise(
    sp.tklmbda,
    samples=[(-0.5, 0.5), FixedSample(0.4)],
    edges=[((5.0, 2.0), (0.0,))],
    refused={"shape": "only that by the number is known here"},
)
def tklmbda(x, shape):
    """Distribution function of Tukey's lambda distribution; outside of its support it is constant. The adjoint reads only the result."""
    y = sp.tklmbda(x, shape)
    return y, lambda y_bar: np.where(
        (y > 0.0) * (y < 1.0),
        np.divide(y_bar, np.power(y, shape - 1.0) + np.power(1.0 - y, shape - 1.0)),
        0.0,
    )


@elementwise(sp.kolmogorov, samples=[(0.3, 2.0)])
def kolmogorov(x):
    """Survival function of Kolmogorov's distribution. The adjoint is its density."""
    y = sp.kolmogorov(x)
    return y, lambda y_bar: y_bar * kolmogorov_derivative(1, x)


@elementwise(sp.kolmogi, samples=[(0.2, 0.8)])
def kolmogi(p):
    """Inverse of `kolmogorov`."""
    y = sp.kolmogi(p)
    return y, lambda y_bar: np.divide(y_bar, kolmogorov_derivative(1, y))


@elementwise(kolmogorov_derivative, static=["order"], samples=[FixedSample(1), (0.3, 2.0)])
def derivative_of_kolmogorov(order, x):
    """Derivative of `kolmogorov` of an order."""
    y = kolmogorov_derivative(order, x)
    return y, lambda y_bar: y_bar * kolmogorov_derivative(order + 1, x)


@elementwise(sp.smirnov, samples=[(8, 8), (0.2, 0.6)], refused={"n": "it is a whole number"})
def smirnov(n, d):
    """Survival function of Smirnov's one-sided statistic of n numbers. The adjoint is its density."""
    y = sp.smirnov(n, d)
    return y, lambda y_bar: y_bar * smirnov_derivative(n, d)


@elementwise(sp.smirnovi, samples=[(8, 8), (0.2, 0.8)], refused={"n": "it is a whole number"})
def smirnovi(n, p):
    """Inverse of `smirnov`."""
    y = sp.smirnovi(n, p)
    return y, lambda y_bar: np.divide(y_bar, smirnov_derivative(n, y))


@elementwise(
    smirnov_derivative,
    samples=[(8, 8), (0.2, 0.6)],
    refused={"n": "it is a whole number", "d": "the second derivative has kinks and is not known here"},
)
def derivative_of_smirnov(n, d):
    """Derivative of `smirnov`."""
    y = smirnov_derivative(n, d)
    return y, lambda y_bar: ()


@elementwise(
    parabolic_cylinder,
    static=["kind", "order"],
    samples=[FixedSample(0), FixedSample(1), FixedSample(0.7), WIDE],
    refused={"v": UNKNOWN},
)
def derivative_of_parabolic_cylinder(kind, order, v, x):
    """Derivative of a parabolic cylinder function of an order (DLMF 12.2.2)."""
    y = parabolic_cylinder(kind, order, v, x)
    return y, lambda y_bar: y_bar * parabolic_cylinder(kind, order + 1, v, x)


@elementwise(
    mathieu_function,
    static=["kind", "order"],
    samples=[FixedSample(0), FixedSample(0), FixedSample(2.0), FixedSample(0.7), (10.0, 60.0)],
    refused={"m": "it is a whole number", "q": UNKNOWN},
)
def derivative_of_mathieu_function(kind, order, m, q, x):
    """Derivative of a function of Mathieu's of an order (DLMF 28.2.1, 28.20.1)."""
    y = mathieu_function(kind, order, m, q, x)
    return y, lambda y_bar: y_bar * mathieu_function(kind, order + 1, m, q, x)


@elementwise(sp.mathieu_a, samples=[(2, 2), POSITIVE], refused={"m": "it is a whole number"})
def mathieu_a(m, q):
    """Characteristic value of even functions of Mathieu's (DLMF 28.2)."""
    y = sp.mathieu_a(m, q)
    return y, lambda y_bar: y_bar * mathieu_value_slope(0, m, q)


@elementwise(sp.mathieu_b, samples=[(2, 2), POSITIVE], refused={"m": "it is a whole number"})
def mathieu_b(m, q):
    """Characteristic value of odd functions of Mathieu's (DLMF 28.2)."""
    y = sp.mathieu_b(m, q)
    return y, lambda y_bar: y_bar * mathieu_value_slope(1, m, q)


@elementwise(
    mathieu_value_slope,
    static=["kind"],
    samples=[FixedSample(0), FixedSample(2.0), POSITIVE],
    refused={"m": "it is a whole number", "q": UNKNOWN},
)
def derivative_of_mathieu_value(kind, m, q):
    """Derivative of a characteristic value."""
    y = mathieu_value_slope(kind, m, q)
    return y, lambda y_bar: ()


@elementwise(sp.expn, samples=[FixedSample(2.0), POSITIVE], refused={"n": UNKNOWN})
def expn(n, x):
    """Generalised exponential integral (DLMF 8.19.13)."""
    y = sp.expn(n, x)
    return y, lambda y_bar: -y_bar * sp.expn(n - 1.0, x)


@elementwise(sp.spence, samples=[(0.2, 0.9)], edges=[((1.0,), (-1.0,))])
def spence(x):
    """Dilogarithm of 1 - x (DLMF 25.12.2)."""
    y = sp.spence(x)
    return y, lambda y_bar: -y_bar * log1p_quotient(0, x - 1.0)


@elementwise(
    log1p_quotient, static=["order"], samples=[FixedSample(1), (-0.9, 3.0)], edges=[((1, 0.0), (2.0 / 3.0,))]
)
def derivative_of_log1p_quotient(order, x):
    """Derivative of log(1 + x) / x of an order."""
    y = log1p_quotient(order, x)
    return y, lambda y_bar: y_bar * log1p_quotient(order + 1, x)


@elementwise(sp.poch, samples=[POSITIVE, POSITIVE])
def poch(x, m):
    """Rising factorial, gamma(x + m) / gamma(x) (DLMF 5.2.5); where it is zero the denominator has a pole, as psi has."""
    y = sp.poch(x, m)
    return y, lambda y_bar: (
        np.where(
            (y == 0.0) & (x <= 0.0),
            y_bar * (y * sp.psi(x + m) + sp.gamma(x + m) * rgamma_derivative(1, x)),
            y_bar * y * (sp.psi(x + m) - sp.psi(x)),
        ),
        y_bar * y * sp.psi(x + m),
    )


@elementwise(sp.ellipkm1, samples=[(0.1, 0.9)])
def ellipkm1(p):
    """Complete elliptic integral of the first kind of 1 - p (DLMF 19.4.1)."""
    y = sp.ellipkm1(p)
    return y, lambda y_bar: -y_bar * (sp.ellipe(1.0 - p) - p * y) / (2.0 * p * (1.0 - p))


@elementwise(sp.hyperu, samples=[POSITIVE, POSITIVE, POSITIVE], refused={"a": UNKNOWN, "b": UNKNOWN})
def hyperu(a, b, x):
    """Confluent hypergeometric function of the second kind (DLMF 13.3.22)."""
    y = sp.hyperu(a, b, x)
    return y, lambda y_bar: -y_bar * a * sp.hyperu(a + 1.0, b + 1.0, x)


@elementwise(sp.wrightomega, samples=[WIDE])
def wrightomega(x):
    """Wright's omega function, where y + log(y) = x. The adjoint reads only the result."""
    y = sp.wrightomega(x)
    return y, lambda y_bar: y_bar * y / (1.0 + y)


@elementwise(sp.powm1, samples=[POSITIVE, WIDE])
def powm1(x, y):
    """Power less one."""
    z = sp.powm1(x, y)
    return z, lambda z_bar: (z_bar * y * np.power(x, y - 1.0), z_bar * (z + 1.0) * np.log(x))


@elementwise(sp.boxcox, samples=[POSITIVE, (0.3, 2.0)], edges=[((2.0, 0.0), (0.5, 0.5 * np.log(2.0) ** 2))])
def boxcox(x, p):
    """Transformation of Box and Cox, (x^p - 1) / p, the logarithm for p zero."""
    y = sp.boxcox(x, p)
    return y, lambda y_bar: (
        y_bar * np.power(x, p - 1.0),
        y_bar * np.log(x) ** 2 * exprel_derivative(1, p * np.log(x)),
    )


@elementwise(sp.boxcox1p, samples=[POSITIVE, (0.3, 2.0)], edges=[((1.0, 0.0), (0.5, 0.5 * np.log(2.0) ** 2))])
def boxcox1p(x, p):
    """Transformation of Box and Cox of 1 + x."""
    y = sp.boxcox1p(x, p)
    return y, lambda y_bar: (
        y_bar * np.power(1.0 + x, p - 1.0),
        y_bar * np.log1p(x) ** 2 * exprel_derivative(1, p * np.log1p(x)),
    )


@elementwise(
    sp.inv_boxcox, samples=[(0.2, 1.0), (0.3, 2.0)], edges=[((0.5, 0.0), (np.exp(0.5), -0.125 * np.exp(0.5)))]
)
def inv_boxcox(x, p):
    """Inverse of `boxcox`."""
    y = sp.inv_boxcox(x, p)
    return y, lambda y_bar: (
        y_bar * np.divide(y, 1.0 + p * x),
        y_bar * y * x * x * log1p_quotient(1, p * x),
    )


@elementwise(
    sp.inv_boxcox1p,
    samples=[(0.2, 1.0), (0.3, 2.0)],
    edges=[((0.5, 0.0), (np.exp(0.5), -0.125 * np.exp(0.5)))],
)
def inv_boxcox1p(x, p):
    """Inverse of `boxcox1p`."""
    y = sp.inv_boxcox1p(x, p)
    return y, lambda y_bar: (
        y_bar * np.divide(1.0 + y, 1.0 + p * x),
        y_bar * (1.0 + y) * x * x * log1p_quotient(1, p * x),
    )


@elementwise(sp.sindg, samples=[(-80.0, 80.0)])
def sindg(x):
    """Sine of degrees."""
    y = sp.sindg(x)
    return y, lambda y_bar: y_bar * (np.pi / 180.0) * sp.cosdg(x)


@elementwise(sp.cosdg, samples=[(-80.0, 80.0)])
def cosdg(x):
    """Cosine of degrees."""
    y = sp.cosdg(x)
    return y, lambda y_bar: -y_bar * (np.pi / 180.0) * sp.sindg(x)


@elementwise(sp.tandg, samples=[(-80.0, 80.0)])
def tandg(x):
    """Tangent of degrees. The adjoint reads only the result."""
    y = sp.tandg(x)
    return y, lambda y_bar: y_bar * (np.pi / 180.0) * (1.0 + y * y)


@elementwise(sp.cotdg, samples=[(10.0, 80.0)])
def cotdg(x):
    """Cotangent of degrees. The adjoint reads only the result."""
    y = sp.cotdg(x)
    return y, lambda y_bar: -y_bar * (np.pi / 180.0) * (1.0 + y * y)


@elementwise(sp.radian, samples=[WIDE, WIDE, WIDE])
def radian(d, m, s):
    """Degrees, minutes and seconds as radians."""
    y = sp.radian(d, m, s)
    return y, lambda y_bar: (
        y_bar * (np.pi / 180.0),
        y_bar * (np.pi / 180.0) / 60.0,
        y_bar * (np.pi / 180.0) / 3600.0,
    )


@constant(sp.gammasgn, sp.round, samples=[WIDE], elementwise=True)
def in_steps(x):
    """The sign of the gamma function; the nearest whole number."""


declare_poles([sp.k0e, sp.k1e, sp.ellipkm1, sp.ker, sp.kei, sp.kerp, sp.keip], lambda one: one.is_positive)
declare_poles([sp.tklmbda, sp.besselpoly], lambda *_: False)
declare_poles([sp.lpmv], lambda _m, _v, one: one.low > -1.0 and one.high < 1.0)
declare_poles([sp.wright_bessel, sp.log_wright_bessel, sp.kolmogi, sp.it2struve0], lambda *_: False)
declare_poles([sp.expn, sp.tandg, sp.cotdg, sp.poch, sp.powm1], lambda *_: False)
declare_poles([sp.boxcox, sp.boxcox1p, sp.inv_boxcox, sp.inv_boxcox1p], lambda *_: False)
declare_poles([sp.hyperu, sp.struve, sp.modstruve], lambda *_: False)
declare_poles([sp.spence], lambda one: one.is_positive)
declare_poles([log1p_quotient], lambda _, one: one.low > -1.0)
