"""Solutions, inverses and determinants by factors: values, errors, and derivatives with respect to the matrix."""

from __future__ import annotations

import numba
import numpy as np
import pytest
import scipy.linalg

import backsweep as bs
from backsweep.runtime.linalg import cofactors
from backsweep.runtime.matrices.lu import (
    lu_determinant,
    lu_factors,
    lu_inverse,
    lu_slogdet,
    lu_solution,
    lu_solution_turned,
)

SQUARE = np.array([[0.5, 2.0, 0.25], [3.0, 1.0, -1.0], [0.5, 2.0, 2.0]])
SIDE, SIDES = np.array([1.0, -0.5, 2.0]), np.array([[1.0, 0.5], [-0.5, 0.25], [2.0, 1.0]])


def solutions(a, b):
    factors, pivots = lu_factors(a)
    x = lu_solution(factors, pivots, b)
    return np.sum(np.sin(x) * lu_solution_turned(factors, pivots, x * x))


def solutions_by_name(a, b):
    x = np.linalg.solve(a, b)
    return np.sum(np.sin(x) * np.linalg.solve(a.T, x * x))


def sizes(a):
    factors, pivots = lu_factors(a)
    sign, value = lu_slogdet(factors, pivots)
    return sign * value**2 * np.sum(lu_inverse(factors, pivots) ** 3) * lu_determinant(a, factors, pivots)


def sizes_by_name(a):
    sign, value = np.linalg.slogdet(a)
    return sign * value**2 * np.sum(np.linalg.inv(a) ** 3) * np.linalg.det(a)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("count", [0, 3, 40])
def test_values(count: int, dtype: str) -> None:
    rng = np.random.default_rng(count)
    entries = rng.normal(size=(count, count)) + (
        1j * rng.normal(size=(count, count)) if "complex" in dtype else 0
    )
    a = (entries + 3.0 * np.eye(count)).astype(dtype)
    before = a.copy()
    near = 1e-3 if dtype in ("float32", "complex64") else 1e-10
    factors, pivots = lu_factors(a)
    np.testing.assert_array_equal(a, before)
    if count:
        wanted, places = scipy.linalg.lu_factor(a)
        np.testing.assert_allclose(factors, wanted, near, near)
        np.testing.assert_array_equal(pivots, places)
    for b in (rng.normal(size=count).astype(dtype), rng.normal(size=(count, 5)).astype(dtype)):
        for solved, matrix in ((lu_solution, a), (lu_solution_turned, a.T)):
            x = solved(factors, pivots, b)
            assert (x.dtype, x.shape) == (b.dtype, b.shape)
            np.testing.assert_allclose(matrix @ x, b, near, near)
    np.testing.assert_allclose(lu_inverse(factors, pivots) @ a, np.eye(count), near, near)
    np.testing.assert_allclose(lu_determinant(a, factors, pivots), np.linalg.det(a), 10 * near)
    if "complex" not in dtype:
        np.testing.assert_allclose(lu_slogdet(factors, pivots), np.linalg.slogdet(a), 10 * near, 1e-4)


def test_what_is_singular_or_not_finite_raises_as_by_numba() -> None:
    @numba.njit
    def solve(a, b):
        return np.linalg.solve(a, b)

    flat = np.ones((3, 3))
    with pytest.raises(np.linalg.LinAlgError) as wanted:
        solve(flat, SIDE)
    factors, pivots = lu_factors(flat)
    for asked in (lu_solution, lu_solution_turned):
        with pytest.raises(np.linalg.LinAlgError, match=str(wanted.value)):
            asked(factors, pivots, SIDE)
    with pytest.raises(np.linalg.LinAlgError, match=str(wanted.value)):
        lu_inverse(factors, pivots)
    assert lu_determinant(flat, factors, pivots) == 0.0
    assert lu_slogdet(factors, pivots) == (0.0, -np.inf)
    factors, pivots = lu_factors(SQUARE)
    for wrong in (SIDE * np.nan, SIDES * np.inf, SIDE[:2], SIDES[1:], np.ones(4)):
        with pytest.raises(np.linalg.LinAlgError) as wanted:
            solve(SQUARE, wrong)
        for asked in (lu_solution, lu_solution_turned):
            with pytest.raises(np.linalg.LinAlgError, match=str(wanted.value)):
                asked(factors, pivots, wrong)
    for without, why in ((SQUARE * np.nan, "infs or NaNs"), (SIDES, "must be square")):
        factors, pivots = lu_factors(without)
        for asked in (lu_solution, lu_solution_turned):
            with pytest.raises(np.linalg.LinAlgError, match=why):
                asked(factors, pivots, SIDE)
        for asked in (lu_inverse, lu_slogdet):
            with pytest.raises(np.linalg.LinAlgError, match=why):
                asked(factors, pivots)
        with pytest.raises(np.linalg.LinAlgError, match=why):
            lu_determinant(without, factors, pivots)


def steps(a, u, n):
    for _ in range(n):
        u = np.linalg.solve(a, u)
    return np.sum(u * u)


@pytest.mark.parametrize("jit", [True, False])
def test_steps_with_one_matrix_factorise_once(jit: bool) -> None:
    """In both sweeps, and only where there is a step does the matrix have to have factors."""
    side = np.cos(np.arange(9.0))
    square = np.eye(9) * 3.0 + np.outer(side, side)
    taken = bs.grad(steps, argnums=(0, 1), jit=jit)
    text = bs.source(taken, square, side, 3)
    assert text.count("lu_factors(") == 1
    assert text.count("lu_solution_turned(") == 1
    assert text.count("= np.linalg.solve(") == text.count("# u = np.linalg.solve(")
    bs.check_grads(steps, (square, side, 3), order=2)
    for without in (np.zeros((9, 9)), square * np.inf):
        np.testing.assert_array_equal(taken(without, side, 0)[0], 0.0)
        with pytest.raises(np.linalg.LinAlgError):
            taken(without, side, 1)


@pytest.mark.compiles
def test_sides_of_any_layout() -> None:
    """The sides may be parts of an array, and the solutions of a step are written before the next."""
    spaced = np.repeat(SIDES, 2, axis=1)[:, ::2]
    np.testing.assert_allclose(bs.grad(solutions_by_name)(SQUARE, spaced), bs.grad(solutions)(SQUARE, SIDES))

    def steps_written_between(a, u, n):
        for _ in range(n):
            u = np.linalg.solve(a, u)
            u[0] *= 2.0
        return np.sum(u * u)

    for sides in (SIDES, spaced):
        plain = bs.grad(steps_written_between, jit=False)(SQUARE, sides, 3)
        np.testing.assert_allclose(bs.grad(steps_written_between)(SQUARE, sides, 3), plain, 1e-12)


def test_derivatives_of_solutions() -> None:
    """In both modes and at the second order, factors carry the derivative of their matrix."""
    bs.check_grads(solutions, (SQUARE, SIDE), order=2)
    for mine, named in zip(
        bs.grad(solutions, argnums=(0, 1))(SQUARE, SIDES),
        bs.grad(solutions_by_name, argnums=(0, 1))(SQUARE, SIDES),
        strict=True,
    ):
        np.testing.assert_allclose(mine, named, 1e-9)
    direction = np.cos(np.arange(9.0)).reshape(3, 3)
    along = bs.jvp(solutions, (SQUARE, SIDES), (direction, np.zeros_like(SIDES)))[1]
    np.testing.assert_allclose(along, np.sum(bs.grad(solutions)(SQUARE, SIDES) * direction), 1e-9)


def test_derivatives_of_sizes() -> None:
    bs.check_grads(sizes, (SQUARE,), order=1)
    np.testing.assert_allclose(bs.grad(sizes)(SQUARE), bs.grad(sizes_by_name)(SQUARE), 1e-9)


def test_a_hessian_factorises_once() -> None:
    """Each direction takes solutions by factors that are found before the loop over directions."""
    a = SQUARE @ np.eye(3)
    text = bs.source(bs.hessian(solutions_by_name), a, SIDE)
    assert text.count("lu_factors(") == 1
    assert "np.linalg.solve(" not in text


def test_complex_matrices() -> None:
    def size(re, im, b):
        a = re + 1j * im
        x = np.linalg.solve(a, b + 0j)
        return np.sum(np.abs(np.linalg.solve(a.T, x)) ** 2)

    bs.check_grads(size, (SQUARE, np.ones((3, 3)) * SIDE, SIDE), order=1)


@pytest.mark.parametrize("condition", [1.0, 1e4, 1e7, 1e14, np.inf])
@pytest.mark.parametrize("size", [1.0, 1e-40, 1e40])
def test_cofactors_of_matrices_with_an_inverse_and_without(condition: float, size: float) -> None:
    """They are right where the inverse has no digits, and where the determinant is beyond the range of numbers but they are not."""
    turn, other = np.linalg.qr(SQUARE)[0], np.linalg.qr(SQUARE.T)[0]
    values = size * np.array([1.0, 0.5, 1.0 / condition])
    others = np.array([values[1] * values[2], values[0] * values[2], values[0] * values[1]])
    sign = np.linalg.det(turn) * np.linalg.det(other)
    exact = sign * (turn * others) @ other.T
    found = cofactors((turn * values) @ other.T)
    np.testing.assert_allclose(found, exact, 0.0, 1e-13 * np.abs(exact).max() * min(condition, 1e3))


def test_cofactors_beyond_the_range_of_determinants() -> None:
    """The determinant of these matrices is zero, or infinite, in double precision."""
    for size in (1e-120, 1e120):
        np.testing.assert_allclose(cofactors(size * np.eye(3)), size**2 * np.eye(3), 1e-12)
