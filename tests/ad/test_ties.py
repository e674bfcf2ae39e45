"""Second derivatives at a tie: those of one side, which a smooth function of a choice has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs

Function = Callable[[Any], Any]


def larger(x: Any) -> Any:
    return np.cos(max(x, -x))


def smaller(x: Any) -> Any:
    return np.cos(min(-x, x))


def of_arrays(x: Any) -> Any:
    a = np.array([x, 3.0 * x])
    return np.sum(np.cos(np.maximum(a, -a) / 2.0) + np.cos(np.fmin(a, -a))) / 12.5


def kept_positive(x: Any) -> Any:
    return -0.25 * max(0.0, x * x) - 0.25 * np.maximum(x * x, 0.0)


def kept_above_data(x: Any) -> Any:
    bounds = np.zeros(2)
    return -0.25 * np.sum(np.maximum(bounds, np.array([x, -x]) ** 2))


def clipped(x: Any) -> Any:
    return -0.5 * np.clip(x * x, 0.0, 1.0)


def clipped_between(x: Any) -> Any:
    low = np.zeros(1)
    return -0.5 * np.sum(np.clip(np.array([x * x]), low, low + 2.0))


def of_entries(x: Any) -> Any:
    a = np.array([[x, -x], [-x, x]])
    several = np.nanmax(a) ** 2 + np.min(a[0]) ** 2 + np.max(a, axis=1)[1] ** 2 + max([x, -x]) ** 2
    return -0.1 * (several + np.max(np.array([x * x, -x * x])))


def of_known_signs(x: Any) -> Any:
    squares = np.array([x, -x]) ** 2
    lowest = min(x * x, 0.0) + max(0.0, -x * x) + np.sum(np.minimum(0.0, squares))
    return -0.1 * (abs(x * x) + abs(-x * x) - np.copysign(x * x, -1.0) + np.sum(np.abs(squares))) + lowest


def root_of_a_power(x: Any) -> Any:
    return -0.5 * np.sqrt(x**4) + np.sqrt(x**6)


def written_out(x: Any) -> Any:
    return np.cos(x if x > 0.0 else -x)


SMOOTH = [
    *(larger, smaller, of_arrays, kept_positive, kept_above_data),
    *(clipped, clipped_between, of_entries, of_known_signs, root_of_a_power, written_out),
]
"""Their second derivative at zero is -1."""


@pytest.mark.parametrize("function", SMOOTH, ids=lambda each: each.__name__)
def test_second_order_at_a_tie(function: Function) -> None:
    gradient = bs.grad(function, jit=False)
    assert gradient(0.0) == 0.0
    assert bs.grad(gradient, jit=False)(0.0) == pytest.approx(-1.0)
    assert bs.hvp(function, (0.0,), (1.0,), jit=False) == pytest.approx(-1.0)
    step = 1e-5
    slope = (gradient(0.3 + step) - gradient(0.3 - step)) / (2 * step)
    assert bs.hvp(function, (0.3,), (1.0,), jit=False) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("function", SMOOTH, ids=lambda each: each.__name__)
def test_second_order_beside_the_value(function: Function) -> None:
    gradient = bs.grad(function, jit=False)
    found = [
        bs.value_and_grad(gradient, jit=False)(0.0),
        bs.jvp(gradient, (0.0,), (1.0,), jit=False),
        bs.grad(lambda x: (gradient(x), x), has_aux=True, jit=False)(0.0)[::-1],
    ]
    value, pullback = bs.vjp(gradient, 0.0, jit=False)
    found.append((value, pullback(1.0)))
    for value, second in found:
        assert value == 0.0
        assert second == pytest.approx(-1.0)


def test_a_value_beside_is_that_of_a_shared_tie() -> None:
    share = bs.grad(lambda x, y: 1.0 * max(x, y), wrt=("x", "y"), jit=False)

    def shares(x: Any) -> Any:
        found = share(x, 2.0 - x)
        return found.x + 2.0 * found.y, x * found.x

    assert bs.value_and_grad(shares, has_aux=True, jit=False)(1.0)[0] == (1.5, 0.5)
    assert bs.jvp(shares, (1.0,), (1.0,), has_aux=True, jit=False)[::2] == (1.5, 0.5)
    value, pullback = bs.vjp(share, 1.0, 1.0, jit=False)
    assert (tuple(value), pullback((1.0, 1.0))) == ((0.5, 0.5), (0.0, 0.0))


@pytest.mark.compiles
def test_compiled_hessian_of_a_kernel_that_is_kept_positive() -> None:
    def kernel(x: Any) -> Any:
        squares = np.maximum(x[0] ** 2 + x[1] ** 2, 0.0)
        return np.exp(-0.5 * squares)

    assert bs.hessian(kernel)(np.zeros(2)) == pytest.approx(-np.eye(2))


def test_where_the_larger_is_known_values_and_second_derivatives_go_together() -> None:
    gradient = bs.grad(lambda x: max(x * x, 0.0) + np.maximum(0.0, x * x) + abs(x * x), jit=False)
    assert bs.value_and_grad(gradient, jit=False)(0.0) == (0.0, 6.0)


def test_the_first_derivative_is_shared_and_values_are_as_computed() -> None:
    share = bs.grad(lambda x, y: 2.0 * max(x, y), wrt=("x", "y"), jit=False)
    assert tuple(share(1.0, 1.0)) == (1.0, 1.0)
    slope = bs.grad(lambda x: max(x, 0.0), jit=False)
    value, _ = bs.value_and_grad(lambda x: slope(x) * x + slope(0.0), jit=False)(2.0)
    assert value == 2.5
