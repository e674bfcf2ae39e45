# ruff: noqa: PLW0108  a ufunc has no text to differentiate
"""Elliptic integrals of Carlson's and other functions of `scipy.special` that few programs call: derivatives of order one and two against mpmath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numba
import numpy as np
import pytest
import scipy.special as sp

import backsweep as bs
from tests.support.refused import refused
from tests.support.sampled import turning

FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[float, ...]]] = {
    "elliprf": (lambda x, y, z: sp.elliprf(x, y, z), mpmath.elliprf, (1e-3, 2.0, 30.0)),
    "elliprf of equal": (lambda x, y, z: sp.elliprf(x, y, z), mpmath.elliprf, (1.5, 1.5, 1.5)),
    "elliprd": (lambda x, y, z: sp.elliprd(x, y, z), mpmath.elliprd, (0.3, 2.0, 2.0 + 1e-7)),
    "elliprg": (lambda x, y, z: sp.elliprg(x, y, z), mpmath.elliprg, (0.3, 2.0, 3.0)),
    "elliprj": (lambda x, y, z, p: sp.elliprj(x, y, z, p), mpmath.elliprj, (1.0, 2.0, 3.0, 1.0)),
    "elliprc": (lambda x, y: sp.elliprc(x, y), mpmath.elliprc, (1.0, 1.0)),
    "elliprc, principal value": (lambda x, y: sp.elliprc(x, y), mpmath.elliprc, (1.0, -2.0)),
    "ellipkinc": (lambda phi, m: sp.ellipkinc(phi, m), lambda phi, m: mpmath.ellipf(phi, m), (1.2, 1e-7)),
    "ellipkinc, half turns": (lambda phi, m: sp.ellipkinc(phi, m), mpmath.ellipf, (-4.0, 0.4)),
    "ellipeinc": (lambda phi, m: sp.ellipeinc(phi, m), mpmath.ellipe, (2.2, 1e-7)),
    "ellipeinc of negative": (lambda phi, m: sp.ellipeinc(phi, m), mpmath.ellipe, (0.3, -3.0)),
    "amplitude": (lambda u, m: sp.ellipj(u, m)[0], lambda u, m: mpmath.ellipfun("sn", u, m), (2.5, 1e-6)),
    "spence": (lambda x: sp.spence(x), lambda x: mpmath.polylog(2, 1 - x), (1.0 + 1e-9,)),
    "spence, further": (lambda x: sp.spence(x), lambda x: mpmath.polylog(2, 1 - x), (2.5,)),
    "boxcox": (lambda x, p: sp.boxcox(x, p), lambda x, p: (x**p - 1) / p, (3.0, 1e-4)),
    "boxcox1p": (lambda x, p: sp.boxcox1p(x, p), lambda x, p: ((1 + x) ** p - 1) / p, (0.7, -1e-4)),
    "inv_boxcox": (lambda x, p: sp.inv_boxcox(x, p), lambda x, p: (1 + p * x) ** (1 / p), (0.7, 1e-8)),
    "inv_boxcox1p": (lambda x, p: sp.inv_boxcox1p(x, p), lambda x, p: (1 + p * x) ** (1 / p) - 1, (0.7, 2.0)),
    "agm": (lambda x, y: sp.agm(x, y), mpmath.agm, (1e-4, 3.0)),
}


def exact(function: Callable[..., Any], at: tuple[float, ...]) -> tuple[Any, Any]:
    """Gradient and Hessian by differences of numbers with forty digits."""
    count = len(at)
    units = mpmath.mpf(10) ** -12 * np.diag([abs(mpmath.mpf(each)) for each in at])
    base = np.array([mpmath.mpf(each) for each in at])

    def value(place: Any) -> Any:
        return mpmath.re(function(*place))

    sizes = np.diag(units)
    one = np.array([(value(base + each) - value(base - each)) / 2 for each in units]) / sizes
    two = np.empty((count, count), dtype=object)
    for i, j in np.ndindex(count, count):
        left, right = units[i], units[j]
        two[i, j] = (
            value(base + left + right)
            - value(base + left - right)
            - value(base - left + right)
            + value(base - left - right)
        ) / (4 * sizes[i] * sizes[j])
    return one.astype(float), two.astype(float)


@pytest.mark.parametrize("name", turning(3, FUNCTIONS))
def test_derivatives(name):
    function, of_mpmath, at = FUNCTIONS[name]
    where = tuple(range(len(at)))
    with mpmath.workdps(50):
        one, two = exact(of_mpmath, at)
    np.testing.assert_allclose(bs.grad(function, argnums=where, jit=False)(*at), one, rtol=1e-12)
    np.testing.assert_allclose(bs.hessian(function, argnums=where, jit=False)(*at), two, rtol=1e-11)


WITH_LIMITS = {
    "ellipkinc": (lambda phi, m: sp.ellipkinc(phi, m), (2.0, 0.0)),
    "ellipeinc": (lambda phi, m: sp.ellipeinc(phi, m), (2.0, 0.0)),
    "ellipj": (lambda u, m: np.sin(sp.ellipj(u, m)[3]), (2.0, 0.0)),
    "spence": (lambda x: sp.spence(x), (1.0,)),
    "boxcox": (lambda x, p: sp.boxcox(x, p), (3.0, 0.0)),
    "boxcox1p": (lambda x, p: sp.boxcox1p(x, p), (3.0, 0.0)),
    "inv_boxcox": (lambda x, p: sp.inv_boxcox(x, p), (0.7, 0.0)),
    "inv_boxcox1p": (lambda x, p: sp.inv_boxcox1p(x, p), (0.7, 0.0)),
}


@pytest.mark.parametrize("name", WITH_LIMITS)
def test_where_the_formula_is_a_limit(name):
    function, at = WITH_LIMITS[name]
    where = tuple(range(len(at)))
    found, beside = (
        bs.hessian(function, argnums=where, jit=False)(*at[:-1], at[-1] + step) for step in (0.0, 1e-9)
    )
    np.testing.assert_allclose(found, beside, rtol=1e-7, atol=1e-9)


@pytest.mark.compiles
def test_principal_value_of_the_third_kind():
    bs.check_grads(lambda x, y, z, p: sp.elliprj(x, y, z, p), (1.0, 2.0, 3.0, -0.4))


def test_agm_of_far_apart_numbers():
    """Squares of the operands do not have to be numbers."""
    slopes = bs.grad(lambda x, y: sp.agm(x, y), argnums=(0, 1), jit=False)
    far, near = slopes(1e150, 1e180), slopes(1.0, 1e30)
    assert np.allclose(far, near, rtol=1e-12)


def test_agm_of_negative_numbers():
    slopes = bs.grad(lambda x, y: sp.agm(x, y), argnums=(0, 1), jit=False)
    assert slopes(-1.0, -2.0) == slopes(1.0, 2.0)


ZETA = [(1.01, 1.0), (1.5, 0.3), (3.0, 20.0), (30.0, 1.0), (0.3, 1.0), (-0.5, 1.0), (-2.0, 1.0), (-7.3, 1.0)]


@pytest.mark.parametrize(("s", "q"), ZETA)
def test_zeta_by_its_exponent(s, q):
    with mpmath.workdps(40):
        exact = [mpmath.zeta(s, q, n) for n in (1, 2)]
    one = (
        bs.grad(lambda s: sp.zeta(s), jit=False) if q == 1.0 else bs.grad(lambda s: sp.zeta(s, q), jit=False)
    )
    two = bs.grad(lambda s: one(s), jit=False)
    np.testing.assert_allclose([one(s), two(s)], [float(each) for each in exact], rtol=1e-12)


def test_zeta_outside_of_its_domain():
    slope = bs.grad(lambda s, q: sp.zeta(s, q), argnums=(0, 1), jit=False)
    assert np.isnan(slope(0.5, 2.0)[0])
    assert np.isnan(slope(2.0, -0.5)[0])


@pytest.mark.parametrize("x", [0.1, 0.5, 0.79, 0.81, 2.0])
def test_kolmogorov(x):
    def survival(x):
        return 2 * sum((-1) ** (k - 1) * mpmath.exp(-2 * (k * x) ** 2) for k in range(1, 130))

    one = bs.grad(lambda x: sp.kolmogorov(x), jit=False)
    two = bs.grad(lambda x: one(x), jit=False)
    with mpmath.workdps(150):
        exact = [mpmath.diff(survival, x, n) for n in (1, 2)]
        place = mpmath.findroot(lambda x: survival(x) - mpmath.mpf(0.3), 0.97)
        inverse = 1 / mpmath.diff(survival, place)
    np.testing.assert_allclose([one(x), two(x)], [float(each) for each in exact], rtol=1e-12)
    assert bs.grad(lambda p: sp.kolmogi(p), jit=False)(0.3) == pytest.approx(float(inverse), rel=1e-12)


@pytest.mark.parametrize("at", [(2.0, 3.0, 1.5), (0.1, 1.0, 0.3), (60.0, 10.0, 40.0), (2.0, 3.0, 0.0)])
def test_chndtr_by_its_freedom(at):
    def below(df):
        x, _, nc = map(mpmath.mpf, at)
        weights = (mpmath.exp(-nc / 2) * (nc / 2) ** k / mpmath.factorial(k) for k in range(120))
        parts = (mpmath.gammainc(df / 2 + k, 0, x / 2, regularized=True) for k in range(120))
        return sum(one * other for one, other in zip(weights, parts, strict=True))

    with mpmath.workdps(40):
        exact = (below(at[1] + mpmath.mpf(10) ** -10) - below(at[1] - mpmath.mpf(10) ** -10)) * 10**10 / 2
    found = bs.grad(lambda x, df, nc: sp.chndtr(x, df, nc), argnums=1, jit=False)(*at)
    assert found == pytest.approx(float(exact), rel=1e-12)


def test_legendre_functions():
    slope = bs.grad(lambda x: sp.lpmv(2, 3.0, x), jit=False)  # 15 x (1 - x^2)
    second = bs.grad(lambda x: slope(x), jit=False)
    np.testing.assert_allclose([slope(0.3), second(0.3)], [15.0 - 45.0 * 0.09, -27.0], rtol=1e-12)
    near = bs.grad(lambda x: sp.lpmv(0, 2.0, x), jit=False)(1.0 - 1e-9)
    assert near == pytest.approx(3.0 - 3e-9, rel=1e-12)


@numba.njit
def of_arrays(x, y):
    return np.sum(sp.elliprd(x, y, 2.0) + sp.elliprj(x, 0.5, y, 1.5) * sp.agm(x, y))


@pytest.mark.compiles
@pytest.mark.turns(3)
def test_compiled_functions_of_the_user():
    x, y = np.array([[0.5], [1.5]]), np.array([1.0, 2.0, 4.0])
    np.testing.assert_allclose(of_arrays(x, y), of_arrays.py_func(x, y), rtol=1e-12)
    bs.check_grads(of_arrays, (x, y))


BY_THE_NUMBER = {
    "pbdv": (lambda x: sp.pbdv(1.3, x)[0] + 2.0 * sp.pbdv(1.3, x)[1], 0.7, True),
    "pbvv": (lambda x: sp.pbvv(1.3, x)[0] + 2.0 * sp.pbvv(1.3, x)[1], 0.7, True),
    "mathieu_cem": (lambda x: sp.mathieu_cem(2, 0.7, x)[0] + 2.0 * sp.mathieu_cem(2, 0.7, x)[1], 30.0, True),
    "mathieu_sem": (lambda x: sp.mathieu_sem(2, 0.7, x)[0] + 2.0 * sp.mathieu_sem(2, 0.7, x)[1], 30.0, True),
    "mathieu_modcem1": (lambda x: sum(sp.mathieu_modcem1(2, 0.7, x)), 0.5, True),
    "mathieu_modcem2": (lambda x: sum(sp.mathieu_modcem2(2, 0.7, x)), 0.5, True),
    "mathieu_modsem1": (lambda x: sum(sp.mathieu_modsem1(2, 0.7, x)), 0.5, True),
    "mathieu_modsem2": (lambda x: sum(sp.mathieu_modsem2(2, 0.7, x)), 0.5, True),
    "mathieu_a": (lambda x: sp.mathieu_a(5, x), 40.0, False),
    "mathieu_b": (lambda x: sp.mathieu_b(2, x), -3.0, False),
    "smirnov": (lambda x: sp.smirnov(100, x), 0.15, False),
    "smirnov, near zero": (lambda x: sp.smirnov(5, x), 1e-2, False),
    "smirnovi": (lambda x: sp.smirnovi(5, x), 0.33, False),
    "nbdtri": (lambda x: sp.nbdtri(3, 4, x), 0.33, True),
}


@pytest.mark.parametrize("name", turning(4, BY_THE_NUMBER))
def test_derivatives_by_the_number(name):
    """First and second derivatives agree with differences of fourth order of SciPy's values."""
    function, x, twice = BY_THE_NUMBER[name]
    h = 1e-3
    ends = [function(x + k * h) for k in (-2, -1, 0, 1, 2)]
    value, pullback = bs.vjp(function, x, jit=False)
    np.testing.assert_allclose(value, ends[2], rtol=1e-12)
    slope = (ends[0] - 8.0 * ends[1] + 8.0 * ends[3] - ends[4]) / (12.0 * h)
    np.testing.assert_allclose(pullback(1.0), slope, rtol=1e-6)
    if twice:
        second = (-ends[0] + 16.0 * ends[1] - 30.0 * ends[2] + 16.0 * ends[3] - ends[4]) / (12.0 * h * h)
        np.testing.assert_allclose(bs.hessian(function, jit=False)(x), second, rtol=1e-4, atol=1e-6)


def test_parameters_of_mathieu_functions_are_refused():
    with refused("argument `q`.*no closed form"):
        bs.grad(lambda q: sp.mathieu_cem(2, q, 30.0)[0])(0.5)
