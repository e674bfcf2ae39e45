"""At points where rules take special values, a derivative is right or nan, never a wrong number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.stats

import backsweep as bs
from backsweep.runtime.interpolation import sinc_derivative
from tests.support import special_points
from tests.support.sampled import turning

KNOWN = turning(3, (*special_points.SQUARES_OF_ROOTS, *special_points.SMOOTH))


@pytest.mark.parametrize(
    ("function", "point", "expected"),
    KNOWN,
    ids=[function.__name__ for function, *_ in KNOWN],
)
def test_hessian_is_known(function: Callable[..., Any], point: Any, expected: Any) -> None:
    hessian = bs.hessian(function, jit=False)(point)
    np.testing.assert_allclose(hessian, expected, atol=3e-14)


@pytest.mark.parametrize(
    ("function", "at", "expected"),
    [
        (lambda x, b: scipy.stats.gennorm.cdf(x, b, 0.0), 0.0, 1.0 / np.sqrt(np.pi)),
        (lambda q, b: scipy.stats.gennorm.ppf(q, b, 0.0), 0.5, np.sqrt(np.pi)),
        (lambda x, b: scipy.stats.laplace.cdf(x, 0.0, b), 0.0, 0.25),
    ],
)
def test_slope_in_the_middle_of_a_distribution(
    function: Callable[..., Any], at: float, expected: float
) -> None:
    assert bs.grad(function, argnums=(0, 1), jit=False)(at, 2.0) == pytest.approx((expected, 0.0))


def test_a_negative_number_has_no_root_to_square() -> None:
    def squared(x):
        return np.sum(np.sqrt(x) ** 2)

    value, gradient = bs.value_and_grad(squared, jit=False)(np.array([-1.0, 2.0]))
    assert np.isnan(value)
    assert gradient[1] == 1.0


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("x", [0.0, 1e-9, -1e-4, 0.3, -0.64, 1.3, 20.3])
def test_derivatives_of_sinc(order: int, x: float) -> None:
    with mpmath.workdps(40):
        exact = mpmath.quad(
            lambda t: (mpmath.pi * t) ** order * mpmath.cos(mpmath.pi * x * t + order * mpmath.pi / 2),
            mpmath.linspace(0, 1, 25),
        )
    assert sinc_derivative(order, x) == pytest.approx(float(exact), rel=1e-12, abs=1e-30)


def test_sinc_has_no_derivative_at_infinity() -> None:
    assert np.isnan(sinc_derivative(1, np.inf))


def test_sinc_of_complex_numbers_has_all_derivatives_at_zero() -> None:
    def real_part(p):
        return np.sinc(p[0] + 1j * p[1]).real

    curvature = np.pi**2 / 3
    hessian = bs.hessian(real_part, jit=False)
    np.testing.assert_allclose(hessian(np.zeros(2)), [[-curvature, 0.0], [0.0, curvature]], atol=1e-12)
    near, step = np.array([0.4, -0.3]), 1e-6
    gradient = bs.grad(real_part, jit=False)
    along = [(gradient(near + step * unit) - gradient(near - step * unit)) / (2 * step) for unit in np.eye(2)]
    np.testing.assert_allclose(hessian(near), along, atol=1e-8)
