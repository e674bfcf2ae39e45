"""Rules of `scipy.special`: inverses of distribution functions with respect to their parameters.

A parameter p with F(p, x) = y moves by (dy - F_x dx) / F_p, where F_p is the partial derivative with respect to the parameter. SciPy continues
the distribution functions of counts between whole numbers. Where no parameter gives `y`, SciPy returns the bound at which it stopped, which is
constant.
"""

import numpy as np
import scipy.special as sp

from backsweep.rules.declare import elementwise
from backsweep.rules.limits import declare_poles
from backsweep.runtime.scipy.densities import beta_density, gamma_density, noncentral_density, student_density
from backsweep.runtime.special_functions.incomplete_beta import betainc_by_a, betainc_by_b, student_by_freedom
from backsweep.runtime.special_functions.incomplete_gamma import gammainc_by_shape, noncentral_by_freedom

POSITIVE = (0.8, 4.0)
UNIT = (0.2, 0.8)
MANY = (8.0, 12.0)


@elementwise(sp.chdtriv, samples=[UNIT, POSITIVE])
def chdtriv(p, x):
    """Degrees of freedom for which `chdtr` is `p`."""
    v = sp.chdtriv(p, x)
    return v, lambda v_bar: (
        np.divide(2.0 * v_bar, gammainc_by_shape(0.5 * v, 0.5 * x)),
        -v_bar * np.divide(gamma_density(0.5 * v, 0.5 * x), gammainc_by_shape(0.5 * v, 0.5 * x)),
    )


@elementwise(sp.stdtridf, samples=[(0.68, 0.7), (0.9, 1.1)])
def stdtridf(p, t):
    """Degrees of freedom for which `stdtr` is `p`."""
    df = sp.stdtridf(p, t)
    return df, lambda df_bar: (
        np.where(df < 1e10, np.divide(df_bar, student_by_freedom(df, t)), 0.0),
        np.where(df < 1e10, -df_bar * np.divide(student_density(df, t), student_by_freedom(df, t)), 0.0),
    )


@elementwise(sp.gdtria, samples=[UNIT, POSITIVE, POSITIVE])
def gdtria(p, b, x):
    """Rate for which `gdtr` is `p`."""
    a = sp.gdtria(p, b, x)
    return a, lambda a_bar: (
        np.divide(a_bar, x * gamma_density(b, a * x)),
        -a_bar * np.divide(gammainc_by_shape(b, a * x), x * gamma_density(b, a * x)),
        -a_bar * np.divide(a, x),
    )


@elementwise(sp.gdtrib, samples=[POSITIVE, UNIT, POSITIVE])
def gdtrib(a, p, x):
    """Shape for which `gdtr` is `p`."""
    b = sp.gdtrib(a, p, x)
    return b, lambda b_bar: (
        -b_bar * x * np.divide(gamma_density(b, a * x), gammainc_by_shape(b, a * x)),
        np.divide(b_bar, gammainc_by_shape(b, a * x)),
        -b_bar * a * np.divide(gamma_density(b, a * x), gammainc_by_shape(b, a * x)),
    )


@elementwise(sp.btdtria, samples=[UNIT, POSITIVE, UNIT])
def btdtria(p, b, x):
    """First shape for which `betainc` is `p`."""
    a = sp.btdtria(p, b, x)
    return a, lambda a_bar: (
        np.divide(a_bar, betainc_by_a(a, b, x)),
        -a_bar * np.divide(betainc_by_b(a, b, x), betainc_by_a(a, b, x)),
        -a_bar * np.divide(beta_density(a, b, x), betainc_by_a(a, b, x)),
    )


@elementwise(sp.btdtrib, samples=[POSITIVE, UNIT, UNIT])
def btdtrib(a, p, x):
    """Second shape for which `betainc` is `p`."""
    b = sp.btdtrib(a, p, x)
    return b, lambda b_bar: (
        -b_bar * np.divide(betainc_by_a(a, b, x), betainc_by_b(a, b, x)),
        np.divide(b_bar, betainc_by_b(a, b, x)),
        -b_bar * np.divide(beta_density(a, b, x), betainc_by_b(a, b, x)),
    )


@elementwise(sp.fdtridfd, samples=[POSITIVE, (0.5, 0.55), (1.0, 1.2)])
def fdtridfd(m, p, x):
    """Degrees of freedom of the denominator for which `fdtr` is `p`."""
    n = sp.fdtridfd(m, p, x)
    return n, lambda n_bar: (
        np.where(
            n < 1e100,
            -np.divide(
                n_bar
                * (
                    0.5 * betainc_by_a(0.5 * m, 0.5 * n, m * x / (m * x + n)) * (m * x + n) * (m * x + n)
                    + beta_density(0.5 * m, 0.5 * n, m * x / (m * x + n)) * n * x
                ),
                0.5 * betainc_by_b(0.5 * m, 0.5 * n, m * x / (m * x + n)) * (m * x + n) * (m * x + n)
                - beta_density(0.5 * m, 0.5 * n, m * x / (m * x + n)) * m * x,
            ),
            0.0,
        ),
        np.where(
            n < 1e100,
            np.divide(
                n_bar * (m * x + n) * (m * x + n),
                0.5 * betainc_by_b(0.5 * m, 0.5 * n, m * x / (m * x + n)) * (m * x + n) * (m * x + n)
                - beta_density(0.5 * m, 0.5 * n, m * x / (m * x + n)) * m * x,
            ),
            0.0,
        ),
        np.where(
            n < 1e100,
            -np.divide(
                n_bar * beta_density(0.5 * m, 0.5 * n, m * x / (m * x + n)) * m * n,
                0.5 * betainc_by_b(0.5 * m, 0.5 * n, m * x / (m * x + n)) * (m * x + n) * (m * x + n)
                - beta_density(0.5 * m, 0.5 * n, m * x / (m * x + n)) * m * x,
            ),
            0.0,
        ),
    )


@elementwise(sp.pdtrik, samples=[UNIT, POSITIVE])
def pdtrik(p, m):
    """Count for which `pdtr`, continued to real counts, is `p` (DLMF 8.4.10)."""
    k = sp.pdtrik(p, m)
    return k, lambda k_bar: (
        np.where(k > 0.0, -np.divide(k_bar, gammainc_by_shape(k + 1.0, m)), 0.0),
        np.where(k > 0.0, -k_bar * np.divide(gamma_density(k + 1.0, m), gammainc_by_shape(k + 1.0, m)), 0.0),
    )


@elementwise(sp.bdtrik, samples=[UNIT, MANY, UNIT])
def bdtrik(y, n, p):
    """Count for which `bdtr`, continued to real counts, is `y` (DLMF 8.17.5)."""
    k = sp.bdtrik(y, n, p)
    return k, lambda k_bar: (
        np.where(
            k > 0.0,
            np.divide(k_bar, betainc_by_b(n - k, k + 1.0, 1.0 - p) - betainc_by_a(n - k, k + 1.0, 1.0 - p)),
            0.0,
        ),
        np.where(
            k > 0.0,
            -k_bar
            * np.divide(
                betainc_by_a(n - k, k + 1.0, 1.0 - p),
                betainc_by_b(n - k, k + 1.0, 1.0 - p) - betainc_by_a(n - k, k + 1.0, 1.0 - p),
            ),
            0.0,
        ),
        np.where(
            (k > 0.0) & (k < n),
            k_bar
            * np.divide(
                beta_density(n - k, k + 1.0, 1.0 - p),
                betainc_by_b(n - k, k + 1.0, 1.0 - p) - betainc_by_a(n - k, k + 1.0, 1.0 - p),
            ),
            0.0,
        ),
    )


@elementwise(sp.bdtrin, samples=[(2.0, 4.0), UNIT, UNIT])
def bdtrin(k, y, p):
    """Number of trials for which `bdtr`, continued to real numbers, is `y` (DLMF 8.17.5)."""
    n = sp.bdtrin(k, y, p)
    return n, lambda n_bar: (
        n_bar
        * (1.0 - np.divide(betainc_by_b(n - k, k + 1.0, 1.0 - p), betainc_by_a(n - k, k + 1.0, 1.0 - p))),
        np.divide(n_bar, betainc_by_a(n - k, k + 1.0, 1.0 - p)),
        n_bar * np.divide(beta_density(n - k, k + 1.0, 1.0 - p), betainc_by_a(n - k, k + 1.0, 1.0 - p)),
    )


@elementwise(sp.nbdtrik, samples=[UNIT, POSITIVE, UNIT])
def nbdtrik(y, n, p):
    """Count for which `nbdtr`, continued to real counts, is `y` (DLMF 8.17.24)."""
    k = sp.nbdtrik(y, n, p)
    return k, lambda k_bar: (
        np.where(k > 0.0, np.divide(k_bar, betainc_by_b(n, k + 1.0, p)), 0.0),
        np.where(k > 0.0, -k_bar * np.divide(betainc_by_a(n, k + 1.0, p), betainc_by_b(n, k + 1.0, p)), 0.0),
        np.where(k > 0.0, -k_bar * np.divide(beta_density(n, k + 1.0, p), betainc_by_b(n, k + 1.0, p)), 0.0),
    )


@elementwise(sp.nbdtrin, samples=[(2.0, 4.0), UNIT, UNIT])
def nbdtrin(k, y, p):
    """Number of successes for which `nbdtr`, continued to real numbers, is `y` (DLMF 8.17.24)."""
    n = sp.nbdtrin(k, y, p)
    return n, lambda n_bar: (
        -n_bar * np.divide(betainc_by_b(n, k + 1.0, p), betainc_by_a(n, k + 1.0, p)),
        np.divide(n_bar, betainc_by_a(n, k + 1.0, p)),
        -n_bar * np.divide(beta_density(n, k + 1.0, p), betainc_by_a(n, k + 1.0, p)),
    )


@elementwise(sp.nrdtrimn, samples=[UNIT, POSITIVE, POSITIVE])
def nrdtrimn(p, std, x):
    """Mean of the normal distribution whose distribution function at `x` is `p`."""
    mean = sp.nrdtrimn(p, std, x)
    return mean, lambda mean_bar: (
        -mean_bar * std * 2.5066282746310007 * np.exp(0.5 * sp.ndtri(p) ** 2),
        -mean_bar * sp.ndtri(p),
        mean_bar,
    )


@elementwise(sp.nrdtrisd, samples=[POSITIVE, (0.6, 0.8), (5.0, 6.0)])
def nrdtrisd(mean, p, x):
    """Deviation of the normal distribution whose distribution function at `x` is `p`."""
    std = sp.nrdtrisd(mean, p, x)
    return std, lambda std_bar: (
        -np.divide(std_bar, sp.ndtri(p)),
        -std_bar * np.divide(std * 2.5066282746310007 * np.exp(0.5 * sp.ndtri(p) ** 2), sp.ndtri(p)),
        np.divide(std_bar, sp.ndtri(p)),
    )


@elementwise(sp.chndtridf, samples=[(3.0, 4.0), (0.4, 0.5), (0.5, 1.0)])
def chndtridf(x, p, nc):
    """Degrees of freedom for which `chndtr` is `p`."""
    df = sp.chndtridf(x, p, nc)
    return df, lambda df_bar: (
        -df_bar * np.divide(noncentral_density(x, df, nc), noncentral_by_freedom(x, df, nc)),
        np.divide(df_bar, noncentral_by_freedom(x, df, nc)),
        df_bar * np.divide(noncentral_density(x, df + 2.0, nc), noncentral_by_freedom(x, df, nc)),
    )


@elementwise(sp.chndtrinc, samples=[(4.0, 5.0), (2.0, 3.0), (0.4, 0.5)])
def chndtrinc(x, df, p):
    """Noncentrality for which `chndtr` is `p`; where it is zero, SciPy may have stopped there, and nothing moves."""
    nc = sp.chndtrinc(x, df, p)
    return nc, lambda nc_bar: (
        np.where(
            nc > 0.0,
            nc_bar * np.divide(noncentral_density(x, df, nc), noncentral_density(x, df + 2.0, nc)),
            0.0,
        ),
        np.where(
            nc > 0.0,
            nc_bar * np.divide(noncentral_by_freedom(x, df, nc), noncentral_density(x, df + 2.0, nc)),
            0.0,
        ),
        np.where(nc > 0.0, -np.divide(nc_bar, noncentral_density(x, df + 2.0, nc)), 0.0),
    )


declare_poles([sp.chndtridf, sp.chndtrinc], lambda *_: False)
declare_poles([sp.chdtriv, sp.stdtridf, sp.gdtria, sp.gdtrib, sp.btdtria, sp.btdtrib], lambda *_: False)
declare_poles([sp.fdtridfd, sp.pdtrik, sp.bdtrik, sp.bdtrin, sp.nbdtrik, sp.nbdtrin], lambda *_: False)
declare_poles([sp.nrdtrimn, sp.nrdtrisd], lambda *_: False)
