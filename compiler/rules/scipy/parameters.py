"""Rules of `scipy.special`: Bessel functions by their real order, hypergeometric functions by their parameters.

A derivative of a Bessel function by the order obeys the same recurrences by the argument as the function itself (DLMF 10.6.1, 10.29.1).
"""

import numpy as np
import scipy.special as sp

from backsweep.rules.declare import FixedSample, elementwise
from backsweep.rules.limits import declare_poles
from backsweep.runtime.special import signed
from backsweep.runtime.special_functions.bessel import jv_by_order, yv_by_order
from backsweep.runtime.special_functions.hypergeometric import hyp0f1_by, hyp1f1_by, hyp2f1_by
from backsweep.runtime.special_functions.modified_bessel import (
    iv_by_order,
    ive_by_order,
    kv_by_order,
    kve_by_order,
)

POSITIVE = (0.4, 6.0)
WHOLE = {"n": "it is a whole number: `yv` and `kv` have real orders"}


@elementwise(sp.jv, sp.jve, samples=[POSITIVE, POSITIVE])
def jv(v, x):
    """Bessel function of the first kind (DLMF 10.6.1); SciPy scales `jve` for complex numbers alone."""
    y = sp.jv(v, x)
    return y, lambda y_bar: (
        y_bar * jv_by_order(1, v, x),
        y_bar * 0.5 * (sp.jv(v - 1.0, x) - sp.jv(v + 1.0, x)),
    )


@elementwise(jv_by_order, static=["order"], samples=[FixedSample(1), POSITIVE, POSITIVE])
def derivative_of_jv(order, v, x):
    """Derivative of `jv` by its order (DLMF 10.6.1)."""
    y = jv_by_order(order, v, x)
    return y, lambda y_bar: (
        y_bar * jv_by_order(order + 1, v, x),
        y_bar * 0.5 * (jv_by_order(order, v - 1.0, x) - jv_by_order(order, v + 1.0, x)),
    )


@elementwise(sp.yv, sp.yve, samples=[POSITIVE, POSITIVE])
def yv(v, x):
    """Bessel function of the second kind (DLMF 10.6.1); SciPy scales `yve` for complex numbers alone."""
    y = sp.yv(v, x)
    return y, lambda y_bar: (
        y_bar * yv_by_order(1, v, x),
        y_bar * 0.5 * (sp.yv(v - 1.0, x) - sp.yv(v + 1.0, x)),
    )


@elementwise(yv_by_order, static=["order"], samples=[FixedSample(1), POSITIVE, POSITIVE])
def derivative_of_yv(order, v, x):
    """Derivative of `yv` by its order (DLMF 10.6.1)."""
    y = yv_by_order(order, v, x)
    return y, lambda y_bar: (
        y_bar * yv_by_order(order + 1, v, x),
        y_bar * 0.5 * (yv_by_order(order, v - 1.0, x) - yv_by_order(order, v + 1.0, x)),
    )


@elementwise(sp.iv, samples=[POSITIVE, POSITIVE])
def iv(v, x):
    """Modified Bessel function of the first kind (DLMF 10.29.1)."""
    y = sp.iv(v, x)
    return y, lambda y_bar: (
        y_bar * iv_by_order(1, v, x),
        y_bar * 0.5 * (sp.iv(v - 1.0, x) + sp.iv(v + 1.0, x)),
    )


@elementwise(iv_by_order, static=["order"], samples=[FixedSample(1), POSITIVE, POSITIVE])
def derivative_of_iv(order, v, x):
    """Derivative of `iv` by its order (DLMF 10.29.1)."""
    y = iv_by_order(order, v, x)
    return y, lambda y_bar: (
        y_bar * iv_by_order(order + 1, v, x),
        y_bar * 0.5 * (iv_by_order(order, v - 1.0, x) + iv_by_order(order, v + 1.0, x)),
    )


@elementwise(sp.ive, samples=[POSITIVE, POSITIVE])
def ive(v, x):
    """`iv` times exp(-|x|) (DLMF 10.29.1)."""
    y = sp.ive(v, x)
    return y, lambda y_bar: (
        y_bar * ive_by_order(1, v, x),
        0.5 * y_bar * (sp.ive(v - 1.0, x) + sp.ive(v + 1.0, x)) - signed(y_bar * y, x),
    )


@elementwise(ive_by_order, static=["order"], samples=[FixedSample(1), POSITIVE, POSITIVE])
def derivative_of_ive(order, v, x):
    """Derivative of `ive` by its order (DLMF 10.29.1)."""
    y = ive_by_order(order, v, x)
    return y, lambda y_bar: (
        y_bar * ive_by_order(order + 1, v, x),
        y_bar * (0.5 * (ive_by_order(order, v - 1.0, x) + ive_by_order(order, v + 1.0, x)) - y),
    )


@elementwise(sp.kv, samples=[POSITIVE, POSITIVE])
def kv(v, x):
    """Modified Bessel function of the second kind (DLMF 10.29.1)."""
    y = sp.kv(v, x)
    return y, lambda y_bar: (
        y_bar * kv_by_order(1, v, x),
        -y_bar * 0.5 * (sp.kv(v - 1.0, x) + sp.kv(v + 1.0, x)),
    )


@elementwise(kv_by_order, static=["order"], samples=[FixedSample(1), POSITIVE, POSITIVE])
def derivative_of_kv(order, v, x):
    """Derivative of `kv` by its order (DLMF 10.29.1)."""
    y = kv_by_order(order, v, x)
    return y, lambda y_bar: (
        y_bar * kv_by_order(order + 1, v, x),
        -y_bar * 0.5 * (kv_by_order(order, v - 1.0, x) + kv_by_order(order, v + 1.0, x)),
    )


@elementwise(sp.kve, samples=[POSITIVE, POSITIVE])
def kve(v, x):
    """`kv` times exp(x) (DLMF 10.29.1)."""
    y = sp.kve(v, x)
    return y, lambda y_bar: (
        y_bar * kve_by_order(1, v, x),
        y_bar * (y - 0.5 * (sp.kve(v - 1.0, x) + sp.kve(v + 1.0, x))),
    )


@elementwise(kve_by_order, static=["order"], samples=[FixedSample(1), POSITIVE, POSITIVE])
def derivative_of_kve(order, v, x):
    """Derivative of `kve` by its order (DLMF 10.29.1)."""
    y = kve_by_order(order, v, x)
    return y, lambda y_bar: (
        y_bar * kve_by_order(order + 1, v, x),
        y_bar * (y - 0.5 * (kve_by_order(order, v - 1.0, x) + kve_by_order(order, v + 1.0, x))),
    )


@elementwise(sp.yn, samples=[(2.0, 2.0), POSITIVE], refused=WHOLE)
def yn(n, x):
    """Bessel function of the second kind, of whole order: SciPy cuts off a fraction (DLMF 10.6.1)."""
    y = sp.yn(n, x)
    return y, lambda y_bar: y_bar * 0.5 * (sp.yv(np.trunc(n) - 1.0, x) - sp.yv(np.trunc(n) + 1.0, x))


@elementwise(sp.kn, samples=[(2.0, 2.0), POSITIVE], refused=WHOLE)
def kn(n, x):
    """Modified Bessel function of the second kind, of whole order: SciPy cuts off a fraction (DLMF 10.29.1)."""
    y = sp.kn(n, x)
    return y, lambda y_bar: -y_bar * 0.5 * (sp.kv(np.trunc(n) - 1.0, x) + sp.kv(np.trunc(n) + 1.0, x))


@elementwise(sp.hyp2f1, samples=[POSITIVE, POSITIVE, POSITIVE, (-0.8, 0.8)])
def hyp2f1(a, b, c, z):
    """Gauss' hypergeometric function (DLMF 15.5.1)."""
    y = sp.hyp2f1(a, b, c, z)
    return y, lambda y_bar: (
        y_bar * hyp2f1_by(1, 0, 0, 0, a, b, c, z),
        y_bar * hyp2f1_by(0, 1, 0, 0, a, b, c, z),
        y_bar * hyp2f1_by(0, 0, 1, 0, a, b, c, z),
        y_bar * a * b / c * sp.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z),
    )


@elementwise(
    hyp2f1_by,
    static=["i", "j", "k", "n"],
    samples=[*map(FixedSample, (1, 0, 1, 1)), POSITIVE, POSITIVE, POSITIVE, (-0.8, 0.8)],
)
def derivative_of_hyp2f1(i, j, k, n, a, b, c, z):
    """Derivative of `hyp2f1` by its operands, of orders."""
    y = hyp2f1_by(i, j, k, n, a, b, c, z)
    return y, lambda y_bar: (
        y_bar * hyp2f1_by(i + 1, j, k, n, a, b, c, z),
        y_bar * hyp2f1_by(i, j + 1, k, n, a, b, c, z),
        y_bar * hyp2f1_by(i, j, k + 1, n, a, b, c, z),
        y_bar * hyp2f1_by(i, j, k, n + 1, a, b, c, z),
    )


@elementwise(sp.hyp1f1, samples=[POSITIVE, POSITIVE, (-2.0, 2.0)])
def hyp1f1(a, b, x):
    """Kummer's confluent hypergeometric function (DLMF 13.3.15)."""
    y = sp.hyp1f1(a, b, x)
    return y, lambda y_bar: (
        y_bar * hyp1f1_by(1, 0, 0, a, b, x),
        y_bar * hyp1f1_by(0, 1, 0, a, b, x),
        y_bar * a / b * sp.hyp1f1(a + 1.0, b + 1.0, x),
    )


@elementwise(
    hyp1f1_by,
    static=["i", "j", "n"],
    samples=[*map(FixedSample, (1, 1, 1)), POSITIVE, POSITIVE, (-2.0, 2.0)],
)
def derivative_of_hyp1f1(i, j, n, a, b, x):
    """Derivative of `hyp1f1` by its operands, of orders."""
    y = hyp1f1_by(i, j, n, a, b, x)
    return y, lambda y_bar: (
        y_bar * hyp1f1_by(i + 1, j, n, a, b, x),
        y_bar * hyp1f1_by(i, j + 1, n, a, b, x),
        y_bar * hyp1f1_by(i, j, n + 1, a, b, x),
    )


@elementwise(sp.hyp0f1, samples=[POSITIVE, (-3.0, 3.0)])
def hyp0f1(v, x):
    """Confluent hypergeometric limit function (DLMF 16.3.1)."""
    y = sp.hyp0f1(v, x)
    return y, lambda y_bar: (y_bar * hyp0f1_by(1, 0, v, x), y_bar * sp.hyp0f1(v + 1.0, x) / v)


@elementwise(hyp0f1_by, static=["i", "n"], samples=[FixedSample(1), FixedSample(1), POSITIVE, (-3.0, 3.0)])
def derivative_of_hyp0f1(i, n, v, x):
    """Derivative of `hyp0f1` by its operands, of orders."""
    y = hyp0f1_by(i, n, v, x)
    return y, lambda y_bar: (y_bar * hyp0f1_by(i + 1, n, v, x), y_bar * hyp0f1_by(i, n + 1, v, x))


declare_poles([sp.jv, sp.jve, sp.yv, sp.yve, sp.iv, sp.ive, sp.kv, sp.kve], lambda _, one: one.is_positive)
declare_poles(
    [jv_by_order, yv_by_order, iv_by_order, ive_by_order, kv_by_order, kve_by_order], lambda *_: False
)
declare_poles([sp.hyp2f1], lambda *operands: operands[3].low > -1.0 and operands[3].high < 1.0)
declare_poles([sp.hyp0f1, hyp2f1_by, hyp1f1_by, hyp0f1_by], lambda *_: False)
declare_poles([sp.yn, sp.kn], lambda _, one: one.is_positive)
