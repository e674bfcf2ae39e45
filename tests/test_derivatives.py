"""Jacobians, Hessians and their products with vectors: against differences, one another, and by shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests import checking

X = np.array([0.3, 0.8, 1.1])
W = np.array([[0.5, -0.2, 0.1], [0.4, 0.9, -0.7]])


def layer(w, x):
    return np.tanh(w @ x)


def stepped(x, n, rate=0.1):
    y = x.copy()
    for _ in range(n):
        for i in range(1, y.size):
            y[i] += rate * y[i - 1] * y[i]
    return y


def powers(x):
    y = np.empty((2, 2))
    for i in range(2):
        for j in range(2):
            y[i, j] = x ** (i + 2 * j + 1)
    return y


def cost(w, x, s):
    y = np.tanh(w @ x) * s
    total = 0.0
    for i in range(y.size):
        total += y[i] * y[i] * (i + 1)
    return total


def differences(f: Any, args: tuple[Any, ...], k: int) -> np.ndarray[Any, Any]:
    """The Jacobian by central differences."""
    x, step = np.asarray(args[k], dtype=float), 1e-6
    columns = []
    for place in np.ndindex(x.shape):
        sides = []
        for sign in (1.0, -1.0):
            moved = x.copy()
            moved[place] += sign * step
            given = moved if np.ndim(args[k]) else float(moved)
            sides.append(np.asarray(f(*args[:k], given, *args[k + 1 :])))
        columns.append((sides[0] - sides[1]) / (2.0 * step))
    y = np.asarray(f(*args))
    return np.moveaxis(
        np.array(columns).reshape(x.shape + y.shape), range(x.ndim), range(y.ndim, y.ndim + x.ndim)
    )


CASES = [
    (layer, (W, X), 0),
    (layer, (W, X), 1),
    (stepped, (X, 3), 0),
    (stepped, (X, 3, 0.2), 2),
    (powers, (1.3,), 0),
    (cost, (W, X, 0.7), 0),
    (cost, (W, X, 0.7), 2),
]


@pytest.mark.parametrize("way", [bs.jacobian, bs.jacfwd, bs.jacrev])
@pytest.mark.parametrize(("function", "args", "position"), CASES)
def test_jacobian(way: Any, function: Any, args: tuple[Any, ...], position: int) -> None:
    check(way, function, args, position, jit=False)


@pytest.mark.parametrize(
    ("way", "number"), [(bs.jacobian, 0), (bs.jacrev, 1), (bs.jacfwd, 2), (bs.jacrev, 4), (bs.jacfwd, 5)]
)
def test_compiled_jacobian(way: Any, number: int) -> None:
    check(way, *CASES[number], jit=True)


def check(way: Any, function: Any, args: tuple[Any, ...], position: int, *, jit: bool) -> None:
    """The Jacobian has the right shape and the numbers of differences; the arguments stay as they are."""
    given = checking.clone(args)
    found = way(function, position, jit=jit)(*given)
    checking.assert_unchanged(args, given)
    expected = differences(function, args, position)
    assert np.shape(found) == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


def test_the_mode_is_chosen_by_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    from backsweep.runtime import seeds

    ran: list[str] = []
    for name in ("columns", "rows"):
        driver = getattr(seeds, name)
        monkeypatch.setattr(
            driver, "py_func", lambda *given, f=driver.py_func, n=name: ran.append(n) or f(*given)
        )
    bs.jacobian(layer, 0, jit=False)(W, X)
    bs.jacobian(layer, 1, jit=False)(W, X)
    bs.jacobian(stepped, jit=False)(X, 2)
    assert ran == ["rows", "rows", "columns"]


@pytest.mark.parametrize("jit", [False, True])
def test_hessian(jit: bool) -> None:
    args = (W, X, 0.7)
    for position in (1,) if jit else range(3):
        gradient = bs.grad(cost, position, jit=False)
        found = bs.hessian(cost, position, jit=jit)(*args)
        assert np.shape(found) == 2 * np.shape(args[position])
        np.testing.assert_allclose(found, differences(gradient, args, position), rtol=1e-6, atol=1e-8)


def test_hessian_of_several_arguments() -> None:
    found = bs.hessian(cost, (1, 2), jit=False)(W, X, 0.7)
    assert [[np.shape(block) for block in row] for row in found] == [[(3, 3), (3,)], [(3,), ()]]
    np.testing.assert_allclose(found[0][1], found[1][0], rtol=1e-12)
    named = bs.hessian(cost, wrt=("x", "s"), jit=False)(W, X, s=0.7)
    np.testing.assert_array_equal(named[0][0], found[0][0])


@pytest.mark.parametrize("jit", [False, True])
def test_product_with_a_direction(jit: bool) -> None:
    direction = np.array([0.2, -0.5, 1.0])
    whole = bs.hessian(cost, 1, jit=jit)(W, X, 0.7)
    product = bs.hvp(cost, 1, jit=jit)((W, X, 0.7), (direction,))
    np.testing.assert_allclose(product, whole @ direction, rtol=1e-12)
    several = bs.hvp(cost, wrt=("x", "s"), jit=jit)((W, X, 0.7), (direction, 0.0))
    np.testing.assert_allclose(several.x, product, rtol=1e-12)


def test_empty_and_single_precision() -> None:
    assert bs.jacobian(stepped, jit=False)(np.empty(0), 2).shape == (0, 0)
    found = bs.jacobian(stepped)(X.astype(np.float32), 2)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, differences(stepped, (X, 2), 0), rtol=1e-5)
