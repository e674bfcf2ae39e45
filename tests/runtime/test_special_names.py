"""Functions of `scipy.special` with several results, polynomials, derivatives of Bessel functions: values as SciPy has them, and derivatives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
import scipy.special as sp

import backsweep as bs
from tests.support.refused import refused
from tests.support.sampled import turning

X = np.array([0.4, 1.2, 2.5])
BRANCHES = np.array([0, -1, 0])

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "sici": lambda x: sp.sici(x)[0] * sp.sici(x)[1],
    "shichi": lambda x: sp.shichi(x)[0] * sp.shichi(x)[1],
    "fresnel": lambda x: sp.fresnel(x)[0] * sp.fresnel(x)[1],
    "airy": lambda x: sp.airy(x)[0] * sp.airy(x)[3] + sp.airy(-x)[1] * sp.airy(x)[2],
    "ellipj": lambda x: (
        sp.ellipj(x, 0.3 * x)[0] + sp.ellipj(x, 0.2)[1] * sp.ellipj(x, 0.3)[2] * sp.ellipj(x, 0.3)[3]
    ),
    "legendre": lambda x: sp.eval_legendre(4, x) + sp.eval_sh_legendre(3, x),
    "chebyshev": lambda x: sp.eval_chebyt(5, x) + sp.eval_chebyu(3, x),
    "chebyshev, other intervals": lambda x: (
        sp.eval_chebyc(3, x) * sp.eval_chebys(2, x) + sp.eval_sh_chebyt(4, x) * sp.eval_sh_chebyu(2, x)
    ),
    "hermite": lambda x: sp.eval_hermite(5, x) + sp.eval_hermitenorm(3, x),
    "laguerre": lambda x: (
        sp.eval_laguerre(4, x) + sp.eval_genlaguerre(3, 0.5, x) + sp.eval_gegenbauer(3, 0.7, x)
    ),
    "spherical": lambda x: (
        sp.spherical_jn(2, x) + sp.spherical_yn(1, x) * sp.spherical_in(2, x) * sp.spherical_kn(1, x)
    ),
    "spherical slopes": lambda x: (
        sp.spherical_jn(2, x, True)
        + sp.spherical_yn(1, x, derivative=True)
        + sp.spherical_in(2, x, True)
        + sp.spherical_kn(0, x, True)
    ),
    "degrees below zero": lambda x: (
        sp.eval_legendre(-3, x) * sp.eval_chebyt(-4, x) + sp.eval_chebyu(-5, x) * sp.eval_sh_legendre(-2, x)
    ),
    "spherical, below zero": lambda x: (
        sp.spherical_yn(2, -x) * sp.spherical_kn(1, -x) + sp.spherical_kn(2, -x)
    ),
    "slopes": lambda x: sp.jvp(1, x) + sp.yvp(2.0, x, 2) + sp.ivp(1, x, 2) + sp.kvp(1, x, 3),
    "counts": lambda x: sp.bdtr(2, 5, 0.2 * x) * sp.bdtrc(1, 5, 0.2 * x) + sp.bdtri(2, 5, 0.2 * x),
    "all counts": lambda x: sp.bdtr(2, 2, 0.2 * x) + sp.bdtrc(5, 5, 0.2 * x) + sp.bdtrc(-1, 2, 0.2 * x),
    "waiting": lambda x: sp.nbdtr(2, 4, 0.2 * x) * sp.nbdtrc(2, 3, 0.3 * x) + sp.pdtri(2, 0.2 * x),
    "i0": lambda x: np.i0(x) ** 2,
    "softplus": lambda x: np.logaddexp(0.0, x) if not hasattr(sp, "softplus") else sp.softplus(x) * x,
}


OF_NO_VALUE: dict[str, tuple[Callable[[Any], Any], float]] = {
    "hermite": (lambda x: sp.eval_hermite(-1, x), 1.0),
    "hermitenorm": (lambda x: sp.eval_hermitenorm(-2, x), 1.0),
    "genlaguerre": (lambda x: sp.eval_genlaguerre(0, 1, x), np.nan),
    "chebyt": (lambda x: sp.eval_chebyt(0, x), np.nan),
    "spherical_jn": (lambda x: sp.spherical_jn(-1, x), 1.0),
    "spherical_kn": (lambda x: sp.spherical_kn(-2, x, True), 1.0),
}


@pytest.mark.parametrize("name", OF_NO_VALUE)
def test_nan_where_scipy_has_no_value(name):
    function, x = OF_NO_VALUE[name]
    assert np.isnan(function(x))
    assert np.isnan(bs.vjp(function, x, jit=False)[0])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", turning(6, PROGRAMS))
def test_programs(name):
    function = PROGRAMS[name]
    gradient = bs.grad(lambda x: np.sum(function(x)), jit=False)
    for x in (X, 1.1):
        value, pull = bs.vjp(function, x, jit=False)
        np.testing.assert_allclose(value, function(x), rtol=1e-12)
        slope = pull(np.ones_like(value) if np.ndim(value) else 1.0)
        second = bs.grad(lambda x: np.sum(gradient(x)), jit=False)(x)
        tangent = bs.jvp(function, (x,), (np.ones_like(x) if np.ndim(x) else 1.0,), jit=False)[1]
        np.testing.assert_allclose(tangent, slope, rtol=1e-12)
        np.testing.assert_allclose(slope, extrapolated(function, x), rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(second, extrapolated(gradient, x), rtol=1e-8, atol=1e-8)


def extrapolated(function: Callable[[Any], Any], x: Any) -> Any:
    """The slope by central differences of two steps."""
    wide, narrow = ((function(x + h) - function(x - h)) / (2.0 * h) for h in (2e-3, 1e-3))
    finer = (function(x + 5e-4) - function(x - 5e-4)) / 1e-3
    once, twice = (4.0 * narrow - wide) / 3.0, (4.0 * finer - narrow) / 3.0
    return (16.0 * twice - once) / 15.0


@pytest.mark.parametrize("n", [0, 1, 2])
def test_spherical_bessel_functions_at_zero(n):
    assert bs.value_and_grad(lambda x: sp.spherical_jn(n, x), jit=False)(0.0) == ((n == 0), (n == 1) / 3.0)
    assert bs.grad(lambda x: sp.spherical_in(n, x), jit=False)(0.0) == (n == 1) / 3.0


def test_degrees_with_a_fraction_raise():
    with pytest.raises(ValueError, match="whole degree"):
        bs.grad(lambda x: sp.eval_legendre(1.5, x), jit=False)(0.3)


def test_by_a_degree_is_refused():
    for function in (sp.eval_legendre, sp.eval_hermite, sp.polygamma):
        with pytest.raises(bs.UnsupportedError, match="whole number"):
            bs.grad(lambda n: function(n, 0.3), jit=False)(2.0)  # noqa: B023  called at once


@pytest.mark.parametrize("n", [0, 1])
def test_polynomials_of_low_degree(n):
    assert bs.grad(lambda x: sp.eval_legendre(n, x) + sp.eval_hermite(n, x), jit=False)(0.3) == 3.0 * n


COMPILED = {name: numba.njit(function) for name, function in PROGRAMS.items() if name != "softplus"}


@pytest.mark.compiles
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", turning(12, COMPILED))
def test_compiled_functions_of_the_user(name):
    function = COMPILED[name]
    np.testing.assert_allclose(function(X), PROGRAMS[name](X), rtol=1e-12)
    bs.check_grads(lambda x: np.sum(function(x)), (X,))


@pytest.mark.compiles
@pytest.mark.turns(9)
def test_machine_code_of_the_disk_finds_the_functions_of_several_results():
    program = "from backsweep.runtime.special_functions.several_results import airy_bi; print(airy_bi(0.5))"
    for _ in range(2):
        found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert abs(float(found.stdout) - sp.airy(0.5)[2]) < 1e-15


@pytest.mark.filterwarnings("ignore:non-integer arg", "ignore:floating point number truncated")
def test_counts_are_cut_off() -> None:
    """SciPy takes the whole part of the counts, and warns of it."""
    for function in (sp.nbdtr, sp.nbdtrc, sp.bdtr, sp.bdtrc):
        value, gradient = bs.value_and_grad(lambda p, of=function: of(1.8, 2.8, p), jit=False)(0.3)
        of_whole, slope = bs.value_and_grad(lambda p, of=function: of(1, 2, p), jit=False)(0.3)
        assert value == pytest.approx(float(function(1, 2, 0.3)), rel=1e-13)
        assert (of_whole, slope) == (pytest.approx(value, rel=1e-13), pytest.approx(gradient, rel=1e-13))


@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.parametrize("function", [sp.kn, sp.yn], ids=["kn", "yn"])
def test_orders_are_cut_off(function: Any) -> None:
    for order in (1.7, 0.5, -0.5, -1.7):
        value, gradient = bs.value_and_grad(lambda x, of=function, n=order: of(n, x), jit=False)(2.0)
        whole, slope = bs.value_and_grad(lambda x, of=function, n=int(order): of(n, x), jit=False)(2.0)
        assert (value, gradient) == (pytest.approx(whole, rel=1e-13), pytest.approx(slope, rel=1e-13))
        assert value == pytest.approx(float(function(int(order), 2.0)), rel=1e-13)


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "lambertw": (lambda x: np.real(sp.lambertw(x, BRANCHES)), "`k` of `scipy.special.lambertw` is an array"),
    "eval_chebyt": (lambda x: sp.eval_chebyt(3, x * 1j).imag, "of real numbers alone"),
    "spherical_jn": (lambda x: sp.spherical_jn(2, x * 1j).imag, "of real numbers alone"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_calls_that_are_refused(name):
    function, message = REFUSED[name]
    with refused(message, bs.BacksweepError):
        bs.vjp(function, X, jit=False)
