"""Functions that return lists: what is given back, and taken, is a list where the function has one."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import backsweep as bs
from tests.support.refused import refused

X = np.array([0.5, 1.2, 0.9])


def squares(x: Any) -> list[Any]:
    return [v * v for v in x]


def nested(x: Any) -> Any:
    large = [v * x[0] for v in x if v > 0.8]
    return large, x[0], ([1, 2], [x[1] * x[2]])


def slopes(t: float, y: Any, k: float) -> list[Any]:
    return [y[1], -k * math.sin(y[0]) * t]


def on_either_side(x: Any) -> list[Any]:
    if x[0] > 2.0:
        return [x[1]]
    return [x[0] * x[1], x[1]]


def with_list_beside(x: Any) -> Any:
    found = squares(x)
    return sum(found), found


class Found(NamedTuple):
    """A list and a tuple by name."""

    squares: list[Any]
    rows: Any


def named(x: Any) -> Found:
    return Found(squares(x), (np.sum(x), [x * 2.0, x]))


def halves(x: Any) -> list[Any]:
    return np.split(x * x, [1, 3])


def pairs(x: Any) -> list[Any]:
    found = []
    for i in range(x.size):
        found.append((i, x[i] * x[0]))
    return found


def of_both(x: Any) -> Any:
    x[0] = x[1] * 2.0
    rows = [np.outer(x, x), np.ones((1, 2)) * x[2]]
    counts = [np.arange(2), np.arange(1)]
    return rows, np.sum(x), (pairs(x), counts)


def turned(x: Any) -> list[Any]:
    return [x * 2.0, np.sin(x).T]


def test_a_list_of_the_result_is_a_list() -> None:
    y, pullback = bs.vjp(squares, X, jit=False)
    assert y == squares(X)
    assert isinstance(y, list)
    for cotangent in ([1.0, 2.0, 3.0], np.array([1.0, 2.0, 3.0])):
        np.testing.assert_allclose(pullback(cotangent), 2 * X * [1.0, 2.0, 3.0])
    with pytest.raises(bs.ArgumentError, match="structure"):
        pullback([1.0])


def test_lists_in_tuples() -> None:
    y, pullback = bs.vjp(nested, X, jit=False)
    assert y == nested(X)
    slope = pullback(([1.0, 2.0], 3.0, ([0, 0], [4.0])))
    np.testing.assert_allclose(slope, [1.2 + 1.8 + 3.0, 0.5 + 3.6, 1.0 + 4.8])


def test_tangents_of_lists() -> None:
    y, dot = bs.jvp(nested, (X,), (np.ones(3),), jit=False)
    assert y == nested(X)
    assert [type(each) for each in dot[2]] == [list, list]
    np.testing.assert_allclose(dot[0], [1.7, 1.4])
    np.testing.assert_allclose(dot[2][1], [2.1])


def test_jacobians_of_lists_are_matrices() -> None:
    found = bs.jacobian(slopes, argnums=1, jit=False)(0.3, X[:2], 2.0)
    np.testing.assert_allclose(found, [[0.0, 1.0], [-0.6 * math.cos(0.5), 0.0]])


def test_lists_beside_the_value() -> None:
    (value, found), slope = bs.value_and_grad(with_list_beside, has_aux=True, jit=False)(X)
    assert (value, found) == with_list_beside(X)
    assert slope.tolist() == (2 * X).tolist()
    y, pullback, aux = bs.vjp(with_list_beside, X, has_aux=True, jit=False)
    assert (y, aux) == with_list_beside(X)
    assert pullback(1.0).tolist() == slope.tolist()


def test_lists_of_arrays_and_of_tuples() -> None:
    y, pullback = bs.vjp(of_both, X, jit=False)
    (first, second), total, (found, counts) = of_both(X.copy())
    assert (y[2][0], y[1], y[2][1][0].tolist(), y[2][1][1].tolist()) == (found, total, [0, 1], [0])
    np.testing.assert_array_equal(y[0][0], first)
    np.testing.assert_array_equal(y[0][1], second)
    slope = pullback(([np.ones((3, 3)), [[1.0, 2.0]]], 1.0, ([(0, 1.0), (0, 0.0), (0, 2.0)], counts)))
    a, b = 2 * X[1], 2 * (3 * X[1] + X[2])
    np.testing.assert_allclose(slope, [0.0, 3 * b + 3 + 4 * a + 4 * X[2], b + 3 + 1 + 2 * a])
    with pytest.raises(bs.ArgumentError, match=r"y_bar\[0\]\[1\].*array of shape \(1, 2\)"):
        pullback(([np.ones((3, 3)), [1.0, 2.0]], 1.0, ([(0, 1.0), (0, 0.0), (0, 2.0)], counts)))
    with pytest.raises(bs.ArgumentError, match="a list of 2"):
        pullback(([np.ones((3, 3))], 1.0, ([(0, 1.0), (0, 0.0), (0, 2.0)], counts)))


def test_tangents_of_lists_of_arrays_and_of_tuples() -> None:
    y, dot = bs.jvp(of_both, (X,), (np.ones(3),), jit=False)
    assert [each.shape for each in dot[0]] == [each.shape for each in y[0]] == [(3, 3), (1, 2)]
    np.testing.assert_allclose(dot[0][1], [[1.0, 1.0]])
    np.testing.assert_allclose(dot[2][0], [(0, 8 * X[1]), (0, 4 * X[1]), (0, 2 * (X[1] + X[2]))])
    assert [each.tolist() for each in dot[2][1]] == [[0, 0], [0]]


def test_lists_in_namedtuples() -> None:
    y, pullback = bs.vjp(named, X, jit=False)
    assert isinstance(y, Found)
    assert y.squares == squares(X)
    slope = pullback(Found([1.0, 0.0, 2.0], (3.0, [np.ones(3), X])))
    np.testing.assert_allclose(slope, 2 * X * [1.0, 0.0, 2.0] + 5.0 + X)


def test_parts_of_an_array() -> None:
    y, pullback = bs.vjp(halves, X, jit=False)
    assert [part.tolist() for part in y] == [part.tolist() for part in halves(X)]
    slope = pullback([np.array([1.0]), np.array([2.0, 3.0]), np.array([])])
    np.testing.assert_allclose(slope, 2 * X * [1.0, 2.0, 3.0])
    for function, what in ((bs.grad, "returns a list"), (bs.jacobian, "returns a list of arrays")):
        with refused(what, bs.BacksweepError):
            function(halves, jit=False)(X)
    columns = bs.jacobian(lambda x: [(v, v * v) for v in x], jit=False)(X)
    np.testing.assert_allclose(columns, (np.eye(3), np.diag(2 * X)))


def test_lists_are_traced() -> None:
    table = str(bs.trace(pairs, cotangent=[(0, 1.0), (0, 0.0), (0, 1.0)])(X))
    assert "[1.9, 0, 0.5]" in table
    with pytest.raises(bs.NotScalarError, match="returns a list"):
        bs.trace(pairs)(X)


@pytest.mark.parametrize("length", [0, 2])
def test_complex_and_empty_lists(length: int) -> None:
    def function(z: Any, k: int) -> list[Any]:
        return [w * w for w in z[:k]]

    z = X + 1j
    y, pullback = bs.vjp(function, z, length, jit=False)
    assert y == function(z, length)
    _, of_array = bs.vjp(lambda z, k: z[:k] * z[:k], z, length, jit=False)
    np.testing.assert_allclose(pullback([1.0] * length), of_array(np.ones(length)))


def test_derivatives_of_lists_are_checked() -> None:
    bs.check_grads(nested, (X,), modes=("rev", "fwd"))
    bs.check_grads(lambda p, x: [p[0] * p[1] * x[0], x[1]], ([1.0, 2.0], X))


def test_a_tuple_of_unknown_length_is_no_list() -> None:
    with pytest.raises(bs.UnsupportedError, match="as a whole"):
        bs.vjp(lambda x: tuple([v * v for v in x]), X, jit=False)


@pytest.mark.compiles
def test_compiled() -> None:
    y, pullback = bs.vjp(on_either_side, X)
    assert y == on_either_side(X)
    np.testing.assert_allclose(pullback([1.0, 2.0]), [1.2, 2.5, 0.0])


@pytest.mark.compiles
@pytest.mark.parametrize("length", [0, 3])
def test_compiled_lists_of_arrays_and_of_tuples(length: int) -> None:
    def function(x: Any, k: int) -> Any:
        return [v * x for v in x[:k]], pairs(x[:k])

    y, pullback = bs.vjp(function, X, length)
    rows, found = function(X, length)
    np.testing.assert_array_equal(np.array(y[0]), np.array(rows))
    assert y[1] == found
    slope = pullback(([np.ones(3)] * length, [(0, 1.0)] * length))
    used, first = np.arange(3) < length, np.arange(3) < 1
    np.testing.assert_allclose(slope, used * (X.sum() + X[0]) + (1 + first) * X[:length].sum())


@pytest.mark.compiles
@pytest.mark.turns(8)
def test_arrays_of_several_layouts_in_a_list() -> None:
    x = np.array([[0.3, 0.8], [1.1, 0.4]])
    y, pullback = bs.vjp(turned, x)
    np.testing.assert_allclose(y, turned(x))
    np.testing.assert_allclose(pullback([x, y[1]]), 2.0 * x + y[1].T * np.cos(x))
