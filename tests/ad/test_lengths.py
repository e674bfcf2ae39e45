"""Second derivatives of lengths that are not squared: nan where the length is zero, but where it is left out or does not change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs

ZERO = np.zeros(2)
POINT = np.array([0.7, -0.4])
PLACES = np.array([[0.0, 0.0], [1.0, 2.0]])
Function = Callable[[Any], Any]


def length(x: Any) -> Any:
    return np.linalg.norm(x)


def cosine(x: Any) -> Any:
    return np.cos(np.linalg.norm(x))


def matern(x: Any) -> Any:
    r = np.linalg.norm(x - np.zeros(2))
    return (1 + r + r * r / 3) * np.exp(-r)


def of_a_point(x: Any) -> Any:
    return np.cos(np.hypot(x[0], x[1]))


def of_a_complex_number(x: Any) -> Any:
    return np.cos(abs(x[0] + 1j * x[1]))


def of_a_complex_vector(x: Any) -> Any:
    return np.exp(-np.linalg.norm(x * (1.0 + 2.0j)))


def spread(x: Any) -> Any:
    return np.cos(np.std(x))


def written_out(x: Any) -> Any:
    return np.cos(np.sqrt(x[0] * x[0] + x[1] ** 2))


def of_an_order(x: Any) -> Any:
    return np.cos(np.linalg.norm(x, 3))


def absolute(x: Any) -> Any:
    return np.sum(np.cos(np.abs(x)) * np.exp(np.abs(x)[::-1]))


def penalty(x: Any) -> Any:
    return 0.3 * np.sum(np.abs(x))


UNKNOWN = [
    length,
    cosine,
    matern,
    of_a_point,
    of_a_complex_number,
    of_a_complex_vector,
    spread,
    written_out,
    of_an_order,
]


def masked(x: Any) -> Any:
    r = np.linalg.norm(x)
    return np.where(r > 0, np.sin(r) / np.where(r > 0, r, 1.0), 1.0) + np.sum(x**2)


def in_a_branch(x: Any) -> Any:
    r = np.hypot(x[0], x[1])
    return (np.sin(r) / r if r > 0 else 1.0) + np.sum(x**2)


def of_the_third_power(x: Any) -> Any:
    return np.linalg.norm(x) ** 3 + x[0] * x[1]


def pairs(x: Any) -> Any:
    total = 0.0
    for i in range(2):
        for j in range(2):
            total += np.exp(-np.linalg.norm(x * i + PLACES[i] - x * j - PLACES[j]))
    return total


def of_what_a_loop_adds_up(x: Any) -> Any:
    total = 0.0
    for each in x:
        total -= each * each
    return abs(total)


KNOWN = {
    masked: 2.0 * np.eye(2),
    in_a_branch: 2.0 * np.eye(2),
    of_the_third_power: np.array([[0.0, 1.0], [1.0, 0.0]]),
    of_what_a_loop_adds_up: 2.0 * np.eye(2),
}


def hessians(function: Function, x: Any, *, jit: bool = False) -> list[Any]:
    """The second derivatives in each order of modes."""
    modes = [(outer, inner) for outer in (bs.jacfwd, bs.jacrev) for inner in (bs.jacfwd, bs.jacrev)]
    found = [outer(inner(function, jit=jit), jit=jit)(x.copy()) for outer, inner in modes]
    return [bs.hessian(function, jit=jit)(x.copy()), *found]


@pytest.mark.parametrize("function", UNKNOWN, ids=lambda function: function.__name__)
def test_nobody_knows(function: Function) -> None:
    assert np.array_equal(bs.grad(function, jit=False)(ZERO.copy()), ZERO)
    for found in hessians(function, ZERO):
        assert np.isnan(found).all(), found


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiles)])
def test_absolute_values(*, jit: bool) -> None:
    for found in hessians(absolute, ZERO, jit=jit):
        assert np.isnan(np.diag(found)).all(), found
    assert np.array_equal(bs.hessian(penalty, jit=jit)(ZERO), np.zeros((2, 2)))


@pytest.mark.parametrize("function", KNOWN, ids=lambda function: function.__name__)
def test_what_is_left_out_contributes_nothing(function: Function) -> None:
    for found in hessians(function, ZERO):
        assert found == pytest.approx(KNOWN[function])


def of_what_cancels(x: Any) -> Any:
    return np.sum(np.abs((x + 1) * (x + 1) - 2 * x - 1))


def norm_of_what_cancels(x: Any) -> Any:
    return np.linalg.norm((x + 1) * (x + 1) - 2 * x - 1)


def point_of_what_cancels(x: Any) -> Any:
    u = (x + 1) * (x + 1) - 2 * x - 1
    return np.hypot(u[0], u[1])


FLAT = [of_what_cancels, norm_of_what_cancels, point_of_what_cancels]
"""Flat at zero, where something that is not flat cancels."""


@pytest.mark.parametrize("function", FLAT, ids=lambda function: function.__name__)
def test_a_flat_length(function: Function) -> None:
    assert np.array_equal(bs.grad(function, jit=False)(ZERO.copy()), ZERO)
    for found in hessians(function, ZERO):
        assert np.isnan(np.diag(found)).all(), found


def warped_pairs(x: Any) -> Any:
    p = np.exp(x)
    total = 0.0
    for one in p:
        for other in p:
            total += np.exp(-abs(one - other))
    for i in range(2):
        for j in range(2):
            total += np.exp(-abs(p[i] - p[j]) / 2)
    return total + np.sum(np.abs(p[:, None] - p[None, :]))


def masked_residuals(x: Any) -> Any:
    mask = np.array([1.0, 0.0])
    outside = x**3
    outside[1] = 0.0
    return np.sum(np.abs(mask * (x * x - 3.0))) + np.sum(np.abs(outside * np.cos(x[0])))


def test_what_is_zero_wherever_it_moves() -> None:
    x = np.array([0.3, 0.9])
    for function in (warped_pairs, masked_residuals):
        slopes = [bs.grad(function, jit=False)(x + sign * 1e-5 * e) for e in np.eye(2) for sign in (1, -1)]
        expected = np.array([slopes[0] - slopes[1], slopes[2] - slopes[3]]) / 2e-5
        gradient = bs.grad(function, jit=False)
        for found in (bs.hessian(function, jit=False)(x), bs.jacfwd(gradient, jit=False)(x)):
            assert found == pytest.approx(expected, abs=1e-7)


def pairs_of_rows(x: Any) -> Any:
    points = PLACES + np.stack((x, -x))
    apart = points[:, None] - points[None]
    return np.sum(np.exp(-np.sqrt(np.sum(apart**2, axis=-1))) + np.exp(-np.linalg.norm(apart, axis=-1)))


@pytest.mark.parametrize("pairs", [pairs, pairs_of_rows])
def test_a_distance_that_does_not_change(pairs: Function) -> None:
    found = hessians(pairs, ZERO)
    step = 1e-5
    slopes = [bs.grad(pairs, jit=False)(sign * step * unit) for unit in np.eye(2) for sign in (1, -1)]
    expected = np.array([slopes[0] - slopes[1], slopes[2] - slopes[3]]) / (2 * step)
    for each in found:
        assert each == pytest.approx(expected, abs=1e-6)


def added_up(x: Any) -> Any:
    s = 0.0
    for i in range(x.size):
        s += x[i] ** 2
    return np.cos(np.sqrt(s))


def matern_added_up(x: Any) -> Any:
    s = 0.0
    for i in range(x.size):
        s += (x[i] - ZERO[i]) ** 2
    r = np.sqrt(s)
    return (1 + r + r * r / 3) * np.exp(-r) + 0.1 * (np.exp(r) + np.exp(-r))


def masked_and_added_up(x: Any) -> Any:
    s = 0.0
    for i in range(x.size):
        s += x[i] ** 2
    return (np.cos(np.sqrt(s)) if s > 0 else 1.0) + np.sum(x**2)


def pairs_added_up(x: Any) -> Any:
    total = 0.0
    for i in range(2):
        for j in range(2):
            s = 0.0
            for k in range(2):
                apart = x[k] * i + PLACES[i, k] - x[k] * j - PLACES[j, k]
                s += apart * apart
            r = np.sqrt(s)
            total += np.exp(-r) + np.cos(r) + r**3
    return total


@pytest.mark.parametrize("function", [added_up, matern_added_up, masked_and_added_up, pairs_added_up])
def test_lengths_that_loops_add_up(function: Function) -> None:
    """Derivatives of the gradient, which tells by its adjoints what moves."""
    gradient = bs.grad(function, jit=False)
    step = 1e-5
    for x in (ZERO, POINT):
        slopes = [gradient(x + sign * step * unit) for unit in np.eye(2) for sign in (1, -1)]
        expected = np.array([slopes[0] - slopes[1], slopes[2] - slopes[3]]) / (2 * step)
        if x is ZERO and function in (added_up, matern_added_up):
            assert np.array_equal(gradient(x), ZERO)
            expected = np.diag([np.nan, np.nan])  # one number does not change with the other
        elif x is ZERO and function is masked_and_added_up:
            expected = 2.0 * np.eye(2)
        forwards = bs.jacfwd(function, jit=False)
        modes = [bs.hessian(function, jit=False), *(by(gradient, jit=False) for by in (bs.jacfwd, bs.jacrev))]
        for found in modes:
            assert found(x.copy()) == pytest.approx(expected, abs=1e-6, nan_ok=True)
        for by in (bs.jacfwd, bs.jacrev):
            found = np.asarray(by(forwards, jit=False)(x.copy()))
            assert np.isnan(found[0, 0]) or found == pytest.approx(expected, abs=1e-6)
        value, slope = bs.jvp(gradient, (x,), (np.array([1.0, 0.0]),), jit=False)
        assert np.array_equal(value, gradient(x))
        assert slope == pytest.approx(expected[0], abs=1e-6, nan_ok=True)


@pytest.mark.parametrize("function", [*UNKNOWN, *KNOWN], ids=lambda function: function.__name__)
def test_elsewhere(function: Function) -> None:
    step = 1e-5
    for found in hessians(function, POINT):
        slopes = [
            bs.grad(function, jit=False)(POINT + sign * step * unit) for unit in np.eye(2) for sign in (1, -1)
        ]
        expected = np.array([slopes[0] - slopes[1], slopes[2] - slopes[3]]) / (2 * step)
        assert found == pytest.approx(expected, abs=1e-7)


def deviations(x: Any, y: Any) -> Any:
    a, b = np.sin(x - np.mean(x)), np.sin(y - np.mean(y))
    return np.sum(a * b) / np.linalg.norm(a)


def test_contributions_to_what_is_not_known_again() -> None:
    """The array that says so holds other contributions, too."""
    x, y, step = np.array([0.7, -0.4, 0.3]), np.array([0.3, 1.1, 0.2]), 1e-5
    along = (np.array([0.2, -0.5, 0.9]), np.array([0.4, 0.1, -0.3]))
    gradient = bs.grad(deviations, (0, 1), jit=False)
    ends = [gradient(x + sign * step * along[0], y + sign * step * along[1]) for sign in (1, -1)]
    found = bs.hvp(deviations, argnums=(0, 1), jit=False)((x, y), along)
    for each, after, before in zip(found, *ends, strict=True):
        assert each == pytest.approx((after - before) / (2 * step), abs=1e-7)


def test_a_factor_of_a_length_is_a_direction_of_its_own() -> None:
    def scaled(x: Any) -> Any:
        return x[1] * np.linalg.norm(x[:1]) + x[1] ** 2

    for found in hessians(scaled, ZERO):
        assert found[1, 1] == 2.0


@pytest.mark.compiles
def test_compiled() -> None:
    for function in (matern, of_a_complex_number):
        assert np.isnan(bs.hessian(function)(ZERO)).all()
    assert bs.hessian(masked)(ZERO) == pytest.approx(KNOWN[masked])
    narrow = bs.hessian(cosine)(POINT.astype(np.float32))
    assert narrow.dtype == np.float32
    assert narrow == pytest.approx(bs.hessian(cosine)(POINT), rel=1e-5)
