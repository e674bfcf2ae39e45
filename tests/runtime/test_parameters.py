# ruff: noqa: PLW0108  a ufunc has no text to differentiate
"""Functions by their orders, degrees of freedom and parameters: against mpmath, and of second order against the first."""

from __future__ import annotations

import itertools
import math
from typing import Any

import mpmath
import numba
import numpy as np
import pytest
import scipy.special as sp

import backsweep as bs
from backsweep.runtime.special_functions.bessel import jv_by_order, yv_by_order
from backsweep.runtime.special_functions.hypergeometric import hyp0f1_by, hyp1f1_by, hyp2f1_by
from backsweep.runtime.special_functions.incomplete_beta import student_by_freedom_twice
from backsweep.runtime.special_functions.incomplete_gamma import noncentral_by_freedom_twice
from backsweep.runtime.special_functions.modified_bessel import (
    iv_by_order,
    ive_by_order,
    kv_by_order,
    kve_by_order,
    noncentral_density_by_freedom,
)
from tests.support.sampled import turning


def difference(function: Any, at: float, order: int) -> Any:
    """The derivative of an order, by central differences of many digits."""
    with mpmath.workdps(80):
        step, at = mpmath.mpf(10) ** -15, mpmath.mpf(at)
        total = sum(
            (-1) ** k * mpmath.binomial(order, k) * function(at + (mpmath.mpf(order) / 2 - k) * step)
            for k in range(order + 1)
        )
        return total / step**order


ORDERS = (0.0, 0.3, 1.0, 2.5, 12.0, 40.0, 200.5, -0.7, -2.0, -3.4)
ARGUMENTS = (1e-6, 0.5, 3.0, 11.0, 38.0, 45.0, 190.0, 5000.0)
PLACES = list(itertools.product(ORDERS, ARGUMENTS))


@pytest.mark.parametrize(("v", "x"), turning(20, PLACES))
def test_modified_bessel_functions_by_their_order(v, x):
    def second(s):
        return mpmath.besselk(s, x) * mpmath.exp(x)

    def first(s):
        return mpmath.besseli(s, x) * mpmath.exp(-x)

    with mpmath.workdps(30):
        size = abs(first(mpmath.mpf(v)))
    for order in (1, 2, 3):
        exact = difference(second, v, order)
        if abs(exact) < 1e300:
            assert abs(kve_by_order(order, v, x) - exact) <= 1e-12 * abs(exact) + 1e-30, order
        exact = difference(first, v, order)
        if size < 1e300:
            assert abs(ive_by_order(order, v, x) - exact) <= 1e-11 * max(size, abs(exact)) + 1e-290, order
    if x < 300.0:
        np.testing.assert_allclose(
            kv_by_order(1, v, x), kve_by_order(1, v, x) * np.exp(-x), rtol=1e-12, atol=1e-300
        )
        np.testing.assert_allclose(iv_by_order(1, v, x), ive_by_order(1, v, x) * np.exp(x), rtol=1e-12)


@pytest.mark.parametrize(("v", "x"), turning(20, PLACES))
def test_bessel_functions_by_their_order(v, x):
    def first(s):
        return mpmath.besselj(s, x)

    def second(s):
        return mpmath.bessely(s, x)

    with mpmath.workdps(30):
        sizes = [abs(first(mpmath.mpf(v))), abs(second(mpmath.mpf(v)))]
        if v < x + 3.0 * x ** (1.0 / 3.0):
            sizes = [mpmath.hypot(first(mpmath.mpf(abs(v))), second(mpmath.mpf(abs(v))))] * 2
    for order in (1, 2, 3):
        for kernel, function, size in ((jv_by_order, first, sizes[0]), (yv_by_order, second, sizes[1])):
            exact = difference(function, v, order)
            if size < 1e300:
                allowed = 1e-11 * max(size, abs(exact)) + 1e-290
                assert abs(kernel(order, v, x) - exact) <= allowed, (kernel, order)


@pytest.mark.parametrize("kernel", [iv_by_order, ive_by_order, jv_by_order])
def test_orders_at_zero(kernel):
    assert kernel(1, 0.5, 0.0) == 0.0
    assert kernel(1, 0.0, 0.0) == -np.inf
    assert np.isnan([kernel(1, 0.5, -1.0), kernel(1, np.nan, 1.0), kernel(1, 0.5, np.nan)]).all()
    assert kernel(1, 0.5, np.inf) == 0.0 or kernel is iv_by_order


@pytest.mark.parametrize("kernel", [kv_by_order, kve_by_order, yv_by_order])
def test_orders_outside_of_the_domain(kernel):
    assert np.isnan([kernel(1, 0.5, 0.0), kernel(1, 0.5, -1.0), kernel(1, np.nan, 1.0)]).all()
    assert kernel(1, 0.5, np.inf) == 0.0


def test_at_order_zero():
    """The functions of the second kind that are even in their order, and DLMF 10.38.4."""
    assert kv_by_order(1, 0.0, 1.3) == 0.0
    np.testing.assert_allclose(iv_by_order(1, 0.0, 1.3), -sp.k0(1.3), rtol=1e-13)
    np.testing.assert_allclose(jv_by_order(1, 0.0, 1.3), 0.5 * np.pi * sp.y0(1.3), rtol=1e-13)
    np.testing.assert_allclose(yv_by_order(1, 0.0, 1.3), -0.5 * np.pi * sp.j0(1.3), rtol=1e-13)


NONCENTRAL = list(itertools.product((0.1, 2.0, 30.0), (0.5, 3.0, 20.0), (0.0, 0.3, 8.0, 60.0)))


@pytest.mark.parametrize(("x", "df", "nc"), turning(15, NONCENTRAL))
def test_noncentral_distribution_by_its_freedom(x, df, nc):
    def mixed(part):
        weights = [
            mpmath.exp(-mpmath.mpf(nc) / 2) * (mpmath.mpf(nc) / 2) ** j / mpmath.factorial(j)
            for j in range(150)
        ]
        return lambda d: sum(weight * part(d / 2 + j) for j, weight in enumerate(weights) if weight)

    def density(a):
        half = mpmath.mpf(x) / 2
        return half ** (a - 1) * mpmath.exp(-half) / mpmath.gamma(a) / 2

    for order in (1, 2):
        exact = difference(mixed(density), df, order)
        assert abs(noncentral_density_by_freedom(order, x, df, nc) - exact) <= 1e-11 * abs(exact)
    exact = difference(mixed(lambda a: mpmath.gammainc(a, 0, mpmath.mpf(x) / 2, regularized=True)), df, 2)
    assert abs(noncentral_by_freedom_twice(x, df, nc) - exact) <= 1e-10 * abs(exact)


@pytest.mark.parametrize("t", [-30.0, -2.0, -0.1, 1e-3, 1.0, 7.0])
@pytest.mark.parametrize("df", [0.3, 5.5, 80.0])
def test_student_by_its_freedom_twice(df, t):
    def tail(d):  # of the side on which t is
        share = (
            mpmath.betainc(d / 2, mpmath.mpf(1) / 2, 0, d / (d + mpmath.mpf(t) ** 2), regularized=True) / 2
        )
        return share if t < 0 else -share

    exact = difference(tail, df, 2)
    assert abs(student_by_freedom_twice(df, t) - exact) <= 1e-10 * abs(exact)


GAUSS = [
    (*each, z)
    for each in itertools.product((-1.3, 0.5, 6.0), (0.05, 2.0), (0.5, 3.3))
    for z in (-20.0, -1.0, 0.3, 0.97)
]


@pytest.mark.parametrize(("a", "b", "c", "z"), turning(15, GAUSS))
def test_hyp2f1_by_its_parameters(a, b, c, z):
    size = abs(mpmath.hyp2f1(a, b, c, z))
    for orders, exact in (
        ((1, 0, 0, 0), difference(lambda s: mpmath.hyp2f1(s, b, c, z), a, 1)),
        ((0, 2, 0, 0), difference(lambda s: mpmath.hyp2f1(a, s, c, z), b, 2)),
        ((0, 0, 1, 0), difference(lambda s: mpmath.hyp2f1(a, b, s, z), c, 1)),
        ((1, 0, 0, 1), difference(lambda s: s * b / c * mpmath.hyp2f1(s + 1, b + 1, c + 1, z), a, 1)),
        ((0, 0, 2, 1), difference(lambda s: a * b / s * mpmath.hyp2f1(a + 1, b + 1, s + 1, z), c, 2)),
    ):
        assert abs(hyp2f1_by(*orders, a, b, c, z) - exact) <= 1e-10 * max(size, abs(exact)), orders


KUMMER = [
    (*each, x)
    for each in itertools.product((-1.3, 0.5, 6.0), (0.05, 3.3))
    for x in (-800.0, -20.0, -1.0, 0.0, 2.0, 300.0)
]


@pytest.mark.parametrize(("a", "b", "x"), turning(15, KUMMER))
def test_hyp1f1_by_its_parameters(a, b, x):
    size = abs(mpmath.hyp1f1(a, b, x))
    for orders, exact in (
        ((1, 0, 0), difference(lambda s: mpmath.hyp1f1(s, b, x), a, 1)),
        ((0, 2, 0), difference(lambda s: mpmath.hyp1f1(a, s, x), b, 2)),
        ((1, 0, 1), difference(lambda s: s / b * mpmath.hyp1f1(s + 1, b + 1, x), a, 1)),
        ((0, 1, 1), difference(lambda s: a / s * mpmath.hyp1f1(a + 1, s + 1, x), b, 1)),
    ):
        assert abs(hyp1f1_by(*orders, a, b, x) - exact) <= 1e-10 * max(size, abs(exact)), orders


@pytest.mark.parametrize("x", [-400.0, -20.0, -8.0, 0.0, 0.5, 200.0])
@pytest.mark.parametrize("v", [0.3, 7.0, -0.6])
def test_hyp0f1_by_its_parameter(v, x):
    size = abs(mpmath.hyp0f1(v, x))
    for orders, exact in (
        ((1, 0), difference(lambda s: mpmath.hyp0f1(s, x), v, 1)),
        ((2, 1), difference(lambda s: mpmath.hyp0f1(s + 1, x) / s, v, 2)),
    ):
        assert abs(hyp0f1_by(*orders, v, x) - exact) <= 1e-10 * max(size, abs(exact)), orders


def test_hypergeometric_functions_outside_of_the_domain():
    assert np.isnan(
        [hyp2f1_by(1, 0, 0, 0, 1.0, 2.0, 3.0, 1.5), hyp2f1_by(1, 0, 0, 0, 1.0, 2.0, -3.0, 0.5)]
    ).all()
    assert np.isnan(
        [hyp1f1_by(1, 0, 0, 1.0, -2.0, 1.0), hyp0f1_by(1, 0, 0.0, 1.0), hyp0f1_by(1, 0, 1.0, np.nan)]
    ).all()


EXTREMES = (0.0, 1.0, -1.3, 700.0, -700.0, 1e-290, math.inf, -math.inf, math.nan)


@pytest.mark.parametrize("one", EXTREMES)
def test_extremes_raise_nothing(one: float) -> None:
    """Far out there are infinities and nan; nothing raises, as Python's own functions do."""
    with np.errstate(all="ignore"):
        for x in (-300.0, 0.0, 1e-3, 800.0, math.inf, math.nan):
            for kernel in (kv_by_order, kve_by_order, iv_by_order, ive_by_order, jv_by_order, yv_by_order):
                assert isinstance(float(kernel(1, one, x)), float)
            assert isinstance(float(hyp0f1_by(1, 0, one, x)), float)
            assert isinstance(float(hyp1f1_by(1, 0, 0, one, 1.0, x)), float)
            assert isinstance(float(hyp1f1_by(0, 1, 1, 0.5, one, x)), float)
            assert isinstance(float(hyp2f1_by(1, 0, 0, 0, one, 0.5, 1.5, -x)), float)
            assert isinstance(float(noncentral_density_by_freedom(1, x, one, 0.7)), float)
            assert isinstance(float(noncentral_density_by_freedom(1, x, 0.7, one)), float)


TWICE: dict[str, tuple[Any, tuple[float, ...]]] = {
    "jv": (lambda v, x: sp.jv(v, x), (1.3, 2.4)),
    "jve": (lambda v, x: sp.jve(v, x), (1.3, 2.4)),
    "yv": (lambda v, x: sp.yv(v, x), (1.3, 2.4)),
    "iv": (lambda v, x: sp.iv(v, x), (1.3, 2.4)),
    "ive": (lambda v, x: sp.ive(v, x), (1.3, 2.4)),
    "kv": (lambda v, x: sp.kv(v, x), (1.3, 2.4)),
    "kve": (lambda v, x: sp.kve(v, x), (1.3, 2.4)),
    "of a negative order": (lambda v, x: sp.jv(v, x) + sp.iv(v, x) * sp.yv(v, x), (-1.3, 2.4)),
    "slopes": (lambda v, x: jv_by_order(1, v, x) * kv_by_order(2, v, x) + ive_by_order(1, v, x), (1.3, 2.4)),
    "more slopes": (
        lambda v, x: yv_by_order(1, v, x) * kve_by_order(1, v, x) + iv_by_order(1, v, x),
        (1.3, 2.4),
    ),
    "hyp2f1": (lambda a, b, c, z: sp.hyp2f1(a, b, c, z), (0.7, 1.2, 2.1, 0.4)),
    "hyp2f1, below zero": (lambda a, b, c, z: sp.hyp2f1(a, b, c, z), (0.7, 1.2, 2.1, -2.4)),
    "hyp1f1": (lambda a, b, x: sp.hyp1f1(a, b, x) + sp.hyp1f1(b, a, -x), (0.7, 1.2, 1.4)),
    "hyp0f1": (lambda v, x: sp.hyp0f1(v, x) * sp.hyp0f1(v, -x), (0.7, 1.4)),
    "stdtr": (lambda df, t: sp.stdtr(df, t), (3.2, 1.4)),
    "stdtrit": (lambda df, p: sp.stdtrit(df, p), (3.2, 0.7)),
    "stdtridf": (lambda p, t: sp.stdtridf(p, t), (0.69, 1.0)),
    "chndtr": (lambda x, df, nc: sp.chndtr(x, df, nc), (2.1, 3.2, 1.4)),
    "chndtrix": (lambda p, df, nc: sp.chndtrix(p, df, nc), (0.4, 3.2, 1.4)),
    "chndtridf": (lambda x, p, nc: sp.chndtridf(x, p, nc), (3.5, 0.45, 0.7)),
}


@pytest.mark.parametrize("name", turning(3, TWICE))
def test_first_and_second_order(name):
    function, args = TWICE[name]
    where = tuple(range(len(args)))
    bs.check_grads(function, args)
    gradient = bs.grad(function, argnums=where, jit=False)
    second = bs.hessian(function, argnums=where, jit=False)(*args)
    units = 1e-5 * np.eye(len(args))
    expected = [
        (np.array(gradient(*(args + one))) - np.array(gradient(*(args - one)))) / 2e-5 for one in units
    ]
    np.testing.assert_allclose(np.array(second), expected, rtol=1e-6, atol=1e-8)


def test_third_order():
    cubed = bs.grad(bs.grad(bs.grad(lambda v: sp.kv(v, 2.4), jit=False), jit=False), jit=False)
    np.testing.assert_allclose(cubed(1.3), kv_by_order(3, 1.3, 2.4), rtol=1e-13)


@numba.njit
def matern(x, v):
    """The covariances at distances, of a process whose smoothness is the order."""
    scaled = np.sqrt(2.0 * v) * x
    return (
        np.sum(2.0 ** (1.0 - v) / sp.gamma(v) * scaled**v * sp.kv(v, scaled))
        + sp.jv(v, 2.0)
        + sp.ive(v, x[0])
    )


@pytest.mark.compiles
@pytest.mark.turns(9)
def test_orders_in_compiled_functions():
    x = np.array([0.5, 1.0, 2.5])
    np.testing.assert_allclose(matern(x, 1.5), matern.py_func(x, 1.5), rtol=1e-12)
    bs.check_grads(matern, (x, 1.3))
