"""`has_aux` in every transformation: what is returned beside the value is returned beside its derivative."""

from __future__ import annotations

import numpy as np
import pytest

import backsweep as bs
from tests.support import checking

X = np.array([1.0, 2.0, 3.0])


def cost(x):
    y = x * x
    return np.sum(y * x), (y, x.size)


def curve(x):
    y = x * x
    return y * x, (y[0], x.size)


@pytest.mark.compiles_many("every transformation hands out what comes along")
@pytest.mark.parametrize("jit", [False, True])
def test_value_and_derivatives_come_with_aux(jit: bool) -> None:
    y, pullback, (first, size) = bs.vjp(curve, X, has_aux=True, jit=jit)
    checking.assert_close(y, X**3)
    checking.assert_close(pullback(np.ones(3)), 3.0 * X * X)
    assert (first, size) == (1.0, 3)
    y, y_dot, (first, size) = bs.jvp(curve, (X,), (np.ones(3),), has_aux=True, jit=jit)
    checking.assert_close(y_dot, 3.0 * X * X)
    assert (first, size) == (1.0, 3)
    gradient, (squares, _) = bs.grad(cost, has_aux=True, jit=jit)(X)
    checking.assert_close(gradient, 3.0 * squares)


@pytest.mark.parametrize("make", [bs.jacobian, bs.jacrev, bs.jacfwd])
def test_jacobians(make) -> None:
    found, (first, size) = make(curve, has_aux=True, jit=False)(X)
    checking.assert_close(found, np.diag(3.0 * X * X))
    assert (first, size) == (1.0, 3)


def test_second_order() -> None:
    found, (squares, size) = bs.hessian(cost, has_aux=True, jit=False)(X)
    checking.assert_close(found, np.diag(6.0 * X))
    checking.assert_close(squares, X * X)
    assert size == 3
    product, (squares, _) = bs.hvp(cost, has_aux=True, jit=False)((X,), (np.ones(3),))
    checking.assert_close(product, 6.0 * X)


def test_not_beside_a_sparse_matrix() -> None:
    with pytest.raises(bs.ArgumentError, match="BS405"):
        bs.jacobian(curve, has_aux=True, sparse=True)
