"""Where a derivative is infinite or there is none: the sweeps go on as NumPy does, and no exception is raised."""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np
import pytest

import backsweep as bs

ZEROS = np.array([0.0j, 1.0 + 1.0j])


def root(z: Any) -> Any:
    return np.sqrt(z)


def logarithm(z: Any) -> Any:
    return np.log(z)


def phase(z: Any) -> Any:
    return np.angle(z)


def arcsine(z: Any) -> Any:
    return np.arcsin(z + 1.0)


def power(z: Any) -> Any:
    return z**0.5


def test_powers_of_complex_numbers_before_a_sum() -> None:
    def parts(z: Any, w: Any) -> Any:
        v = z**w
        return v.real + 2.0 * v.imag

    z, w = 0.7 + 0.4j, 1.3 - 0.2j
    found = bs.grad(parts, wrt=("z", "w"), jit=False)(z, w)
    for bar, slope in ((found.z, w * z ** (w - 1.0)), (found.w, cmath.log(z) * z**w)):
        assert bar == pytest.approx((1.0 - 2.0j) * slope)
    array = bs.grad(lambda z, w: np.sum((z**w).real), wrt="w", jit=False)(ZEROS + 1.0, np.array([0.3, 0.6]))
    assert array == pytest.approx((np.log(ZEROS + 1.0) * (ZEROS + 1.0) ** np.array([0.3, 0.6])).real)


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_quotients_of_complex_arrays_at_zero_are_not_finite(jit: bool) -> None:
    y, pullback = bs.vjp(lambda z, w: z / w, ZEROS + 1.0, ZEROS, jit=jit)
    bars = pullback(np.ones(2))
    assert [np.isfinite(each).tolist() for each in (y, *bars)] == [[False, True]] * 3


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("function", [root, logarithm, phase, arcsine, power])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_adjoints_of_complex_functions_at_singular_points_are_not_finite(function: Any, jit: bool) -> None:
    y, pullback = bs.vjp(function, ZEROS, jit=jit)
    assert np.isfinite(pullback(np.ones_like(y))).tolist() == [False, True]


@pytest.mark.compiles
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_adjoint_and_tangent_of_a_complex_number_at_a_singular_point_are_not_finite() -> None:
    def number(z: Any) -> Any:
        return cmath.sqrt(z)

    assert not cmath.isfinite(bs.vjp(number, 0.0j)[1](1.0))
    assert not cmath.isfinite(bs.jvp(number, (0.0j,), (1.0 + 0.0j,))[1])


def root_by_values(x: Any) -> Any:
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    return np.sum(np.arange(x.size).reshape(x.shape) * ((u * np.sqrt(s)) @ vt).real)


def sum_of_values(x: Any) -> Any:
    return np.sum(np.linalg.svd(x)[1] ** 2)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_vectors_of_equal_singular_values() -> None:
    """What depends on them has no derivative that they tell: not 0, where the matrices are told apart by no quotient."""
    for x in (np.eye(2), np.eye(3)[:, :2].copy(), np.eye(2) + 0j):
        assert np.isnan(bs.grad(root_by_values, jit=False)(x)).any()
        assert bs.grad(sum_of_values, jit=False)(x) == pytest.approx(2.0 * x)
    apart, step = np.diag([1.0, 4.0]), np.array([[0.0, 0.0], [1e-6, 0.0]])
    slope = (root_by_values(apart + step) - root_by_values(apart - step)) / 2e-6
    assert bs.grad(root_by_values, jit=False)(apart)[1, 0] == pytest.approx(slope)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiles)])
def test_interpolation_between_points_that_do_not_increase(jit: bool) -> None:
    """NumPy takes some interval or none: the derivative is that of the one, or nan."""

    def at(x: Any, points: Any, values: Any) -> Any:
        return np.sum(np.interp(x, points, values))

    draw = np.random.default_rng(3)
    gradient = bs.grad(at, wrt=("x", "points", "values"), jit=jit)
    for trial in range(24):
        points, values, x = draw.uniform(0, 1, 6), draw.normal(size=6), draw.uniform(-0.1, 1.1, 1)
        points = np.sort(points)[:: -1 if trial % 2 else 1].copy() if trial < 8 else points
        found = np.concatenate(gradient(x, points, values))
        given = np.concatenate((x, points, values))
        shifts = 1e-7 * np.eye(13)
        sides = [[at(*np.split(given + sign * each, [1, 7])) for each in shifts] for sign in (1, -1)]
        slopes = np.subtract(*sides) / 2e-7
        assert np.all(np.isnan(found) | (np.abs(found - slopes) < 1e-5 * (1 + np.abs(slopes))))
        assert trial % 2 or trial >= 8 or not np.isnan(found).any()
    _, moved = bs.jvp(at, (x, points[::-1].copy(), values), (np.ones(1), np.ones(6), np.ones(6)), jit=jit)
    assert np.isnan(moved) or abs(moved - 1.0) < 1e-6
