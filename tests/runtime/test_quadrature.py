"""Integrals of functions have SciPy's values; their derivatives are those of the integrals, not of the search for intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import dblquad, quad, quad_vec, tplquad

import backsweep as bs
from backsweep.runtime.solvers import quadrature
from tests.support.refused import refused
from tests.support.sampled import turning

Function = Callable[..., Any]


def bounded(p, b):
    return quad(lambda x: np.exp(-p * x) * x**2, 0.0, b)[0]


def both_ends_move(p, b):
    value, _ = quad(lambda x, k: np.cos(k * x), p, p * b, args=(b,))
    return value


def turned(p, b):
    return quad(lambda x: np.exp(p * x), b, 0)[0]


def to_infinity(p, b):
    def integrand(x, q):
        return np.exp(-q * x) / (1.0 + x)

    return quad(integrand, b, np.inf, args=(p,))[0]


def from_infinity(p, b):
    return quad(lambda x: np.exp(p * x), -np.inf, b)[0] + quad(np.exp, np.inf, np.inf)[0]


def down_from_infinity(p, b):
    return quad(lambda x: b * np.exp(-p * x), math.inf, 1.0)[0]


def over_the_line(p, b):
    return quad(lambda x: np.exp(-p * (x - b) ** 2) * (x - b) ** 2, -np.inf, np.inf)[0]


def with_a_kink(p, b):
    return quad(lambda x: abs(x - 0.3) * p, 0.0, b, points=[0.3])[0]


def with_a_jump(p, b):
    return quad(lambda x: p * (1.0 if x < 0.25 else 3.0), 0, b, points=(0.25,))[0]


def singular(p, b):
    return quad(lambda x: b * x ** (p - 1.8), 0, 1)[0]


def weighted(p, b):
    w = np.array([1.0, 2.0, b])
    value, _ = quad_vec(lambda x: np.exp(-p * w * x) * x, 0.0, b)
    return np.sum(value * value)


def weighted_to_infinity(p, b):
    w = np.array([1.0, 2.0, b])
    return np.max(quad_vec(lambda x: np.exp(-p * w * x) * x, b, np.inf, norm="max")[0])


def vector_of_a_number(p, b):
    return quad_vec(lambda x: np.exp(-p * x * x), -np.inf, np.inf)[0] * b


def twice(p, b):
    return dblquad(lambda y, x: np.exp(-p * x * y), 0.0, b, lambda x: 0.0, lambda x: x * p)[0]


def twice_on_a_box(p, b):
    return dblquad(lambda y, x, q: np.exp(-q * x * y), 0.0, b, 0, 1, args=(p,))[0]


def thrice(p, b):
    return tplquad(lambda z, y, x: x * y * z * p**2 * b, 0, 1, 0, 2, 0, 3)[0]


PROGRAMS = [
    *(bounded, both_ends_move, turned, to_infinity, from_infinity, down_from_infinity, over_the_line),
    *(with_a_kink, with_a_jump, singular, weighted, weighted_to_infinity, vector_of_a_number),
    *(twice, twice_on_a_box, thrice),
]
AT = (1.3, 0.7)


def slopes(function: Function, at: tuple[float, ...], step: float = 1e-4) -> np.ndarray[Any, Any]:
    """Differences of fourth order."""

    def moved(k: int, by: float) -> float:
        return float(function(*at[:k], at[k] + by, *at[k + 1 :]))

    return np.array(
        [
            (8 * (moved(k, step) - moved(k, -step)) - (moved(k, 2 * step) - moved(k, -2 * step)))
            / (12 * step)
            for k in range(len(at))
        ]
    )


@pytest.mark.parametrize("function", turning(6, PROGRAMS), ids=lambda each: each.__name__)
def test_value_and_gradient(function: Function) -> None:
    value, gradient = bs.value_and_grad(function, argnums=(0, 1), jit=False)(*AT)
    np.testing.assert_allclose(value, function(*AT), rtol=1.5e-8)
    np.testing.assert_allclose(gradient, slopes(function, AT), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    "function", turning(3, [bounded, both_ends_move, to_infinity, over_the_line, with_a_kink])
)
def test_second_derivatives(function: Function) -> None:
    gradient = bs.grad(function, argnums=(0, 1), jit=False)
    by_rows = [slopes(lambda *at, k=k: gradient(*at)[k], AT) for k in (0, 1)]
    hessian = bs.hessian(function, argnums=(0, 1), jit=False)(*AT)
    np.testing.assert_allclose(np.array(hessian), by_rows, rtol=1e-6, atol=1e-7)


def test_forward_mode() -> None:
    _, tangent = bs.jvp(to_infinity, AT, (1.0, 0.5), jit=False)
    gradient = bs.grad(to_infinity, argnums=(0, 1), jit=False)(*AT)
    assert tangent == pytest.approx(gradient[0] + 0.5 * gradient[1], rel=1e-12)


@pytest.mark.compiles
def test_compiled() -> None:
    np.testing.assert_allclose(
        bs.grad(to_infinity, argnums=(0, 1))(*AT), bs.grad(to_infinity, argnums=(0, 1), jit=False)(*AT)
    )


def test_closed_form_of_every_order() -> None:
    """The integral of an exponential by its end is the exponential, to each order."""

    def area(b):
        return quad(np.exp, 0.0, b)[0]

    derivative = area
    for _ in range(3):
        derivative = bs.grad(derivative, jit=False)
        assert derivative(0.4) == pytest.approx(math.exp(0.4), rel=1e-12)


def test_what_is_singular_at_an_end_has_no_derivative_there() -> None:
    def area(a):
        return quad(lambda x: 1.0 / np.sqrt(x), a, 1.0)[0]

    with np.errstate(all="ignore"):
        assert not math.isfinite(bs.grad(area, jit=False)(0.0))


@pytest.mark.parametrize(("b", "text"), [(1.0, "does not reach its tolerance"), (math.inf, "np.inf")])
def test_integrals_that_are_not_computed_raise(b: float, text: str) -> None:
    def area(p, b):
        return quad(lambda x: p / x, 0.0, b)[0]

    with pytest.raises(ValueError, match=text):
        bs.grad(area, jit=False)(1.0, b)


def test_no_error_estimate_has_a_derivative() -> None:
    def error(p):
        return quad(lambda x: np.exp(-p * x), 0.0, 1.0)[1]

    assert bs.grad(error, jit=False)(1.0) == 0.0


@pytest.mark.parametrize(("rule", "degree"), [(quadrature.RULE_21, 31), (quadrature.RULE_15, 22)])
def test_rules_are_exact_for_polynomials(rule: np.ndarray[Any, Any], degree: int) -> None:
    for power in range(degree + 1):
        exact = 2.0 / (power + 1) if power % 2 == 0 else 0.0
        assert np.sum(rule[:, 1] * rule[:, 0] ** power) == pytest.approx(exact, abs=1e-15)
        if power < len(rule) - 1:
            assert np.sum(rule[:, 2] * rule[:, 0] ** power) == pytest.approx(exact, abs=1e-15)


@pytest.mark.parametrize(
    ("function", "word"),
    [
        (lambda p: quad(lambda x: x * p, 0, 1, weight="cos", wvar=2.0)[0], "weight"),
        (lambda p: quad(lambda x: x * p, 0, np.inf, points=[1.0])[0], "points"),
        (lambda p: quad_vec(lambda x: x * p, 0, 1, points=[0.5])[0], "points"),
        (lambda p: quad_vec(lambda x: x * p, 0, 1, norm="1")[0], "norm"),
    ],
)
def test_refused(function: Function, word: str) -> None:
    with refused(word) as caught:
        bs.grad(function, jit=False)(1.0)
    assert caught.value.problems[0].code == "BS202"
