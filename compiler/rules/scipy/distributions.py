"""Rules of `scipy.special`: distribution functions and their densities."""

import numpy as np
import scipy.special as sp

from backsweep.rules.declare import FixedSample, elementwise
from backsweep.rules.limits import declare_poles
from backsweep.runtime.scipy.densities import (
    beta_density,
    gamma_density,
    log_skewed,
    noncentral_density,
    noncentral_ratio_sum,
    student_density,
)
from backsweep.runtime.special_functions.incomplete_beta import betainc_by_a, betainc_by_b, student_by_freedom
from backsweep.runtime.special_functions.incomplete_gamma import (
    gammainc_by_shape,
    noncentral_by_freedom,
    noncentral_by_freedom_twice,
)
from backsweep.runtime.special_functions.modified_bessel import noncentral_density_by_freedom

WIDE = (-3.0, 3.0)
POSITIVE = (0.4, 6.0)
UNIT = (0.05, 0.95)
ORDERS = FixedSample(3.0)
UNKNOWN = "no closed form of it is known"
BY_FREEDOM = {"m": UNKNOWN, "n": UNKNOWN}
TWICE_HERE = "second derivatives are not known here"
TWICE = {"df": "derivatives by degrees of freedom are known up to the second order"}


@elementwise(sp.stdtr, samples=[POSITIVE, WIDE])
def stdtr(df, t):
    """Distribution function of Student's distribution. The adjoint is its density."""
    y = sp.stdtr(df, t)
    return y, lambda y_bar: (y_bar * student_by_freedom(df, t), y_bar * student_density(df, t))


@elementwise(sp.stdtrit, samples=[POSITIVE, UNIT])
def stdtrit(df, p):
    """Inverse of `stdtr` in its second argument."""
    y = sp.stdtrit(df, p)
    return y, lambda y_bar: (
        -y_bar * np.divide(student_by_freedom(df, y), student_density(df, y)),
        np.divide(y_bar, student_density(df, y)),
    )


@elementwise(student_density, samples=[POSITIVE, WIDE])
def density_of_student(df, t):
    """Density of Student's distribution, which is proportional to (1 + t^2 / df)^(-(df + 1) / 2)."""
    y = student_density(df, t)
    return y, lambda y_bar: (
        y_bar
        * 0.5
        * y
        * (
            sp.psi(0.5 * df + 0.5)
            - sp.psi(0.5 * df)
            - 1.0 / df
            - np.log1p(t * t / df)
            + (df + 1.0) * t * t / (df * (df + t * t))
        ),
        -y_bar * y * (1.0 + 1.0 / df) * t / (1.0 + t * t / df),
    )


@elementwise(sp.chndtr, samples=[POSITIVE, POSITIVE, POSITIVE])
def chndtr(x, df, nc):
    """Distribution function of the noncentral chi-squared distribution, a sum of central ones with the weights of Poisson's."""
    y = sp.chndtr(x, df, nc)
    return y, lambda y_bar: (
        y_bar * noncentral_density(x, df, nc),
        y_bar * noncentral_by_freedom(x, df, nc),
        -y_bar * noncentral_density(x, df + 2.0, nc),
    )


@elementwise(sp.chndtrix, samples=[UNIT, POSITIVE, POSITIVE])
def chndtrix(p, df, nc):
    """Inverse of `chndtr` in its first argument."""
    y = sp.chndtrix(p, df, nc)
    return y, lambda y_bar: (
        y_bar / noncentral_density(y, df, nc),
        -y_bar * noncentral_by_freedom(y, df, nc) / noncentral_density(y, df, nc),
        y_bar * noncentral_density(y, df + 2.0, nc) / noncentral_density(y, df, nc),
    )


@elementwise(noncentral_by_freedom, samples=[POSITIVE, POSITIVE, POSITIVE])
def slope_of_chndtr(x, df, nc):
    """Derivative of `chndtr` by its number of degrees of freedom."""
    y = noncentral_by_freedom(x, df, nc)
    return y, lambda y_bar: (
        y_bar * noncentral_density_by_freedom(1, x, df, nc),
        y_bar * noncentral_by_freedom_twice(x, df, nc),
        0.5 * y_bar * (noncentral_by_freedom(x, df + 2.0, nc) - y),
    )


@elementwise(noncentral_by_freedom_twice, samples=[POSITIVE, POSITIVE, POSITIVE], refused=TWICE)
def curvature_of_chndtr(x, df, nc):
    """Second derivative of `chndtr` by its number of degrees of freedom."""
    y = noncentral_by_freedom_twice(x, df, nc)
    return y, lambda y_bar: (
        y_bar * noncentral_density_by_freedom(2, x, df, nc),
        0.5 * y_bar * (noncentral_by_freedom_twice(x, df + 2.0, nc) - y),
    )


@elementwise(noncentral_density, samples=[POSITIVE, POSITIVE, POSITIVE])
def density_of_noncentral(x, df, nc):
    """Density of the noncentral chi-squared distribution, a sum of central ones with the weights of Poisson's."""
    y = noncentral_density(x, df, nc)
    return y, lambda y_bar: (
        y_bar * 0.5 * (noncentral_density(x, df - 2.0, nc) - y),
        y_bar * noncentral_density_by_freedom(1, x, df, nc),
        y_bar * 0.5 * (noncentral_density(x, df + 2.0, nc) - y),
    )


@elementwise(
    noncentral_density_by_freedom, static=["order"], samples=[FixedSample(1), POSITIVE, POSITIVE, POSITIVE]
)
def slope_of_noncentral(order, x, df, nc):
    """Derivative of `noncentral_density` by the degrees of freedom, of an order; that by x is of DLMF 10.29.1."""
    y = noncentral_density_by_freedom(order, x, df, nc)
    return y, lambda y_bar: (
        y_bar
        * 0.5
        * (
            nc / x * noncentral_density_by_freedom(order, x, df + 2.0, nc)
            + order / x * noncentral_density_by_freedom(order - 1, x, df, nc)
            + ((df - 2.0) / x - 1.0) * y
        ),
        y_bar * noncentral_density_by_freedom(order + 1, x, df, nc),
        y_bar * 0.5 * (noncentral_density_by_freedom(order, x, df + 2.0, nc) - y),
    )


@elementwise(log_skewed, samples=[WIDE, WIDE])
def logarithm_of_skewed(x, a):
    """Logarithm of the distribution function of the skewed normal distribution, whose density is 2 phi(x) Phi(a x)."""
    y = log_skewed(x, a)
    return y, lambda y_bar: (
        y_bar * 0.7978845608028654 * np.exp(sp.log_ndtr(a * x) - 0.5 * x * x - y),
        -y_bar * 0.3183098861837907 * np.exp(-0.5 * x * x * (1.0 + a * a) - y) / (1.0 + a * a),
    )


@elementwise(sp.owens_t, samples=[WIDE, WIDE])
def owens_t(h, a):
    """Owen's function: the integral of exp(-h^2 (1 + t^2) / 2) / (1 + t^2) over t from 0 to a, by 2 pi."""
    y = sp.owens_t(h, a)
    return y, lambda y_bar: (
        -y_bar * 0.19947114020071635 * np.exp(-0.5 * h * h) * sp.erf(0.7071067811865476 * a * h),
        y_bar * 0.15915494309189535 * np.exp(-0.5 * h * h * (1.0 + a * a)) / (1.0 + a * a),
    )


@elementwise(sp.chdtr, samples=[POSITIVE, POSITIVE])
def chdtr(v, x):
    """Distribution function of the chi-squared distribution."""
    y = sp.chdtr(v, x)
    return y, lambda y_bar: (
        y_bar * 0.5 * gammainc_by_shape(0.5 * v, 0.5 * x),
        y_bar * 0.5 * gamma_density(0.5 * v, 0.5 * x),
    )


@elementwise(sp.chdtrc, samples=[POSITIVE, POSITIVE])
def chdtrc(v, x):
    """Survival function of the chi-squared distribution."""
    y = sp.chdtrc(v, x)
    return y, lambda y_bar: (
        -y_bar * 0.5 * gammainc_by_shape(0.5 * v, 0.5 * x),
        -y_bar * 0.5 * gamma_density(0.5 * v, 0.5 * x),
    )


@elementwise(sp.gdtr, samples=[POSITIVE, POSITIVE, POSITIVE])
def gdtr(a, b, x):
    """Distribution function of the gamma distribution of rate a and shape b."""
    y = sp.gdtr(a, b, x)
    return y, lambda y_bar: (
        y_bar * x * gamma_density(b, a * x),
        y_bar * gammainc_by_shape(b, a * x),
        y_bar * a * gamma_density(b, a * x),
    )


@elementwise(sp.gdtrc, samples=[POSITIVE, POSITIVE, POSITIVE])
def gdtrc(a, b, x):
    """Survival function of the gamma distribution of rate a and shape b."""
    y = sp.gdtrc(a, b, x)
    return y, lambda y_bar: (
        -y_bar * x * gamma_density(b, a * x),
        -y_bar * gammainc_by_shape(b, a * x),
        -y_bar * a * gamma_density(b, a * x),
    )


@elementwise(sp.gammainccinv, samples=[POSITIVE, UNIT])
def gammainccinv(a, p):
    """Inverse of `gammaincc` in its second argument."""
    y = sp.gammainccinv(a, p)
    return y, lambda y_bar: (
        -y_bar * np.divide(gammainc_by_shape(a, y), gamma_density(a, y)),
        np.divide(-y_bar, gamma_density(a, y)),
    )


@elementwise(sp.fdtr, samples=[POSITIVE, POSITIVE, POSITIVE])
def fdtr(m, n, x):
    """Distribution function of the F distribution with m and n degrees of freedom."""
    y = sp.fdtr(m, n, x)
    return y, lambda y_bar: (
        y_bar
        * (
            0.5 * betainc_by_a(0.5 * m, 0.5 * n, m * x / (m * x + n))
            + beta_density(0.5 * m, 0.5 * n, m * x / (m * x + n)) * n * x / ((m * x + n) * (m * x + n))
        ),
        y_bar
        * (
            0.5 * betainc_by_b(0.5 * m, 0.5 * n, m * x / (m * x + n))
            - beta_density(0.5 * m, 0.5 * n, m * x / (m * x + n)) * m * x / ((m * x + n) * (m * x + n))
        ),
        y_bar * beta_density(0.5 * m, 0.5 * n, m * x / (m * x + n)) * m * n / ((m * x + n) * (m * x + n)),
    )


@elementwise(sp.fdtrc, samples=[POSITIVE, POSITIVE, POSITIVE])
def fdtrc(m, n, x):
    """Survival function of the F distribution with m and n degrees of freedom."""
    y = sp.fdtrc(m, n, x)
    return y, lambda y_bar: (
        -y_bar
        * (
            0.5 * betainc_by_a(0.5 * m, 0.5 * n, m * x / (m * x + n))
            + beta_density(0.5 * m, 0.5 * n, m * x / (m * x + n)) * n * x / ((m * x + n) * (m * x + n))
        ),
        -y_bar
        * (
            0.5 * betainc_by_b(0.5 * m, 0.5 * n, m * x / (m * x + n))
            - beta_density(0.5 * m, 0.5 * n, m * x / (m * x + n)) * m * x / ((m * x + n) * (m * x + n))
        ),
        -y_bar * beta_density(0.5 * m, 0.5 * n, m * x / (m * x + n)) * m * n / ((m * x + n) * (m * x + n)),
    )


@elementwise(sp.ncfdtr, samples=[ORDERS, ORDERS, POSITIVE, POSITIVE], refused=BY_FREEDOM)
def ncfdtr(m, n, nc, f):
    """Distribution function of a noncentral ratio of variances. The adjoint by `f` is its density."""
    y = sp.ncfdtr(m, n, nc, f)
    return y, lambda y_bar: (
        -0.5 * y_bar * noncentral_ratio_sum(1, m, n, nc, f),
        y_bar * np.divide(noncentral_ratio_sum(0, m, n, nc, f), f),
    )


@elementwise(sp.ncfdtri, samples=[ORDERS, ORDERS, POSITIVE, UNIT], refused=BY_FREEDOM)
def ncfdtri(m, n, nc, p):
    """Inverse of `ncfdtr` in `f`."""
    y = sp.ncfdtri(m, n, nc, p)
    return y, lambda y_bar: (
        0.5
        * y_bar
        * np.divide(y * noncentral_ratio_sum(1, m, n, nc, y), noncentral_ratio_sum(0, m, n, nc, y)),
        y_bar * np.divide(y, noncentral_ratio_sum(0, m, n, nc, y)),
    )


@elementwise(
    sp.ncfdtrinc,
    samples=[ORDERS, ORDERS, UNIT, POSITIVE],
    refused=dict.fromkeys(["m", "n", "p", "f"], "SciPy's values of it have four digits"),
)
def ncfdtrinc(m, n, p, f):
    """Inverse of `ncfdtr` in `nc`."""
    y = sp.ncfdtrinc(m, n, p, f)
    return y, lambda y_bar: ()


@elementwise(
    noncentral_ratio_sum,
    static=["power"],
    samples=[FixedSample(0), ORDERS, ORDERS, POSITIVE, POSITIVE],
    refused=BY_FREEDOM | {"nc": TWICE_HERE, "f": TWICE_HERE},
)
def sum_of_noncentral_ratio(power, m, n, nc, f):
    """What the derivatives of `ncfdtr` are made of."""
    y = noncentral_ratio_sum(power, m, n, nc, f)
    return y, lambda y_bar: ()


@elementwise(
    sp.ncfdtridfn,
    samples=[UNIT, ORDERS, POSITIVE, POSITIVE],
    refused=dict.fromkeys(["p", "n", "nc", "f"], UNKNOWN),
)
def ncfdtridfn(p, n, nc, f):
    """Inverse of `ncfdtr` in the first number of degrees of freedom."""
    y = sp.ncfdtridfn(p, n, nc, f)
    return y, lambda y_bar: ()


@elementwise(
    sp.ncfdtridfd,
    samples=[ORDERS, UNIT, POSITIVE, POSITIVE],
    refused=dict.fromkeys(["m", "p", "nc", "f"], UNKNOWN),
)
def ncfdtridfd(m, p, nc, f):
    """Inverse of `ncfdtr` in the second number of degrees of freedom."""
    y = sp.ncfdtridfd(m, p, nc, f)
    return y, lambda y_bar: ()


@elementwise(
    sp.nctdtr, samples=[ORDERS, POSITIVE, POSITIVE], refused=dict.fromkeys(["df", "nc", "t"], UNKNOWN)
)
def nctdtr(df, nc, t):
    """Distribution function of Student's noncentral distribution."""
    y = sp.nctdtr(df, nc, t)
    return y, lambda y_bar: ()


@elementwise(sp.nctdtrit, samples=[ORDERS, POSITIVE, UNIT], refused=dict.fromkeys(["df", "nc", "p"], UNKNOWN))
def nctdtrit(df, nc, p):
    """Inverse of `nctdtr` in `t`."""
    y = sp.nctdtrit(df, nc, p)
    return y, lambda y_bar: ()


@elementwise(
    sp.nctdtridf, samples=[UNIT, POSITIVE, POSITIVE], refused=dict.fromkeys(["p", "nc", "t"], UNKNOWN)
)
def nctdtridf(p, nc, t):
    """Inverse of `nctdtr` in the degrees of freedom."""
    y = sp.nctdtridf(p, nc, t)
    return y, lambda y_bar: ()


@elementwise(sp.nctdtrinc, samples=[ORDERS, UNIT, POSITIVE], refused=dict.fromkeys(["df", "p", "t"], UNKNOWN))
def nctdtrinc(df, p, t):
    """Inverse of `nctdtr` in the noncentrality."""
    y = sp.nctdtrinc(df, p, t)
    return y, lambda y_bar: ()


declare_poles([sp.stdtrit], lambda _, one: one.low > 0.0 and one.high < 1.0)
declare_poles([sp.chndtr, sp.chndtrix, noncentral_density, noncentral_by_freedom], lambda *_: False)
declare_poles([sp.ncfdtr, sp.ncfdtri, sp.ncfdtrinc, noncentral_ratio_sum], lambda *_: False)
declare_poles([noncentral_by_freedom_twice, noncentral_density_by_freedom], lambda *_: False)
declare_poles(
    [sp.stdtr, sp.chdtr, sp.chdtrc, sp.gdtr, sp.gdtrc, sp.fdtr, sp.fdtrc, student_density], lambda *_: False
)
