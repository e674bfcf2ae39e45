# ruff: noqa: PLW0108  a ufunc has no text to differentiate
"""Incomplete gamma and beta functions and their inverses by their shapes: against mpmath, and of second order against the first."""

from __future__ import annotations

import itertools
import math
from typing import Any

import mpmath
import numba
import numpy as np
import pytest
import scipy.special as sp
import scipy.stats

import backsweep as bs
from backsweep.runtime.special_functions.incomplete_beta import (
    betainc_by_a,
    betainc_by_a_twice,
    betainc_by_b,
    betainc_by_b_twice,
    betainc_by_both,
)
from backsweep.runtime.special_functions.incomplete_gamma import gammainc_by_shape, gammainc_by_shape_twice
from backsweep.runtime.special_functions.voigt import voigt_by_gamma, voigt_by_x, voigt_imaginary
from tests.support.sampled import turning

STEP = mpmath.mpf(10) ** -25


def differences(function: Any, *at: float) -> tuple[Any, ...]:
    """The derivatives of order one and two with respect to the operands."""
    with mpmath.workdps(100):
        units = [[STEP * (i == k) for i in range(len(at))] for k in range(len(at))]
        base = [mpmath.mpf(each) for each in at]

        def moved(*steps: Any) -> Any:
            return function(*(sum(parts) for parts in zip(base, *steps, strict=True)))

        def back(step: Any) -> Any:
            return [-each for each in step]

        first = [(moved(one) - moved(back(one))) / (2 * STEP) for one in units]
        second = [(moved(one) - 2 * moved() + moved(back(one))) / STEP**2 for one in units]
        mixed = None
        if len(at) == 2:
            one, other = units
            mixed = (
                moved(one, other)
                - moved(one, back(other))
                - moved(back(one), other)
                + moved(back(one), back(other))
            )
            mixed /= 4 * STEP**2
        return (*first, *second, mixed)


GAMMA = [(a, share) for a in (1e-3, 0.5, 2.5, 30.0, 1e4) for share in (1e-3, 0.3, 0.97, 1.02, 1.5, 4.0)]


@pytest.mark.parametrize(("a", "share"), turning(5, GAMMA))
def test_gammainc_by_its_shape(a, share):
    x = a * share
    one, two, _ = differences(
        lambda s: (
            mpmath.gammainc(s, 0, x, regularized=True)
            if share < 1.0
            else -mpmath.gammainc(s, x, regularized=True)
        ),
        a,
    )
    if abs(one) > 1e-280:
        assert abs(gammainc_by_shape(a, x) / one - 1) < 1e-11
        assert abs(gammainc_by_shape_twice(a, x) - two) <= 1e-9 * abs(two) + 1e-12 * abs(one)


BETA = [(*each, x) for each in itertools.product((0.05, 1.0, 3.3, 200.0), repeat=2) for x in (0.01, 0.4, 0.9)]


@pytest.mark.parametrize(("a", "b", "x"), turning(6, BETA))
def test_betainc_by_its_shapes(a, b, x):
    below = x < a / (a + b)
    expected = differences(
        lambda s, t: (
            mpmath.betainc(s, t, 0, x, regularized=True)
            if below
            else -mpmath.betainc(s, t, x, 1, regularized=True)
        ),
        a,
        b,
    )
    if max(abs(each) for each in expected) < 1e-40:
        return
    kernels = (betainc_by_a, betainc_by_b, betainc_by_a_twice, betainc_by_b_twice, betainc_by_both)
    scale = abs(expected[0]) + abs(expected[1])
    for order, (kernel, value) in enumerate(zip(kernels, expected, strict=True)):
        allowed = 1e-10 * abs(value) if order < 2 else 1e-8 * abs(value) + 1e-9 * scale
        assert abs(kernel(a, b, x) - value) <= allowed, kernel


@pytest.mark.parametrize("function", [gammainc_by_shape, gammainc_by_shape_twice])
def test_outside_of_the_domain_of_gammainc(function):
    assert function(2.0, 0.0) == 0.0
    assert function(2.0, np.inf) == 0.0
    assert np.isnan(
        [function(-1.0, 2.0), function(0.0, 2.0), function(2.0, -1.0), function(np.nan, 1.0)]
    ).all()


def test_outside_of_the_domain_of_betainc():
    assert betainc_by_a(2.0, 3.0, 0.0) == betainc_by_b(2.0, 3.0, 1.0) == 0.0
    assert np.isnan([betainc_by_a(-1.0, 3.0, 0.5), betainc_by_b(2.0, 3.0, 1.5)]).all()


TWICE: dict[str, tuple[Any, tuple[float, ...]]] = {
    "gammaincc": (lambda a, x: sp.gammaincc(a, x), (2.3, 3.7)),
    "gammaincinv": (lambda a, p: sp.gammaincinv(a, p), (2.3, 0.3)),
    "gammainccinv": (lambda a, p: sp.gammainccinv(a, p), (2.3, 0.3)),
    "betaincc": (lambda a, b, x: sp.betaincc(a, b, x), (2.1, 3.2, 0.6)),
    "betaincinv": (lambda a, b, p: sp.betaincinv(a, b, p), (2.1, 3.2, 0.6)),
    "betainccinv": (lambda a, b, p: sp.betainccinv(a, b, p), (2.1, 3.2, 0.6)),
    "chdtr": (lambda v, x: sp.chdtr(v, x) - sp.chdtrc(v, 0.9 * x), (3.2, 2.2)),
    "chdtri": (lambda v, p: sp.chdtri(v, p), (3.2, 0.4)),
    "gdtr": (lambda a, b, x: sp.gdtr(a, b, x) * sp.gdtrc(a, b, x), (1.2, 2.3, 1.4)),
    "gdtrix": (lambda a, b, p: sp.gdtrix(a, b, p), (1.2, 2.3, 0.4)),
    "voigt": (lambda x, s, g: sp.voigt_profile(x, s, g), (0.5, 1.1, 0.3)),
    "voigt, by a slope": (lambda x, s, g: voigt_by_x(x, s, g) * voigt_by_gamma(x, s, g), (0.5, 1.1, 0.3)),
    "fdtr": (lambda m, n, x: sp.fdtr(m, n, x) * sp.fdtrc(m, n, x), (3.0, 4.0, 1.2)),
    "fdtri": (lambda m, n, p: sp.fdtri(m, n, p), (3.0, 4.0, 0.3)),
    "chdtriv": (lambda p, x: sp.chdtriv(p, x), (0.3, 2.0)),
    "gdtria": (lambda p, b, x: sp.gdtria(p, b, x) * sp.gdtrib(1.3, p, x), (0.3, 2.0, 1.5)),
    "btdtria": (lambda p, b, x: sp.btdtria(p, b, x) * sp.btdtrib(1.3, p, x), (0.3, 2.0, 0.4)),
    "fdtridfd": (lambda m, p, x: sp.fdtridfd(m, p, x), (2.0, 0.5, 1.1)),
    "pdtrik": (lambda p, m: sp.pdtrik(p, m), (0.5, 3.0)),
    "nbdtrik": (lambda y, n, p: sp.nbdtrik(y, n, p), (0.5, 3.0, 0.3)),
    "bdtrik": (lambda y, n, p: sp.bdtrik(y, n, p), (0.5, 9.0, 0.3)),
    "nrdtrisd": (lambda m, p, x: sp.nrdtrisd(m, p, x) * sp.nrdtrimn(p, m, x), (1.0, 0.7, 3.0)),
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


@pytest.mark.parametrize("t", [-40.0, -1.5, -1e-4, 0.0, 1e-4, 0.8, 6.0])
def test_student_by_its_freedom(t):
    def tail(df):  # of the side on which t is
        return mpmath.betainc(df / 2, mpmath.mpf(1) / 2, 0, df / (df + t * t), regularized=True) / 2

    one, _, _ = differences(lambda df: tail(df) if t <= 0.0 else -tail(df), 3.5)
    found = bs.grad(lambda df: sp.stdtr(df, t), jit=False)(3.5)
    assert abs(found - one) <= 1e-10 * abs(one)


def test_student_of_infinite_freedom():
    assert bs.grad(lambda t: sp.stdtr(np.inf, t), jit=False)(0.3) == pytest.approx(0.38138781546052414)
    assert bs.hessian(lambda t: sp.stdtr(np.inf, t), jit=False)(0.3) == pytest.approx(-0.1144163446381572)
    value, slopes = bs.value_and_grad(lambda x, df: scipy.stats.t.logpdf(x, df), argnums=(0, 1), jit=False)(
        0.7, np.inf
    )
    assert value == pytest.approx(scipy.stats.norm.logpdf(0.7))
    assert slopes == pytest.approx((-0.7, 0.0))
    assert np.isnan(bs.grad(lambda x: sp.betainc(np.inf, 2.0, x), jit=False)(0.3))


@pytest.mark.parametrize("x", [-3.0, 0.0, 0.5, 5.0, 9.0])
@pytest.mark.parametrize(("sigma", "gamma"), [(1.0, 0.0), (1.0, 1e-3), (0.7, 0.5), (4.0, 3.0)])
def test_voigt(x, sigma, gamma):
    def whole(x):
        z = (x + 1j * mpmath.mpf(gamma)) / (mpmath.mpf(sigma) * mpmath.sqrt(2))
        return mpmath.exp(-z * z) * mpmath.erfc(-1j * z) / (mpmath.mpf(sigma) * mpmath.sqrt(2 * mpmath.pi))

    slope, _, _ = differences(whole, x)
    assert abs(voigt_by_x(x, sigma, gamma) - slope.real) <= 1e-11 * abs(slope if gamma else slope.real)
    assert abs(voigt_by_gamma(x, sigma, gamma) + slope.imag) <= 1e-11 * abs(slope)
    assert abs(voigt_imaginary(x, sigma, gamma) - whole(mpmath.mpf(x)).imag) <= 1e-12


def test_voigt_without_width():
    bs.check_grads(lambda x, gamma: sp.voigt_profile(x, 0.0, gamma), (0.5, 0.3))
    assert math.isnan(voigt_by_x(1.0, -1.0, 1.0))


def exact_shape(function: Any, guess: float) -> Any:
    """The root of a function, and how its reciprocal slope moves it."""
    root = mpmath.findroot(function, guess, tol=1e-40)
    return root, 1 / mpmath.diff(function, root)


def test_inverses_by_parameters():
    """Values and first derivatives against roots of the distribution functions."""
    with mpmath.workdps(40):
        half = mpmath.mpf(1) / 2
        v, slope = exact_shape(
            lambda v: mpmath.gammainc(v / 2, 0, 1, regularized=True) - mpmath.mpf(0.01), 9.0
        )
        df, freedom = exact_shape(
            lambda v: half - mpmath.betainc(v / 2, half, 0, v / (v + 1), regularized=True) / 2 + half - 0.78,
            1.6,
        )
        k, count = exact_shape(lambda k: mpmath.gammainc(k + 1, 3, regularized=True) - half, 2.5)
    for found, exact in (
        (bs.value_and_grad(lambda p: sp.chdtriv(p, 2.0), jit=False)(0.01), (v, slope)),
        (bs.value_and_grad(lambda p: sp.stdtridf(p, 1.0), jit=False)(0.78), (df, freedom)),
        (bs.value_and_grad(lambda p: sp.pdtrik(p, 3.0), jit=False)(0.5), (k, count)),
    ):
        np.testing.assert_allclose(found, [float(each) for each in exact], rtol=1e-12)


def test_inverses_at_their_bounds():
    """Where no count gives a probability, SciPy answers with the bound, which is constant."""
    assert sp.pdtrik(0.3, 0.5) == sp.bdtrik(0.1, 5.0, 0.1) == sp.nbdtrik(0.1, 5.0, 0.9) == 0.0
    assert bs.grad(lambda p, m: sp.pdtrik(p, m), argnums=(0, 1), jit=False)(0.3, 0.5) == (0.0, 0.0)
    for function, args in ((sp.bdtrik, (0.1, 5.0, 0.1)), (sp.nbdtrik, (0.1, 5.0, 0.9))):
        slopes = bs.grad(lambda y, n, p: function(y, n, p), argnums=(0, 1, 2), jit=False)(*args)  # noqa: B023
        assert slopes == (0.0, 0.0, 0.0)
    assert bs.grad(lambda p, t: sp.stdtridf(p, t), argnums=(0, 1), jit=False)(0.99, 1.0) == (0.0, 0.0)
    assert bs.grad(lambda p: sp.bdtrik(1.0, 3.0, p), jit=False)(0.5) == 0.0


def test_poisson():
    bs.check_grads(lambda m: sp.pdtr(2.0, m) + 3.0 * sp.pdtrc(4, m), (1.7,))


@numba.njit
def likelihood(shape, x):
    return np.sum(np.log(sp.gammainc(shape, x))) + sp.betainc(shape, 2.0, 0.3)


@pytest.mark.compiles
@pytest.mark.turns(9)
def test_compiled_functions_of_the_user():
    x = np.array([0.5, 1.0, 2.5])
    np.testing.assert_allclose(likelihood(1.5, x), likelihood.py_func(1.5, x), rtol=1e-12)
    bs.check_grads(likelihood, (1.5, x))
