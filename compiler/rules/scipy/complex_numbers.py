"""Rules of `scipy.special` for complex numbers: which of those for real numbers hold for them, Bessel functions and their kin.

The formulas are those of the Digital Library of Mathematical Functions (DLMF), chapters 5, 7, 10, 13, 15, 16, 19 and 25.
"""

import numpy as np
import scipy.special as sp

from backsweep.rules.declare import HOLOMORPHIC, FixedSample, elementwise
from backsweep.rules.limits import declare_poles
from backsweep.runtime.special_functions.carlson import complex_carlson_integral
from backsweep.runtime.special_functions.voigt import complex_erfcx_derivative
from backsweep.runtime.special_functions.zeta import complex_polygamma

ANY = (-2.0, 2.0)
POSITIVE = (0.4, 4.0)
ORDER = FixedSample(1.5)
REFUSED = "by this argument the derivative of complex numbers is not known here"
BY_ORDER = {"v": REFUSED}

HOLOMORPHIC.update(
    [
        *(sp.erf, sp.erfc, sp.erfi, sp.dawsn, sp.ndtr, sp.log_ndtr, sp.expm1, sp.log1p, sp.xlogy, sp.xlog1py),
        *(sp.exp1, sp.expi, sp.gamma, sp.wrightomega, sp.elliprf),
        *(sp.hankel1, sp.hankel2, sp.hankel1e, sp.hankel2e),
    ]
)


@elementwise(sp.hankel1, samples=[ORDER, POSITIVE], refused=BY_ORDER)
def hankel1(v, z):
    """Hankel function of the first kind (DLMF 10.6.1)."""
    y = sp.hankel1(v, z)
    return y, lambda y_bar: y_bar * 0.5 * (sp.hankel1(v - 1.0, z) - sp.hankel1(v + 1.0, z))


@elementwise(sp.hankel2, samples=[ORDER, POSITIVE], refused=BY_ORDER)
def hankel2(v, z):
    """Hankel function of the second kind (DLMF 10.6.1)."""
    y = sp.hankel2(v, z)
    return y, lambda y_bar: y_bar * 0.5 * (sp.hankel2(v - 1.0, z) - sp.hankel2(v + 1.0, z))


@elementwise(sp.hankel1e, samples=[ORDER, POSITIVE], refused=BY_ORDER)
def hankel1e(v, z):
    """`hankel1` times exp(-iz) (DLMF 10.6.1)."""
    y = sp.hankel1e(v, z)
    return y, lambda y_bar: y_bar * (0.5 * (sp.hankel1e(v - 1.0, z) - sp.hankel1e(v + 1.0, z)) - 1.0j * y)


@elementwise(sp.hankel2e, samples=[ORDER, POSITIVE], refused=BY_ORDER)
def hankel2e(v, z):
    """`hankel2` times exp(iz) (DLMF 10.6.1)."""
    y = sp.hankel2e(v, z)
    return y, lambda y_bar: y_bar * (0.5 * (sp.hankel2e(v - 1.0, z) - sp.hankel2e(v + 1.0, z)) + 1.0j * y)


@elementwise(sp.jv, samples=[ORDER, ANY], refused=BY_ORDER, of_complex=True)
def jv_of_complex(v, z):
    """Bessel function of the first kind (DLMF 10.6.1)."""
    y = sp.jv(v, z)
    return y, lambda y_bar: y_bar * 0.5 * (sp.jv(v - 1.0, z) - sp.jv(v + 1.0, z))


@elementwise(sp.yv, samples=[ORDER, POSITIVE], refused=BY_ORDER, of_complex=True)
def yv_of_complex(v, z):
    """Bessel function of the second kind (DLMF 10.6.1)."""
    y = sp.yv(v, z)
    return y, lambda y_bar: y_bar * 0.5 * (sp.yv(v - 1.0, z) - sp.yv(v + 1.0, z))


@elementwise(sp.iv, samples=[ORDER, ANY], refused=BY_ORDER, of_complex=True)
def iv_of_complex(v, z):
    """Modified Bessel function of the first kind (DLMF 10.29.1)."""
    y = sp.iv(v, z)
    return y, lambda y_bar: y_bar * 0.5 * (sp.iv(v - 1.0, z) + sp.iv(v + 1.0, z))


@elementwise(sp.kv, samples=[ORDER, POSITIVE], refused=BY_ORDER, of_complex=True)
def kv_of_complex(v, z):
    """Modified Bessel function of the second kind (DLMF 10.29.1)."""
    y = sp.kv(v, z)
    return y, lambda y_bar: -y_bar * 0.5 * (sp.kv(v - 1.0, z) + sp.kv(v + 1.0, z))


@elementwise(sp.kve, samples=[ORDER, POSITIVE], refused=BY_ORDER, of_complex=True)
def kve_of_complex(v, z):
    """`kv` times exp(z) (DLMF 10.29.1)."""
    y = sp.kve(v, z)
    return y, lambda y_bar: y_bar * (y - 0.5 * (sp.kve(v - 1.0, z) + sp.kve(v + 1.0, z)))


@elementwise(sp.jve, samples=[ORDER, ANY], refused=BY_ORDER, of_complex=True)
def jve_of_complex(v, z):
    """`jv` times exp(-|Im z|), which is not holomorphic (DLMF 10.6.1)."""
    y = sp.jve(v, z)
    return (
        y,
        lambda y_bar: (
            y_bar * 0.5 * (sp.jve(v - 1.0, z) - sp.jve(v + 1.0, z))
            + 1.0j * np.sign(np.imag(z)) * np.real(y_bar * y)
        ),
        lambda z_dot: (
            z_dot * 0.5 * (sp.jve(v - 1.0, z) - sp.jve(v + 1.0, z)) - np.sign(np.imag(z)) * np.imag(z_dot) * y
        ),
    )


@elementwise(sp.yve, samples=[ORDER, POSITIVE], refused=BY_ORDER, of_complex=True)
def yve_of_complex(v, z):
    """`yv` times exp(-|Im z|), which is not holomorphic (DLMF 10.6.1)."""
    y = sp.yve(v, z)
    return (
        y,
        lambda y_bar: (
            y_bar * 0.5 * (sp.yve(v - 1.0, z) - sp.yve(v + 1.0, z))
            + 1.0j * np.sign(np.imag(z)) * np.real(y_bar * y)
        ),
        lambda z_dot: (
            z_dot * 0.5 * (sp.yve(v - 1.0, z) - sp.yve(v + 1.0, z)) - np.sign(np.imag(z)) * np.imag(z_dot) * y
        ),
    )


@elementwise(sp.ive, samples=[ORDER, ANY], refused=BY_ORDER, of_complex=True)
def ive_of_complex(v, z):
    """`iv` times exp(-|Re z|), which is not holomorphic (DLMF 10.29.1)."""
    y = sp.ive(v, z)
    return (
        y,
        lambda y_bar: (
            y_bar * 0.5 * (sp.ive(v - 1.0, z) + sp.ive(v + 1.0, z)) - np.sign(np.real(z)) * np.real(y_bar * y)
        ),
        lambda z_dot: (
            z_dot * 0.5 * (sp.ive(v - 1.0, z) + sp.ive(v + 1.0, z)) - np.sign(np.real(z)) * np.real(z_dot) * y
        ),
    )


@elementwise(sp.hyp0f1, samples=[ORDER, ANY], refused=BY_ORDER, of_complex=True)
def hyp0f1_of_complex(v, z):
    """Confluent hypergeometric limit function (DLMF 16.3.1)."""
    y = sp.hyp0f1(v, z)
    return y, lambda y_bar: y_bar * sp.hyp0f1(v + 1.0, z) / v


@elementwise(sp.hyp1f1, samples=[ORDER, ORDER, ANY], refused={"a": REFUSED, "b": REFUSED}, of_complex=True)
def hyp1f1_of_complex(a, b, z):
    """Kummer's confluent hypergeometric function (DLMF 13.3.15)."""
    y = sp.hyp1f1(a, b, z)
    return y, lambda y_bar: y_bar * a / b * sp.hyp1f1(a + 1.0, b + 1.0, z)


@elementwise(
    sp.hyp2f1,
    samples=[ORDER, ORDER, ORDER, (-0.5, 0.5)],
    refused={"a": REFUSED, "b": REFUSED, "c": REFUSED},
    of_complex=True,
)
def hyp2f1_of_complex(a, b, c, z):
    """Gauss' hypergeometric function (DLMF 15.5.1)."""
    y = sp.hyp2f1(a, b, c, z)
    return y, lambda y_bar: y_bar * a * b / c * sp.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)


@elementwise(sp.psi, samples=[POSITIVE], of_complex=True)
def psi_of_complex(z):
    """Digamma function."""
    y = sp.psi(z)
    return y, lambda y_bar: y_bar * complex_polygamma(1, z)


@elementwise(complex_polygamma, static=["order"], samples=[FixedSample(2), POSITIVE], of_complex=True)
def derivative_of_complex_psi(order, z):
    """Derivative of the digamma function of an order."""
    y = complex_polygamma(order, z)
    return y, lambda y_bar: y_bar * complex_polygamma(order + 1, z)


@elementwise(sp.loggamma, samples=[POSITIVE], of_complex=True)
def loggamma_of_complex(z):
    """Principal branch of the logarithm of the gamma function (DLMF 5.2.2)."""
    y = sp.loggamma(z)
    return y, lambda y_bar: y_bar * sp.psi(z)


@elementwise(sp.rgamma, samples=[POSITIVE], of_complex=True)
def rgamma_of_complex(z):
    """Reciprocal of the gamma function; where that is zero by reflection (DLMF 5.2.2, 5.5.3)."""
    y = sp.rgamma(z)
    return y, lambda y_bar: y_bar * np.where(y == 0.0, np.cos(np.pi * z) * sp.gamma(1.0 - z), -y * sp.psi(z))


@elementwise(sp.spence, samples=[POSITIVE], of_complex=True)
def spence_of_complex(z):
    """Dilogarithm of 1 - z (DLMF 25.12.2)."""
    y = sp.spence(z)
    return y, lambda y_bar: -y_bar * np.where(z == 1.0, 1.0, np.log(z) / (z - 1.0 + (z == 1.0)))


@elementwise(sp.erfcx, samples=[ANY], of_complex=True)
def erfcx_of_complex(z):
    """Scaled complementary error function, exp(z^2) erfc(z) (DLMF 7.18.4)."""
    y = sp.erfcx(z)
    return y, lambda y_bar: y_bar * complex_erfcx_derivative(1, z)


@elementwise(complex_erfcx_derivative, static=["order"], samples=[FixedSample(2), ANY], of_complex=True)
def derivative_of_complex_erfcx(order, z):
    """Derivative of `erfcx` of an order."""
    y = complex_erfcx_derivative(order, z)
    return y, lambda y_bar: y_bar * complex_erfcx_derivative(order + 1, z)


@elementwise(sp.elliprd, samples=[POSITIVE, POSITIVE, POSITIVE], of_complex=True)
def elliprd_of_complex(x, y, z):
    """Carlson's integral of the second kind (DLMF 19.16.5)."""
    r = sp.elliprd(x, y, z)
    return r, lambda r_bar: (
        -0.75 * r_bar * complex_carlson_integral(30103, x, y, z, 1.0),
        -0.75 * r_bar * complex_carlson_integral(30301, x, y, z, 1.0),
        -2.25 * r_bar * complex_carlson_integral(50101, x, y, z, 1.0),
    )


@elementwise(sp.elliprg, samples=[POSITIVE, POSITIVE, POSITIVE], of_complex=True)
def elliprg_of_complex(x, y, z):
    """Carlson's completely symmetric integral of the second kind (DLMF 19.16.3, 19.18.3)."""
    r = sp.elliprg(x, y, z)
    return r, lambda r_bar: (
        0.125 * r_bar * complex_carlson_integral(100010103, x, y, z, 1.0),
        0.125 * r_bar * complex_carlson_integral(100010301, x, y, z, 1.0),
        0.125 * r_bar * complex_carlson_integral(100030101, x, y, z, 1.0),
    )


@elementwise(sp.elliprj, samples=[POSITIVE, POSITIVE, POSITIVE, POSITIVE], of_complex=True)
def elliprj_of_complex(x, y, z, p):
    """Carlson's integral of the third kind (DLMF 19.16.2); nan on the branch cuts."""
    r = sp.elliprj(x, y, z, p)
    return r, lambda r_bar: (
        -0.75 * r_bar * complex_carlson_integral(2010103, x, y, z, p),
        -0.75 * r_bar * complex_carlson_integral(2010301, x, y, z, p),
        -0.75 * r_bar * complex_carlson_integral(2030101, x, y, z, p),
        -1.5 * r_bar * complex_carlson_integral(4010101, x, y, z, p),
    )


@elementwise(sp.elliprc, samples=[POSITIVE, POSITIVE], of_complex=True)
def elliprc_of_complex(x, y):
    """Carlson's degenerate integral (DLMF 19.16.6); nan on the branch cuts."""
    r = sp.elliprc(x, y)
    return r, lambda r_bar: (
        -0.25 * r_bar * complex_carlson_integral(203, x, y, 1.0, 1.0),
        -0.5 * r_bar * complex_carlson_integral(401, x, y, 1.0, 1.0),
    )


@elementwise(
    complex_carlson_integral,
    static=["powers"],
    samples=[FixedSample(1030301), POSITIVE, POSITIVE, POSITIVE, POSITIVE],
    of_complex=True,
)
def complex_integral_of_powers(powers, x, y, z, p):
    """`carlson_integral` of complex numbers."""
    r = complex_carlson_integral(powers, x, y, z, p)
    return r, lambda r_bar: (
        -0.5 * (powers % 100) * r_bar * complex_carlson_integral(powers + 2, x, y, z, p),
        -0.5 * (powers // 100 % 100) * r_bar * complex_carlson_integral(powers + 200, x, y, z, p),
        -0.5 * (powers // 10_000 % 100) * r_bar * complex_carlson_integral(powers + 20_000, x, y, z, p),
        -0.5 * (powers // 1_000_000 % 100) * r_bar * complex_carlson_integral(powers + 2_000_000, x, y, z, p),
    )


declare_poles([sp.hankel1, sp.hankel2, sp.hankel1e, sp.hankel2e], lambda *_: False)
declare_poles([complex_polygamma, complex_erfcx_derivative, complex_carlson_integral], lambda *_: False)
