"""Functions of NumPy within CasADi: their derivatives, and patterns, are those that CasADi finds for the same formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint

import backsweep as bs

casadi = pytest.importorskip("casadi", reason="CasADi is not installed")
from backsweep.casadi import callback, solver  # noqa: E402

X = np.linspace(0.3, 0.9, 4)
QUIET = {"ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": False}


def heights(x, w):
    out = np.empty(x.size - 1)
    for k in range(1, x.size):
        out[k - 1] = np.sin(x[k - 1]) + x[k] ** 2 * w
    return out


def same(x: Any, w: Any) -> Any:
    return casadi.vertcat(*(casadi.sin(x[k - 1]) + x[k] ** 2 * w for k in range(1, 4)))


def derivatives(f: Any) -> Any:
    """Of first and second order, by argument and by weight, forwards and back."""
    x, w, weights = casadi.MX.sym("x", 4), casadi.MX.sym("w"), casadi.MX.sym("weights", 3)
    y = f(x, w)
    slope = casadi.gradient(casadi.dot(weights, y), x)
    by_all = [casadi.jacobian(slope, each) for each in (x, w, weights)]
    wanted = [y, casadi.jacobian(y, x), casadi.jacobian(y, w), slope, *by_all, casadi.jtimes(y, x, x)]
    return casadi.Function("derivatives", [x, w, weights], wanted)(X, 0.5, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("sparse", [True, False])
def test_derivatives_and_their_patterns(sparse: bool) -> None:
    fn = callback(heights, X, 0.5, sparse=sparse, jit=False)
    for one, other in zip(derivatives(fn), derivatives(same), strict=True):
        np.testing.assert_allclose(one.full(), other.full(), rtol=1e-9, atol=1e-12)
        assert (one.sparsity() == other.sparsity()) or not sparse


def test_a_number_from_numbers() -> None:
    x = casadi.MX.sym("x")
    fn = callback(lambda x, y: [x * y, x + y], 1.0, 2.0, jit=False)
    assert casadi.Function("y", [x], [fn(x, x)])(3.0).full().ravel() == pytest.approx([9.0, 6.0])


def test_refused() -> None:
    with pytest.raises(bs.ArgumentError, match="has 2 axes and the dtype float64"):
        callback(heights, np.ones((2, 2)), 0.5)
    with pytest.raises(bs.ArgumentError, match="the dtype complex128"):
        callback(heights, np.ones(2) * 1j, 0.5)

    def folded(x):
        return np.array([x[k] * x[k - 1] if x[k] > 0.9 else x[k] ** 2 for k in range(x.size)])

    x = casadi.MX.sym("x", 4)
    slopes = casadi.Function("slopes", [x], [casadi.jacobian(callback(folded, X, jit=False)(x), x)])
    with pytest.raises(RuntimeError, match="one pattern was promised"):
        slopes(X + 1.0)


def test_ipopt_by_callbacks_and_by_a_problem() -> None:
    def far(x):
        return np.sum((x - 1.0) ** 2)

    start = np.full(4, 0.2)
    limit = NonlinearConstraint(lambda x: heights(x, 0.5), -np.inf, 0.5)
    program = bs.problem(far, limit, sparse=True, jit=False).ipopt(start)
    run = solver(program, QUIET)
    found = run(x0=start, lbg=program.cl, ubg=program.cu)
    assert run.stats()["success"]
    x = casadi.MX.sym("x", 4)
    fn = callback(heights, start, 0.5, jit=False)
    other = casadi.nlpsol("other", "ipopt", {"x": x, "f": casadi.sumsqr(x - 1.0), "g": fn(x, 0.5)}, QUIET)
    wanted = other(x0=start, ubg=0.5)
    for name in ("x", "f", "g", "lam_g"):
        np.testing.assert_allclose(found[name].full(), wanted[name].full(), atol=1e-6)
