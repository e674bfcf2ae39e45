# ruff: noqa: RET503 - the functions fall through on purpose
"""Functions that return None where they fall through: they raise if None could not be used, and are refused else."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import backsweep as bs


def chosen(x, n):
    if n == 0:
        return x, 1.0
    if n == 1:
        return x * x, 2.0


def one(x, n):
    for k in range(3):
        if k == n:
            return x**k


def unpacked(x, n):
    u, v = chosen(x, n)
    return u * v


def computed_with(x, n):
    return 2.0 * one(x, n)


def subscripted(x, n):
    return chosen(x, n)[0]


@pytest.mark.parametrize("function", [unpacked, computed_with, subscripted])
def test_raises(function) -> None:
    """Where the case does not arise the derivative is that of the others; where it does, Python raises a TypeError, too."""
    for called in (function, numba.njit(function)):
        gradient = bs.value_and_grad(called, jit=False)
        value, slope = gradient(0.7, 1)
        assert value == pytest.approx(function(0.7, 1))
        assert slope == pytest.approx((function(0.7 + 1e-6, 1) - function(0.7 - 1e-6, 1)) / 2e-6, rel=1e-6)
        for run in (function, gradient):
            with pytest.raises(TypeError, match="None"):
                run(0.7, 7)


def test_none_that_is_asked_for() -> None:
    """A result that is compared with None stays None; where the run finds None and computes with it, it raises."""

    def asked(x, n):
        found = one(x, n)
        return x if found is None else found

    def means_none(x, n):
        if n == 0:
            return x
        return None

    def needs(x, n):
        return 2.0 * means_none(x, n)

    assert bs.grad(asked, jit=False)(0.7, 2) == pytest.approx(
        (asked(0.7 + 1e-6, 2) - asked(0.7, 2)) / 1e-6, rel=1e-5
    )
    assert bs.grad(asked, jit=False)(0.7, 7) == 1.0
    assert bs.grad(needs, jit=False)(0.7, 0) == 2.0
    with pytest.raises(TypeError, match="None"):
        bs.grad(needs, jit=False)(0.7, 2)


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 3, 5])
def test_powers_of_matrices(n: int) -> None:
    """Numba's text of `matrix_power` falls through where no power does."""

    def power(a, n):
        return np.sum(np.linalg.matrix_power(a, n) * np.array([[1.0, 2.0], [0.5, -1.0]]))

    a = np.array([[1.0, 0.2], [0.3, 2.0]])
    got = bs.grad(power, jit=False)(a, n)
    step = 1e-6
    for place in np.ndindex(a.shape):
        moved = np.zeros_like(a)
        moved[place] = step
        assert got[place] == pytest.approx((power(a + moved, n) - power(a - moved, n)) / (2 * step), abs=1e-6)
