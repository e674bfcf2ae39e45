"""The minima of functions of one number: SciPy's values, and derivatives by those of the equation that they solve."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.optimize as so

import backsweep as bs


def cost(t: Any, x: Any) -> Any:
    return (t - x[0]) ** 2 + x[1] * t**4


def exact(x: Any) -> Any:
    """The minimum of `cost` and its gradient."""
    t = so.brentq(lambda t: 2 * (t - x[0]) + 4 * x[1] * t**3, -5, 5, xtol=1e-15)
    curvature = 2 + 12 * x[1] * t**2
    return t, np.array([2.0, -4 * t**3]) / curvature


def by_brent(x: Any) -> Any:
    return so.minimize_scalar(lambda t: cost(t, x)).x


def from_two_points(x: Any) -> Any:
    return so.minimize_scalar(cost, bracket=(-1.0, 0.3), args=(x,), tol=1e-9).x


def from_three_points(x: Any) -> Any:
    return so.minimize_scalar(cost, (-1.0, 0.4, 3.0), None, (x,), "brent").x


def within_bounds(x: Any) -> Any:
    return so.minimize_scalar(cost, bounds=(-5, 5), args=(x,), method="bounded").x


def within_narrow_tolerance(x: Any) -> Any:
    return so.minimize_scalar(cost, bounds=(-5, 5), args=(x,), options={"xatol": 1e-9}).x


def by_fminbound(x: Any) -> Any:
    return so.fminbound(cost, -2.0, 2.0, (x,), xtol=1e-8)


def by_brent_itself(x: Any) -> Any:
    return so.brent(cost, (x,))


FORMS = (
    by_brent,
    from_two_points,
    from_three_points,
    within_bounds,
    within_narrow_tolerance,
    by_fminbound,
    by_brent_itself,
)
X = np.array([0.7, 1.3])


@pytest.mark.parametrize("function", FORMS)
def test_minima_inside(function: Any) -> None:
    value, slope = bs.value_and_grad(function, jit=False)(X)
    assert value == pytest.approx(function(X), rel=1e-12)
    np.testing.assert_allclose(slope, exact(X)[1], rtol=1e-4 if function is within_bounds else 1e-7)


def test_forward_mode_and_second_order() -> None:
    value, tangent = bs.jvp(by_brent, (X,), (np.array([1.0, 0.0]),), jit=False)
    np.testing.assert_allclose((value, tangent), (exact(X)[0], exact(X)[1][0]), rtol=1e-7)
    hessian = bs.hessian(by_brent, jit=False)(X)
    step = 1e-5
    columns = [(exact(X + step * e)[1] - exact(X - step * e)[1]) / (2 * step) for e in np.eye(2)]
    np.testing.assert_allclose(hessian, columns, rtol=1e-5)


def test_compiled() -> None:
    np.testing.assert_allclose(bs.grad(by_brent)(X), exact(X)[1], rtol=1e-7)


def test_least_value() -> None:
    """Its derivative is that of the function at the minimum."""

    def least(x):
        found = so.minimize_scalar(lambda t: cost(t, x), bounds=(-5, 5))
        return found.fun if found.success else math.nan

    t, _ = exact(X)
    np.testing.assert_allclose(bs.grad(least, jit=False)(X), [-2 * (t - X[0]), t**4], rtol=1e-4)


def test_minima_at_a_bound_move_with_it() -> None:
    def at_bound(a, upper):
        return so.minimize_scalar(lambda t: (t - a) ** 2, bounds=(0.0, upper)).x

    assert bs.grad(at_bound, argnums=(0, 1), jit=False)(3.0, 2.0) == (0.0, 1.0)
    assert bs.grad(at_bound, argnums=(0, 1), jit=False)(-3.0, 2.0) == (0.0, 0.0)
    np.testing.assert_allclose(bs.grad(at_bound, argnums=(0, 1), jit=False)(1.2, 2.0), (1.0, 0.0), atol=1e-9)


def test_minima_at_a_kink_have_no_finite_derivative() -> None:
    for function in (
        lambda a: so.minimize_scalar(lambda t: abs(t - a)).x,
        lambda a: so.minimize_scalar(lambda t: abs(t - a) + 0.1 * t**2, bounds=(-4.0, 3.0)).x,
    ):
        with np.errstate(divide="ignore", invalid="ignore"):
            assert not np.isfinite(bs.grad(function, jit=False)(0.8))


def test_bracket_that_is_none() -> None:
    with pytest.raises(ValueError, match="Bracketing values"):
        bs.grad(lambda a: so.minimize_scalar(lambda t: (t - a) ** 2, bracket=(0.0, 0.1, 0.2)).x, jit=False)(
            3.0
        )


def test_refused_options() -> None:
    for function, word in (
        (lambda a: so.minimize_scalar(lambda t: (t - a) ** 2, method="golden").x, "method"),
        (lambda a: so.minimize_scalar(lambda t: (t - a) ** 2, method="bounded").x, "bounds"),
        (lambda a: so.brent(lambda t: (t - a) ** 2, full_output=True)[0], "full_output"),
    ):
        with pytest.raises(bs.UnsupportedError, match=word):
            bs.grad(function, jit=False)(1.0)
