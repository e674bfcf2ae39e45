# ruff: noqa: PLW0108  a ufunc has no text to differentiate
"""Functions of `scipy.special` of complex numbers: values as SciPy's, derivatives against mpmath or differences, forward and reverse."""

from __future__ import annotations

import mpmath
import numba
import numpy as np
import pytest
import scipy.special as sp

import backsweep as bs
from tests.support.refused import refused
from tests.support.sampled import turning

Z = 0.7 + 0.3j
mp = mpmath.mp
HOLOMORPHIC = {
    "jv": (lambda z: sp.jv(1.5, z), lambda z: mpmath.besselj(1.5, z), [Z, -1 + 2j, 10 - 5j]),
    "yv": (lambda z: sp.yv(1, z), lambda z: mpmath.bessely(1, z), [Z]),
    "iv": (lambda z: sp.iv(1.5, z), lambda z: mpmath.besseli(1.5, z), [Z]),
    "kv": (lambda z: sp.kv(1.5, z), lambda z: mpmath.besselk(1.5, z), [Z]),
    "kve": (lambda z: sp.kve(1.5, z), lambda z: mpmath.besselk(1.5, z) * mpmath.exp(z), [Z]),
    "hankel1": (lambda z: sp.hankel1(1.5, z), lambda z: mpmath.hankel1(1.5, z), [Z]),
    "hankel2": (lambda z: sp.hankel2(1, z), lambda z: mpmath.hankel2(1, z), [Z]),
    "hankel1e": (
        lambda z: sp.hankel1e(1.5, z),
        lambda z: mpmath.hankel1(1.5, z) * mpmath.exp(-1j * z),
        [Z],
    ),
    "hankel2e": (lambda z: sp.hankel2e(0, z), lambda z: mpmath.hankel2(0, z) * mpmath.exp(1j * z), [Z]),
    "hyp0f1": (lambda z: sp.hyp0f1(1.5, z), lambda z: mpmath.hyp0f1(1.5, z), [Z]),
    "hyp1f1": (lambda z: sp.hyp1f1(1.5, 0.5, z), lambda z: mpmath.hyp1f1(1.5, 0.5, z), [Z]),
    "hyp2f1": (lambda z: sp.hyp2f1(1.5, 0.5, 2.2, z), lambda z: mpmath.hyp2f1(1.5, 0.5, 2.2, z), [Z]),
    "psi": (
        lambda z: sp.psi(z),
        mpmath.digamma,
        [Z, -2.3 + 0.4j, -3 + 1e-3j, 5 + 20j, -7 - 30j, -2.5 + 1.2j],
    ),
    "gamma": (lambda z: sp.gamma(z), mpmath.gamma, [Z, -2.3 + 0.4j]),
    "rgamma": (lambda z: sp.rgamma(z), mpmath.rgamma, [Z, -2.3 + 0.4j]),
    "loggamma": (lambda z: sp.loggamma(z), mpmath.loggamma, [Z, -2.3 + 0.4j]),
    "erf": (lambda z: sp.erf(z), mpmath.erf, [Z]),
    "erfc": (lambda z: sp.erfc(z), mpmath.erfc, [Z]),
    "erfi": (lambda z: sp.erfi(z), mpmath.erfi, [Z]),
    "erfcx": (lambda z: sp.erfcx(z), lambda z: mpmath.exp(z * z) * mpmath.erfc(z), [Z, 20 + 3j, 40 + 5j]),
    "dawsn": (
        lambda z: sp.dawsn(z),
        lambda z: mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-z * z) * mpmath.erfi(z),
        [Z],
    ),
    "ndtr": (lambda z: sp.ndtr(z), lambda z: mpmath.erfc(-z / mpmath.sqrt(2)) / 2, [Z]),
    "log_ndtr": (lambda z: sp.log_ndtr(z), lambda z: mpmath.log(mpmath.erfc(-z / mpmath.sqrt(2)) / 2), [Z]),
    "expm1": (lambda z: sp.expm1(z), mpmath.expm1, [Z]),
    "log1p": (lambda z: sp.log1p(z), mpmath.log1p, [Z]),
    "xlogy": (lambda z: sp.xlogy(z, z + 1), lambda z: z * mpmath.log(z + 1), [Z]),
    "xlog1py": (lambda z: sp.xlog1py(z, z + 1), lambda z: z * mpmath.log(z + 2), [Z]),
    "exp1": (lambda z: sp.exp1(z), mpmath.e1, [Z]),
    "expi": (lambda z: sp.expi(z), lambda z: mpmath.j * mpmath.pi - mpmath.e1(-z), [Z]),
    "wrightomega": (lambda z: sp.wrightomega(z), lambda z: mpmath.lambertw(mpmath.exp(z)), [Z]),
    "spence": (lambda z: sp.spence(z), lambda z: mpmath.polylog(2, 1 - z), [Z, 1.0 + 1e-6j]),
    "elliprf": (lambda z: sp.elliprf(z, z + 1j, 2), lambda z: mpmath.elliprf(z, z + 1j, 2), [Z, -1 + 0.5j]),
    "elliprd": (
        lambda z: sp.elliprd(z, z + 1j, 2 + z * z),
        lambda z: mpmath.elliprd(z, z + 1j, 2 + z * z),
        [Z, 1j],
    ),
    "elliprg": (
        lambda z: sp.elliprg(z, z + 1j, 2 + z * z),
        lambda z: mpmath.elliprg(z, z + 1j, 2 + z * z),
        [Z],
    ),
    "elliprj": (
        lambda z: sp.elliprj(z, z + 1j, 2 + z * z, z - 0.5j),
        lambda z: mpmath.elliprj(z, z + 1j, 2 + z * z, z - 0.5j),
        [Z],
    ),
    "elliprc": (lambda z: sp.elliprc(z, z + 1j), lambda z: mpmath.elliprc(z, z + 1j), [Z, -1 + 0.1j]),
}


def exact(function, z):
    """The first and second derivative by differences of numbers with forty digits."""
    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -12
        at = mpmath.mpmathify(z)
        low, middle, high = (function(at + step) for step in (-h, 0, h))
        return complex((high - low) / (2 * h)), complex((high - 2 * middle + low) / (h * h))


@pytest.mark.parametrize("name", turning(8, HOLOMORPHIC))
def test_derivatives(name):
    function, of_mpmath, places = HOLOMORPHIC[name]
    pulled = lambda z: bs.vjp(function, z, jit=False)[1](1.0 + 0.0j)  # noqa: E731
    for z in map(complex, places):
        one, two = exact(of_mpmath, z)
        np.testing.assert_allclose(pulled(z), one, rtol=1e-12)
        np.testing.assert_allclose(bs.jvp(function, (z,), (1j,), jit=False)[1], 1j * one, rtol=1e-12)
        real = lambda x, y: function(x + 1j * y).real  # noqa: E731
        twice = np.array(bs.hessian(real, argnums=(0, 1), jit=False)(z.real, z.imag))
        np.testing.assert_allclose(twice[0, 0] - 1j * twice[0, 1], two, rtol=1e-10, atol=1e-12)


SCALED = {
    "jve": (sp.jve, 1.5, [Z, 2 - 1j]),
    "yve": (sp.yve, 0, [Z, 2 - 1j]),
    "ive": (sp.ive, 1.5, [Z, -1.2 + 1j]),
    "hankel1 of real": (sp.hankel1, 1, [0.4]),
    "hankel2e of real": (sp.hankel2e, 1.5, [0.4]),
    "h1vp": (sp.h1vp, 1, [Z]),
    "h2vp": (sp.h2vp, 1, [Z]),
}


@pytest.mark.parametrize("name", turning(3, SCALED))
def test_functions_that_are_not_holomorphic(name):
    function, v, places = SCALED[name]
    for z in places:
        weight = 0.8 - 0.3j
        value, pullback = bs.vjp(lambda z: function(v, z), z, jit=False)
        np.testing.assert_allclose(value, function(v, z), rtol=1e-15)
        for direction in (1.0, 1j) if isinstance(z, complex) else (1.0,):
            h = 1e-3
            ends = [function(v, z + k * h * direction) for k in (-2, -1, 1, 2)]
            slope = (ends[0] - 8.0 * ends[1] + 8.0 * ends[2] - ends[3]) / (12.0 * h)
            along = bs.jvp(lambda z: function(v, z), (z,), (direction,), jit=False)[1]
            np.testing.assert_allclose(along, slope, rtol=1e-8)
            np.testing.assert_allclose(
                np.real(pullback(weight) * direction), np.real(weight * slope), rtol=1e-8
            )


FORMS = {
    "array": (lambda z: sp.jv(np.array([0, 1]), z), np.array([[Z, 2 * Z], [1j, -Z]])),
    "single precision": (lambda z: sp.expm1(z), np.array([Z, 2 * Z], np.complex64)),
    "real order": (lambda z: sp.hyp0f1(1.5, z), np.array([Z, 2 * Z])),
    "real": (lambda z: sp.hankel1(1, z), np.array([0.3, 2.0])),
    "numbers": (lambda z: sp.elliprf(1, 0, z), Z),
    "four": (lambda z: sp.elliprj(z, z + 1, 2, z + 3), Z),
}


@pytest.mark.compiles
@pytest.mark.parametrize("name", turning(3, FORMS))
def test_compiled_calls_give_what_scipy_gives(name):
    function, z = FORMS[name]
    found, wanted = numba.njit(function)(z), function(z)
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if np.asarray(z).dtype == np.complex64 else 1e-15)
    assert np.asarray(found).dtype == np.asarray(wanted).dtype


def test_zeros_of_the_reciprocal_of_gamma():
    pulled = bs.vjp(lambda z: sp.rgamma(z), -2.0 + 0j, jit=False)[1](1.0 + 0j)
    np.testing.assert_allclose(pulled, 2.0, rtol=1e-14)


def test_derivatives_by_the_order_are_refused():
    with refused("argument `v`.*of complex numbers"):
        bs.grad(lambda v: abs(sp.jv(v, 1.0 + 2.0j)))(0.5)
