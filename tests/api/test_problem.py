"""Objectives with constraints: SciPy's optimisers and the methods that IPOPT calls get the right derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint, minimize
from scipy.sparse import csr_array, issparse

import backsweep as bs

X = np.linspace(0.3, 0.8, 6)


def cost(x, w):
    total = 0.0
    for i in range(x.size - 1):
        total += w * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def chain(x):
    out = np.empty(x.size - 1)
    for i in range(out.size):
        out[i] = x[i] * x[i + 1] ** 2
    return out


def ball(x, radius):
    return radius**2 - np.sum(x * x)


def two(x):
    return [x[0] * x[1], x[2]]


def folded(x):
    out = np.empty(x.size)
    for i in range(x.size):
        out[i] = x[i] * x[i - 1] if x[i] > 0.9 else x[i] ** 2
    return out


LIMITS = [
    NonlinearConstraint(chain, -np.inf, 0.4),
    LinearConstraint(csr_array([[1.0, 0.0, 2.0, 0.0, 0.0, 0.0]]), -1.0, 5.0),
    {"type": "ineq", "fun": ball, "args": (2.0,)},
    NonlinearConstraint(two, (0.1, 0.2), 3.0),
]


def differences(f: Any, x: Any, step: float = 1e-5) -> Any:
    moves = step * np.eye(x.size)
    return np.array([(np.asarray(f(x + e)) - f(x - e)) / (2.0 * step) for e in moves]).T


@pytest.mark.turns(3)
@pytest.mark.parametrize("sparse", [False, True])
def test_derivatives_are_those_of_the_functions(sparse: bool) -> None:
    made = bs.problem(cost, LIMITS, sparse=sparse, jit=False)
    value, slope = made.fun(X, 2.0)
    hessian = made.hess(X, 2.0)
    dense = hessian.toarray() if sparse else hessian
    assert value == pytest.approx(cost(X, 2.0))
    assert slope == pytest.approx(differences(lambda x: cost(x, 2.0), X), rel=1e-6)
    assert dense @ X == pytest.approx(made.hessp(X, X, 2.0))
    for given in made.constraints:
        if isinstance(given, LinearConstraint):
            assert issparse(given.A) == sparse
            continue
        matrix = given.jac(X)
        assert issparse(matrix) == sparse
        assert np.asarray(matrix.todense() if sparse else matrix) == pytest.approx(
            differences(given.fun, X), abs=1e-8
        )
        v = 1.0 + np.arange(given.fun(X).size)
        found = given.hess(X, v)
        wanted = differences(lambda x, v=v, given=given: v @ given.jac(x), X)
        assert np.asarray(found.todense() if sparse else found) == pytest.approx(wanted, abs=1e-8)


@pytest.mark.turns(3)
@pytest.mark.parametrize("sparse", [False, True])
def test_methods_that_ipopt_calls(sparse: bool) -> None:
    start = bs.problem(cost, LIMITS, sparse=sparse, jit=False).ipopt(X, 2.0)
    values = start.constraints(X)
    assert (start.n, start.m) == (6, 9)
    assert start.cl == pytest.approx(np.r_[np.full(5, -np.inf), -1.0, 0.0, 0.1, 0.2])
    assert start.cu == pytest.approx(np.r_[np.full(5, 0.4), 5.0, np.inf, 3.0, 3.0])
    assert values == pytest.approx(np.r_[chain(X), X[0] + 2.0 * X[2], ball(X, 2.0), two(X)])
    x = X + 0.1
    assert start.gradient(x) == pytest.approx(bs.grad(cost, jit=False)(x, 2.0))
    assert start.objective(x) == pytest.approx(cost(x, 2.0))
    rows, columns = start.jacobianstructure()
    assert len(rows) == (10 + 2 + 6 + 3 if sparse else 9 * 6)
    jacobian = np.zeros((9, 6))
    jacobian[rows, columns] = start.jacobian(x)
    assert jacobian == pytest.approx(differences(start.constraints, x), abs=1e-8)
    v = 1.0 + np.arange(9)
    rows, columns = start.hessianstructure()
    assert np.all(rows >= columns)
    lower = np.zeros((6, 6))
    lower[rows, columns] = start.hessian(x, v, 0.5)

    def slope(x: Any) -> Any:
        whole = np.zeros((9, 6))
        whole[start.jacobianstructure()] = start.jacobian(x)
        return 0.5 * start.gradient(x) + v @ whole

    assert lower + np.tril(lower, -1).T == pytest.approx(differences(slope, x), abs=1e-7)


def test_without_constraints() -> None:
    start = bs.problem(cost, jit=False).ipopt(X, 2.0)
    assert (start.m, start.cl.size, start.constraints(X).size, start.jacobian(X).size) == (0, 0, 0, 0)
    assert start.hessian(X, np.zeros(0), 1.0).size == 21


def test_value_and_gradient_are_computed_once_for_a_point() -> None:
    start, points = bs.problem(cost, jit=False).ipopt(X, 2.0), []
    both = start._both
    start._both = lambda x, w: (points.append(x), both(x, w))[1]
    assert start.objective(X) == pytest.approx(cost(X, 2.0))
    start.gradient(X.copy())
    start.gradient(X + 1.0)
    start.objective(X + 1.0)
    assert len(points) == 2


def test_a_pattern_that_does_not_fit_is_found_again() -> None:
    made = bs.problem(cost, NonlinearConstraint(folded, 0.0, 1.0), sparse=True, jit=False)
    (given,) = made.constraints
    x, large = X, X + 0.55
    for at in (x, large, x, large[:4]):
        assert given.jac(at).toarray() == pytest.approx(differences(folded, at), abs=1e-8)
    start = made.ipopt(x, 1.0)
    with pytest.raises(bs.ArgumentError, match="one pattern was promised"):
        start.jacobian(large)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (NonlinearConstraint(two, 0.0, 1.0, jac=lambda x: x), "has `jac` or `hess` of its own"),
        ({"type": "eq", "fun": two, "jac": lambda x: x}, "has `jac` of its own"),
        ([two], "a constraint is <function two"),
        ({"type": "equal", "fun": two}, "a constraint is {'type': 'equal'"),
    ],
)
def test_refused(limits: Any, message: str) -> None:
    with pytest.raises(bs.ArgumentError, match=message):
        bs.problem(cost, limits)


@pytest.mark.turns(3)
def test_compiled_and_minimised() -> None:
    made = bs.problem(cost, LIMITS[0], hess=False)
    fit = minimize(made.fun, X, (2.0,), jac=True, constraints=made.constraints, method="SLSQP")
    assert fit.success
    assert chain(fit.x).max() == pytest.approx(0.4)
    (given,) = made.constraints
    assert given.keep_feasible is False
    multiplier, *_ = np.linalg.lstsq(given.jac(fit.x).T, -fit.jac, rcond=None)
    assert given.jac(fit.x).T @ multiplier == pytest.approx(-fit.jac, abs=1e-3)
