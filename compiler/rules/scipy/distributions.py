"""Rules of `scipy.special`: distribution functions of statistics. Their derivatives by the argument are densities."""

import numpy as np
import scipy.special as sp

from backsweep.rules.declare import elementwise
from backsweep.runtime.scipy.densities import beta_density, gamma_density

POSITIVE = (0.6, 4.0)
UNIT = (0.05, 0.95)
UNKNOWN = "no closed form of it is known"
SHAPES = {"m": UNKNOWN, "n": UNKNOWN}


@elementwise(sp.chdtr, samples=[POSITIVE, POSITIVE], refused={"v": UNKNOWN})
def chdtr(v, x):
    """Distribution function of the chi-squared distribution."""
    y = sp.chdtr(v, x)
    return y, lambda y_bar: y_bar * 0.5 * gamma_density(0.5 * v, 0.5 * x)


@elementwise(sp.chdtrc, samples=[POSITIVE, POSITIVE], refused={"v": UNKNOWN})
def chdtrc(v, x):
    """Survival function of the chi-squared distribution."""
    y = sp.chdtrc(v, x)
    return y, lambda y_bar: -y_bar * 0.5 * gamma_density(0.5 * v, 0.5 * x)


@elementwise(sp.gdtr, samples=[POSITIVE, POSITIVE, POSITIVE], refused={"b": UNKNOWN})
def gdtr(a, b, x):
    """Distribution function of the gamma distribution of rate a and shape b."""
    y = sp.gdtr(a, b, x)
    return y, lambda y_bar: (y_bar * x * gamma_density(b, a * x), y_bar * a * gamma_density(b, a * x))


@elementwise(sp.gdtrc, samples=[POSITIVE, POSITIVE, POSITIVE], refused={"b": UNKNOWN})
def gdtrc(a, b, x):
    """Survival function of the gamma distribution of rate a and shape b."""
    y = sp.gdtrc(a, b, x)
    return y, lambda y_bar: (-y_bar * x * gamma_density(b, a * x), -y_bar * a * gamma_density(b, a * x))


@elementwise(sp.gammainccinv, samples=[POSITIVE, UNIT], refused={"a": UNKNOWN})
def gammainccinv(a, p):
    """Inverse of `gammaincc` in its second argument."""
    y = sp.gammainccinv(a, p)
    return y, lambda y_bar: -y_bar / gamma_density(a, y)


@elementwise(sp.fdtr, samples=[POSITIVE, POSITIVE, POSITIVE], refused=SHAPES)
def fdtr(m, n, x):
    """Distribution function of the F distribution with m and n degrees of freedom."""
    y = sp.fdtr(m, n, x)
    return (
        y,
        lambda y_bar: (
            y_bar * beta_density(0.5 * m, 0.5 * n, m * x / (m * x + n)) * m * n / ((m * x + n) * (m * x + n))
        ),
    )


@elementwise(sp.fdtrc, samples=[POSITIVE, POSITIVE, POSITIVE], refused=SHAPES)
def fdtrc(m, n, x):
    """Survival function of the F distribution with m and n degrees of freedom."""
    y = sp.fdtrc(m, n, x)
    return (
        y,
        lambda y_bar: (
            -y_bar * beta_density(0.5 * m, 0.5 * n, m * x / (m * x + n)) * m * n / ((m * x + n) * (m * x + n))
        ),
    )


@elementwise(sp.stdtr, samples=[POSITIVE, (-3.0, 3.0)], refused={"n": UNKNOWN})
def stdtr(n, t):
    """Distribution function of Student's t distribution with n degrees of freedom."""
    y = sp.stdtr(n, t)
    return (
        y,
        lambda y_bar: (
            y_bar
            * np.exp(sp.gammaln(0.5 * n + 0.5) - sp.gammaln(0.5 * n) - (0.5 * n + 0.5) * np.log1p(t * t / n))
            / np.sqrt(np.pi * n)
        ),
    )


@elementwise(sp.owens_t, samples=[(-2.0, 2.0), (-2.0, 2.0)])
def owens_t(h, a):
    """Owen's function: the probability that X > h and 0 < Y < aX of two normal numbers."""
    y = sp.owens_t(h, a)
    return y, lambda y_bar: (
        -y_bar * np.exp(-0.5 * h * h) * sp.erf(a * h * 0.7071067811865476) * 0.19947114020071635,
        y_bar * np.exp(-0.5 * h * h * (1.0 + a * a)) / (2.0 * np.pi * (1.0 + a * a)),
    )
