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
    return -0.5 * np.sum(np.clip(np.array([x]) ** 2, low, low + 2.0))


def of_entries(x: Any) -> Any:
    a = np.array([[x, -x], [-x, x]])
    several = np.nanmax(a) ** 2 + np.min(a[0]) ** 2 + np.max(a, axis=1)[1] ** 2 + max([x, -x]) ** 2
    return -0.125 * several


def of_known_signs(x: Any) -> Any:
    squares = np.array([x, -x]) ** 2
    lowest = min(x * x, 0.0) + max(0.0, -x * x) + np.sum(np.minimum(0.0, squares))
    return -0.1 * (abs(x * x) + abs(-x * x) - np.copysign(x * x, -1.0) + np.sum(np.abs(squares))) + lowest


def root_of_a_power(x: Any) -> Any:
    return -0.5 * np.sqrt(x**4) + np.sqrt(x**6)


def both_ends(x: Any) -> Any:
    a, b = np.array([x, x]), np.array([3.0 * x, -x])
    apart = np.sum((np.maximum(a, b) - np.minimum(a, b)) ** 2) + (max(x, 3.0 * x) - min(x, 3.0 * x)) ** 2
    c = np.array([3.0 * x, x])
    apart += (np.max(c) - np.min(c)) ** 2 + np.ptp(c) ** 2 + (max(list(c)) - min(list(c))) ** 2
    return 0.25 * max(x, -x) * min(x, -x) - apart / 96.0


def written_out(x: Any) -> Any:
    return np.cos(x if x > 0.0 else -x)


def taken_away(x: Any) -> Any:
    total = 0.0
    for k in range(3):
        total -= (k * x) ** 2
    return max(0.0, total) + 0.1 * min(total, 0.0)


SMOOTH = [
    *(larger, smaller, of_arrays, kept_positive, kept_above_data),
    *(clipped, clipped_between, of_entries, of_known_signs, root_of_a_power),
    *(both_ends, written_out, taken_away),
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


def touching_zero(x: Any) -> Any:
    return max(x**3 - x * x, 0.0) + np.minimum(0.0, x**3 - x * x)


def touching_bounds(x: Any) -> Any:
    return (
        np.clip(x * x - x**3, 0.0, 1.0) + np.clip(0.3, -x * x, x * x + 0.3) + np.clip(0.0, x * x, 2 * x * x)
    )


def touching_sides(x: Any) -> Any:
    return abs(x * x - x**3) + np.copysign(np.sin(x) * x - x**3, 1.0) + min(x * x, 2.0 * x * x)


def touching_entries(x: Any) -> Any:
    a = np.array([x, 2.0 * x, 3.0 * x])
    return np.max(a**2) + max([x * x, 3.0 * x * x]) + np.sum(np.abs(a**2 - a**3))


def lengths_of_squares(x: Any) -> Any:
    a = np.array([x, 2.0 * x])
    several = np.linalg.norm(a**2) + np.sqrt(np.sum(a**4)) + np.std(a * a)
    return several + np.hypot(x * x, x**2) + abs(complex(x * x, x * x)) + abs((x + 1j * x) ** 2)


def touching_in_a_branch(x: Any) -> Any:
    y = x * x - x**3
    total = 0.0
    if x > -1.0:
        total = np.fabs(y)
    for k in range(2):
        total += abs(k * x * x - x**3)
    return total


TOUCHING = [
    *(touching_zero, touching_bounds, touching_sides, touching_entries, lengths_of_squares),
    touching_in_a_branch,
]


@pytest.mark.parametrize("function", TOUCHING, ids=lambda each: each.__name__)
def test_where_both_sides_touch_the_second_derivative_is_not_known(function: Function) -> None:
    modes = [(outer, inner) for outer in (bs.jacfwd, bs.jacrev) for inner in (bs.jacfwd, bs.jacrev)]
    found = [outer(inner(function, jit=False), jit=False) for outer, inner in modes]
    step = 1e-5
    for second in (bs.hessian(function, jit=False), *found):
        assert np.isnan(second(0.0))
        slopes = [bs.grad(function, jit=False)(0.3 + sign * step) for sign in (1, -1)]
        assert second(0.3) == pytest.approx((slopes[0] - slopes[1]) / (2 * step), rel=1e-6)


def test_a_kink_that_does_not_touch_keeps_its_second_derivative() -> None:
    w = np.array([0.0, 1.0])

    def penalty(w: Any) -> Any:
        return np.sum(np.abs(w)) + max(w[0], 0.0) * w[1] + max(np.exp(w[0]) - 1.0, 0.0)

    assert np.isfinite(bs.hessian(penalty, jit=False)(w)).all()


@pytest.mark.compiles
def test_compiled_hessian_where_sides_touch() -> None:
    assert np.isnan(bs.hessian(touching_entries)(0.0))
    assert bs.value_and_grad(bs.grad(both_ends))(0.0) == (0.0, pytest.approx(-1.0))


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


def _of_squares(x: Any) -> Any:
    return np.array([[x * x, x * x], [x * x, x * x]])


def largest_eigenvalue(x: Any) -> Any:
    return np.linalg.eigvalsh(_of_squares(x))[1]


def largest_with_vectors(x: Any) -> Any:
    w, _ = np.linalg.eigh(_of_squares(x))
    return w[1]


def largest_of_hermitian(x: Any) -> Any:
    return np.linalg.eigvalsh(np.array([[x * x, 1j * x * x], [-1j * x * x, x * x]]))[1]


def largest_singular(x: Any) -> Any:
    return np.linalg.svd(np.eye(2) + _of_squares(x))[1][0]


def singular_value_of_zero(x: Any) -> Any:
    return np.linalg.norm(np.array([[x * x, x * x], [0.0 * x, x * x]]), 2)


VALUES = [
    *(largest_eigenvalue, largest_with_vectors, largest_of_hermitian),
    *(largest_singular, singular_value_of_zero),
]


@pytest.mark.parametrize("function", VALUES, ids=lambda each: each.__name__)
def test_where_values_of_a_matrix_touch_the_second_derivative_of_one_is_not_known(function: Function) -> None:
    for outer in (bs.jacfwd, bs.jacrev):
        for inner in (bs.jacfwd, bs.jacrev):
            second = outer(inner(function, jit=False), jit=False)
            assert np.isnan(second(0.0))
            assert second(0.3) == pytest.approx(2.0 * (function(0.3) - function(0.0)) / 0.09)


def test_what_all_equal_eigenvalues_enter_alike_keeps_its_second_derivative() -> None:
    def function(x: Any) -> Any:
        return np.sum(np.exp(np.linalg.eigvalsh(_of_squares(x))))

    assert bs.hessian(function, jit=False)(0.0) == pytest.approx(4.0)
    assert bs.grad(bs.grad(function, jit=False), jit=False)(0.0) == pytest.approx(4.0)


def test_where_vectors_of_equal_eigenvalues_turn_a_second_derivative_is_not_taken_for_zero() -> None:
    def real(x: Any) -> Any:
        return np.sum(np.cosh(np.linalg.eigvalsh(np.array([[x, x], [x, x]]))))

    def hermitian(x: Any) -> Any:
        return np.sum(np.cosh(np.linalg.eigvalsh(np.array([[x, 1j * x], [-1j * x, x]]))))

    for function in (real, hermitian):
        gradient = bs.grad(function, jit=False)
        assert gradient(0.0) == 0.0
        assert np.isnan(bs.grad(gradient, jit=False)(0.0))
        assert np.isnan(bs.jacfwd(gradient, jit=False)(0.0))
