"""Rules of the derivatives of incomplete gamma and beta functions with respect to their shapes, and of inverses and Poisson's distribution.

Derivatives of an order above two with respect to shapes are not known here.
"""

import numpy as np
import scipy.special as sp

from backsweep.rules.declare import FixedSample, elementwise
from backsweep.rules.limits import declare_poles
from backsweep.runtime.scipy.densities import beta_density, gamma_density, student_density
from backsweep.runtime.special_functions.incomplete_beta import (
    betainc_by_a,
    betainc_by_a_twice,
    betainc_by_b,
    betainc_by_b_twice,
    betainc_by_both,
    student_by_freedom,
    student_by_freedom_twice,
)
from backsweep.runtime.special_functions.incomplete_gamma import gammainc_by_shape, gammainc_by_shape_twice

POSITIVE = (0.4, 6.0)
UNIT = (0.05, 0.95)
WIDE = (-3.0, 3.0)
TWICE = "derivatives by shapes are known up to the second order"
WHOLE = "it is a whole number, or counts as the one below it"


@elementwise(gammainc_by_shape, samples=[POSITIVE, POSITIVE])
def slope_of_gammainc(a, x):
    """Derivative of `gammainc` by its shape (DLMF 8.8.13)."""
    y = gammainc_by_shape(a, x)
    return y, lambda y_bar: (
        y_bar * gammainc_by_shape_twice(a, x),
        y_bar * gamma_density(a, x) * (np.log(x) - sp.psi(a)),
    )


@elementwise(gammainc_by_shape_twice, samples=[POSITIVE, POSITIVE], refused={"a": TWICE})
def curvature_of_gammainc(a, x):
    """Second derivative of `gammainc` by its shape (DLMF 8.8.13)."""
    y = gammainc_by_shape_twice(a, x)
    return y, lambda y_bar: y_bar * gamma_density(a, x) * ((np.log(x) - sp.psi(a)) ** 2 - sp.zeta(2.0, a))


@elementwise(betainc_by_a, samples=[POSITIVE, POSITIVE, UNIT])
def slope_of_betainc_by_a(a, b, x):
    """Derivative of `betainc` by `a` (DLMF 8.17.1)."""
    y = betainc_by_a(a, b, x)
    return y, lambda y_bar: (
        y_bar * betainc_by_a_twice(a, b, x),
        y_bar * betainc_by_both(a, b, x),
        y_bar * beta_density(a, b, x) * (np.log(x) - sp.psi(a) + sp.psi(a + b)),
    )


@elementwise(betainc_by_b, samples=[POSITIVE, POSITIVE, UNIT])
def slope_of_betainc_by_b(a, b, x):
    """Derivative of `betainc` by `b` (DLMF 8.17.1)."""
    y = betainc_by_b(a, b, x)
    return y, lambda y_bar: (
        y_bar * betainc_by_both(a, b, x),
        y_bar * betainc_by_b_twice(a, b, x),
        y_bar * beta_density(a, b, x) * (np.log1p(-x) - sp.psi(b) + sp.psi(a + b)),
    )


@elementwise(betainc_by_a_twice, samples=[POSITIVE, POSITIVE, UNIT], refused={"a": TWICE, "b": TWICE})
def curvature_of_betainc_by_a(a, b, x):
    """Second derivative of `betainc` by `a` (DLMF 8.17.1)."""
    y = betainc_by_a_twice(a, b, x)
    return (
        y,
        lambda y_bar: (
            y_bar
            * beta_density(a, b, x)
            * ((np.log(x) - sp.psi(a) + sp.psi(a + b)) ** 2 - sp.zeta(2.0, a) + sp.zeta(2.0, a + b))
        ),
    )


@elementwise(betainc_by_b_twice, samples=[POSITIVE, POSITIVE, UNIT], refused={"a": TWICE, "b": TWICE})
def curvature_of_betainc_by_b(a, b, x):
    """Second derivative of `betainc` by `b` (DLMF 8.17.1)."""
    y = betainc_by_b_twice(a, b, x)
    return (
        y,
        lambda y_bar: (
            y_bar
            * beta_density(a, b, x)
            * ((np.log1p(-x) - sp.psi(b) + sp.psi(a + b)) ** 2 - sp.zeta(2.0, b) + sp.zeta(2.0, a + b))
        ),
    )


@elementwise(betainc_by_both, samples=[POSITIVE, POSITIVE, UNIT], refused={"a": TWICE, "b": TWICE})
def curvature_of_betainc_by_both(a, b, x):
    """Derivative of `betainc` by `a` and `b` (DLMF 8.17.1)."""
    y = betainc_by_both(a, b, x)
    return (
        y,
        lambda y_bar: (
            y_bar
            * beta_density(a, b, x)
            * (
                (np.log(x) - sp.psi(a) + sp.psi(a + b)) * (np.log1p(-x) - sp.psi(b) + sp.psi(a + b))
                + sp.zeta(2.0, a + b)
            )
        ),
    )


@elementwise(student_by_freedom, samples=[POSITIVE, WIDE])
def slope_of_student(df, t):
    """Derivative of `stdtr` by its number of degrees of freedom."""
    y = student_by_freedom(df, t)
    return (
        y,
        lambda y_bar: (
            y_bar * student_by_freedom_twice(df, t),
            y_bar
            * 0.5
            * student_density(df, t)
            * (
                sp.psi(0.5 * df + 0.5)
                - sp.psi(0.5 * df)
                - 1.0 / df
                - np.log1p(t * t / df)
                + (df + 1.0) * t * t / (df * (df + t * t))
            ),
        ),
    )


@elementwise(student_by_freedom_twice, samples=[POSITIVE, WIDE], refused={"df": TWICE})
def curvature_of_student(df, t):
    """Second derivative of `stdtr` by its number of degrees of freedom; the logarithm of the density is differentiated twice."""
    y = student_by_freedom_twice(df, t)
    return (
        y,
        lambda y_bar: (
            y_bar
            * student_density(df, t)
            * (
                0.25
                * (
                    sp.psi(0.5 * df + 0.5)
                    - sp.psi(0.5 * df)
                    - 1.0 / df
                    - np.log1p(t * t / df)
                    + (df + 1.0) * t * t / (df * (df + t * t))
                )
                ** 2
                + 0.25 * (sp.zeta(2.0, 0.5 * df + 0.5) - sp.zeta(2.0, 0.5 * df))
                + 0.5 / (df * df)
                + t * t / (df * (df + t * t))
                - 0.5 * (df + 1.0) * t * t * (2.0 * df + t * t) / (df * (df + t * t)) ** 2
            )
        ),
    )


@elementwise(sp.betainccinv, samples=[POSITIVE, POSITIVE, UNIT])
def betainccinv(a, b, p):
    """Inverse of `betaincc` in its third argument."""
    y = sp.betainccinv(a, b, p)
    return y, lambda y_bar: (
        -y_bar * np.divide(betainc_by_a(a, b, y), beta_density(a, b, y)),
        -y_bar * np.divide(betainc_by_b(a, b, y), beta_density(a, b, y)),
        np.divide(-y_bar, beta_density(a, b, y)),
    )


@elementwise(sp.chdtri, samples=[POSITIVE, UNIT])
def chdtri(v, p):
    """Inverse of `chdtrc` in its second argument."""
    y = sp.chdtri(v, p)
    return y, lambda y_bar: (
        -y_bar * np.divide(gammainc_by_shape(0.5 * v, 0.5 * y), gamma_density(0.5 * v, 0.5 * y)),
        np.divide(-2.0 * y_bar, gamma_density(0.5 * v, 0.5 * y)),
    )


@elementwise(sp.gdtrix, samples=[POSITIVE, POSITIVE, UNIT])
def gdtrix(a, b, p):
    """Inverse of `gdtr` in its last argument."""
    y = sp.gdtrix(a, b, p)
    return y, lambda y_bar: (
        -y_bar * np.divide(y, a),
        -y_bar * np.divide(gammainc_by_shape(b, a * y), a * gamma_density(b, a * y)),
        np.divide(y_bar, a * gamma_density(b, a * y)),
    )


@elementwise(sp.fdtri, samples=[POSITIVE, POSITIVE, UNIT])
def fdtri(m, n, p):
    """Inverse of `fdtr` in its last argument: the adjoints are those of the inverse of `betainc`."""
    y = sp.fdtri(m, n, p)
    return y, lambda y_bar: (
        -np.divide(
            y_bar * 0.5 * betainc_by_a(0.5 * m, 0.5 * n, m * y / (m * y + n)) * (m * y + n) ** 2,
            m * n * beta_density(0.5 * m, 0.5 * n, m * y / (m * y + n)),
        )
        - np.divide(y_bar * y, m),
        -np.divide(
            y_bar * 0.5 * betainc_by_b(0.5 * m, 0.5 * n, m * y / (m * y + n)) * (m * y + n) ** 2,
            m * n * beta_density(0.5 * m, 0.5 * n, m * y / (m * y + n)),
        )
        + np.divide(y_bar * y, n),
        np.divide(y_bar * (m * y + n) ** 2, m * n * beta_density(0.5 * m, 0.5 * n, m * y / (m * y + n))),
    )


@elementwise(sp.pdtr, samples=[FixedSample(2.0), POSITIVE], refused={"k": WHOLE})
def pdtr(k, m):
    """Distribution function of Poisson's distribution, by its mean (DLMF 8.4.10)."""
    y = sp.pdtr(k, m)
    return y, lambda y_bar: -y_bar * gamma_density(np.floor(k) + 1.0, m)


@elementwise(sp.pdtrc, samples=[FixedSample(2.0), POSITIVE], refused={"k": WHOLE})
def pdtrc(k, m):
    """Survival function of Poisson's distribution, by its mean (DLMF 8.4.10)."""
    y = sp.pdtrc(k, m)
    return y, lambda y_bar: y_bar * gamma_density(np.floor(k) + 1.0, m)


declare_poles([gammainc_by_shape, gammainc_by_shape_twice], lambda *_: False)
declare_poles([betainc_by_a, betainc_by_b, betainc_by_a_twice, betainc_by_b_twice], lambda *_: False)
declare_poles([betainc_by_both, student_by_freedom, sp.betainccinv, sp.chdtri, sp.gdtrix], lambda *_: False)
declare_poles([sp.fdtri, sp.pdtr, sp.pdtrc, student_by_freedom_twice], lambda *_: False)
