"""Rules of `scipy.special`: Bessel functions of order zero and one, elliptic and exponential integrals.

The formulas are those of the Digital Library of Mathematical Functions (DLMF), chapters 6, 10 and 19.
"""

import numpy as np
import scipy.special as sp

from backsweep.rules.declare import FixedSample, elementwise
from backsweep.rules.limits import declare_poles
from backsweep.runtime.scipy.series import ellipe_derivative, ellipk_derivative, scaled_i_derivative
from backsweep.runtime.scipy.written_out import real_lambertw

WIDE = (-3.0, 3.0)
POSITIVE = (0.4, 6.0)


@elementwise(sp.j0, samples=[WIDE])
def j0(x):
    """Bessel function of the first kind, of order zero (DLMF 10.6.3)."""
    y = sp.j0(x)
    return y, lambda y_bar: -y_bar * sp.j1(x)


@elementwise(sp.j1, samples=[WIDE], edges=[((0.0,), (0.5,))])
def j1(x):
    """Bessel function of the first kind, of order one (DLMF 10.6.1)."""
    y = sp.j1(x)
    return y, lambda y_bar: y_bar * 0.5 * (sp.j0(x) - sp.jv(2.0, x))


@elementwise(sp.y0, samples=[POSITIVE])
def y0(x):
    """Bessel function of the second kind, of order zero (DLMF 10.6.3)."""
    y = sp.y0(x)
    return y, lambda y_bar: -y_bar * sp.y1(x)


@elementwise(sp.y1, samples=[POSITIVE])
def y1(x):
    """Bessel function of the second kind, of order one (DLMF 10.6.1)."""
    y = sp.y1(x)
    return y, lambda y_bar: y_bar * 0.5 * (sp.y0(x) - sp.yv(2.0, x))


@elementwise(sp.i0, samples=[WIDE])
def i0(x):
    """Modified Bessel function of the first kind, of order zero (DLMF 10.29.3)."""
    y = sp.i0(x)
    return y, lambda y_bar: y_bar * sp.i1(x)


@elementwise(sp.i1, samples=[WIDE], edges=[((0.0,), (0.5,))])
def i1(x):
    """Modified Bessel function of the first kind, of order one (DLMF 10.29.1)."""
    y = sp.i1(x)
    return y, lambda y_bar: y_bar * 0.5 * (sp.i0(x) + sp.iv(2.0, x))


@elementwise(sp.i0e, samples=[(0.5, 40.0)], edges=[((0.0,), (0.0,))])
def i0e(x):
    """`i0` times exp(-|x|) (DLMF 10.29.3, 10.40.1). At zero, a kink, the adjoint is zero."""
    y = sp.i0e(x)
    return y, lambda y_bar: y_bar * scaled_i_derivative(0, 1, x)


@elementwise(sp.i1e, samples=[(0.5, 40.0)], edges=[((0.0,), (0.5,))])
def i1e(x):
    """`i1` times exp(-|x|) (DLMF 10.29.1, 10.40.1)."""
    y = sp.i1e(x)
    return y, lambda y_bar: y_bar * scaled_i_derivative(1, 1, x)


@elementwise(
    scaled_i_derivative, static=["v", "order"], samples=[FixedSample(1), FixedSample(2), (0.5, 40.0)]
)
def derivative_of_scaled_i(v, order, x):
    """Derivative of `i0e` or `i1e` of an order (DLMF 10.29.5, 10.40.1)."""
    y = scaled_i_derivative(v, order, x)
    return y, lambda y_bar: y_bar * scaled_i_derivative(v, order + 1, x)


@elementwise(sp.k0, samples=[POSITIVE])
def k0(x):
    """Modified Bessel function of the second kind, of order zero (DLMF 10.29.3)."""
    y = sp.k0(x)
    return y, lambda y_bar: -y_bar * sp.k1(x)


@elementwise(sp.k1, samples=[POSITIVE])
def k1(x):
    """Modified Bessel function of the second kind, of order one (DLMF 10.29.2)."""
    y = sp.k1(x)
    return y, lambda y_bar: -y_bar * (sp.k0(x) + y / x)


@elementwise(sp.ellipk, samples=[(-2.0, 0.9)], edges=[((0.0,), (np.pi / 8.0,))])
def ellipk(m):
    """Complete elliptic integral of the first kind (DLMF 19.4.1)."""
    y = sp.ellipk(m)
    return y, lambda y_bar: y_bar * ellipk_derivative(1, m)


@elementwise(ellipk_derivative, static=["order"], samples=[FixedSample(2), (-2.0, 0.9)])
def derivative_of_ellipk(order, m):
    """Derivative of `ellipk` of an order (DLMF 15.10.1, 19.5.1)."""
    y = ellipk_derivative(order, m)
    return y, lambda y_bar: y_bar * ellipk_derivative(order + 1, m)


@elementwise(sp.ellipe, samples=[(-2.0, 0.9)], edges=[((0.0,), (-np.pi / 8.0,))])
def ellipe(m):
    """Complete elliptic integral of the second kind (DLMF 19.4.2)."""
    y = sp.ellipe(m)
    return y, lambda y_bar: y_bar * ellipe_derivative(1, m)


@elementwise(ellipe_derivative, static=["order"], samples=[FixedSample(2), (-2.0, 0.9)])
def derivative_of_ellipe(order, m):
    """Derivative of `ellipe` of an order (DLMF 15.10.1, 19.5.2)."""
    y = ellipe_derivative(order, m)
    return y, lambda y_bar: y_bar * ellipe_derivative(order + 1, m)


@elementwise(sp.exp1, samples=[POSITIVE])
def exp1(x):
    """Exponential integral (DLMF 6.2.1)."""
    y = sp.exp1(x)
    return y, lambda y_bar: -y_bar * np.exp(-x) / x


@elementwise(sp.expi, samples=[POSITIVE])
def expi(x):
    """Exponential integral, principal value (DLMF 6.2.5)."""
    y = sp.expi(x)
    return y, lambda y_bar: y_bar * np.exp(x) / x


@elementwise(
    real_lambertw, static=["branch"], samples=[(-0.3, 3.0), FixedSample(0)], edges=[((0.0, 0), (1.0,))]
)
def lambertw(x, branch):
    """Lambert's function where it is real (DLMF 4.13.4). The adjoint reads only the result."""
    w = real_lambertw(x, branch)
    return w, lambda w_bar: w_bar * np.exp(-w) / (1.0 + w)


declare_poles([real_lambertw], lambda *_: False)
declare_poles([sp.y0, sp.y1, sp.k0, sp.k1, sp.exp1], lambda one: one.is_positive)
declare_poles([sp.expi], lambda one: one.is_nonzero)
declare_poles([sp.ellipk, sp.ellipe], lambda one: one.high < 1.0)
declare_poles([ellipk_derivative, ellipe_derivative], lambda _, one: one.high < 1.0)
