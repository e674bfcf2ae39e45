"""What derivatives hand out is the caller's own: no two share memory, and writing them changes no later answer."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests.support.checking import leaves

X = np.array([0.5, 1.5, 2.5])


def equal_products(x: Any) -> Any:
    return x * 2.0, (x * 2.0, np.sum(x * 2.0))


def equal_views(x: Any) -> Any:
    return np.outer(x, x).T, np.outer(x, x).T, np.ravel(np.outer(x, x))


def equal_in_a_loop(x: Any) -> Any:
    a = x * 0.0
    b = x * 0.0
    for _ in range(3):
        a = x * 3.0
        b = x * 3.0
    return a, b


def equal_by_a_neutral_term(x: Any) -> Any:
    return x * 0.0 + 1.0, x * 0.0 + 1.0, x + 0.0, x * 1.0


def kept_result(x: Any) -> Any:
    y = np.exp(x)
    return y * y, y


def kept_view(x: Any) -> Any:
    z = x[1:]
    return np.sum(z * z) + np.sum(np.reshape(x, (3, 1)) ** 3)


def kept_list(x: Any) -> Any:
    y = x
    s = 0.0
    for _ in range(3):
        s += np.sum(y * y * y)
        y = np.sin(y) * y
    return s, y


FUNCTIONS = [
    equal_products,
    equal_views,
    equal_in_a_loop,
    equal_by_a_neutral_term,
    kept_result,
    kept_view,
    kept_list,
]


def ones_like(tree: Any) -> Any:
    if isinstance(tree, tuple):
        return tuple(map(ones_like, tree))
    return np.ones_like(tree) if isinstance(tree, np.ndarray) else 1.0


def arrays(*trees: Any) -> list[np.ndarray]:
    return [leaf for leaf in leaves(trees) if isinstance(leaf, np.ndarray)]


def share_nothing(found: list[np.ndarray]) -> bool:
    return not any(np.shares_memory(one, other) for one, other in itertools.combinations(found, 2))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_pullback_is_left_alone(function: Any) -> None:
    x = X.copy()
    y, pullback = bs.vjp(function, x, jit=False)
    cotangent = ones_like(y)
    first, second = pullback(cotangent), pullback(cotangent)
    wanted = first.copy()
    assert share_nothing(arrays(x, y, cotangent, first, second))
    for each in arrays(x, y, first, second):
        each[...] = math.nan
    np.testing.assert_array_equal(pullback(cotangent), wanted)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_tangents_share_nothing(function: Any) -> None:
    x, x_dot = X.copy(), X.copy()
    assert share_nothing(arrays(x, x_dot, *bs.jvp(function, (x,), (x_dot,), jit=False)))


def equal_to_items(pair: Any) -> Any:
    x, (y, _) = pair
    return x * 1.0, y / 1.0, x[1:] - 0.0


def test_items_of_arguments_share_nothing() -> None:
    pair = X.copy(), (2.0 * X, 3)
    y, pullback = bs.vjp(equal_to_items, pair, jit=False)
    cotangent = ones_like(y)
    (x_bar, (y_bar, _)) = pullback(cotangent)
    assert share_nothing(arrays(pair, y, cotangent, x_bar, y_bar))
    dots = X.copy(), (X.copy(), 0)
    assert share_nothing(arrays(pair, dots, *bs.jvp(equal_to_items, (pair,), (dots,), jit=False)))


def test_aux_shares_nothing() -> None:
    def f(x: Any) -> Any:
        return np.sum(x * x), (2.0 * x, x + x, np.exp(x), np.exp(x))

    x = X.copy()
    (_, aux), gradient = bs.value_and_grad(f, has_aux=True, jit=False)(x)
    assert share_nothing(arrays(x, aux, gradient))


@pytest.mark.parametrize("shapes", [((3,), (1,)), ((1,), (3,)), ((2, 3), (2, 1)), ((2, 3), (1, 3))])
@pytest.mark.parametrize("join", [np.stack, np.vstack, np.hstack, np.concatenate, np.column_stack])
def test_unequal_parts_raise(join: Any, shapes: Any) -> None:
    parts = tuple(map(np.ones, shapes))

    def f(x: Any, y: Any) -> Any:
        return np.sum(join((x, y)))

    try:
        f(*parts)
    except ValueError:
        with pytest.raises(ValueError, match="lengths"):
            bs.grad(f, jit=False)(*parts)
    else:
        assert bs.grad(f, jit=False)(*parts).shape == parts[0].shape


def test_a_diagonal_that_is_saved_is_not_the_callers() -> None:
    """NumPy gives a view of the matrix, Numba a copy: the caller's writes between the sweeps change no pullback."""

    def rows_by_the_diagonal(a: np.ndarray) -> np.ndarray:
        return np.dot(np.diag(a), a)

    a = np.array([[0.5, 0.2], [0.1, 0.3]])
    _, pullback = bs.vjp(rows_by_the_diagonal, a, jit=False)
    a[...] = 7.0
    np.testing.assert_allclose(pullback(np.ones(2)), [[1.2, 0.5], [0.3, 0.7]])
