"""Integrals of samples, of `scipy.integrate`: values as SciPy has them, and derivatives, by samples and by points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
import scipy.integrate as si

import backsweep as bs
from backsweep.runtime.scipy import sight
from tests.frontend.test_library_calls import assert_derivatives
from tests.runtime.test_axes import array, assert_as_numpy
from tests.support import checking
from tests.support.sampled import turning

V = array((6,), "float64")
O = array((7,), "float64")
X = np.array([0.0, 0.4, 0.5, 1.1, 1.3, 2.0])
Y = np.append(X, 2.3)
A = array((5, 6), "float64")
T = array((2, 5, 3), "float64")
P = np.cumsum(np.abs(A) + 0.1, axis=0)
ROMB = array((9,), "float64")
CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (si.trapezoid, (V,), {}),
    (si.trapezoid, (V, X), {}),
    (si.trapezoid, (A,), {"dx": 0.1, "axis": 0}),
    (si.trapezoid, (A, X), {}),
    (si.trapezoid, (A, P), {"axis": 0}),
    (si.trapezoid, (T, X[:5]), {"axis": 1}),
    (si.trapezoid, (np.arange(5),), {}),
    (si.trapezoid, (array((4,), "complex128"),), {"dx": 0.5}),
    (si.cumulative_trapezoid, (V,), {}),
    (si.cumulative_trapezoid, (V, X), {"initial": 0}),
    (si.cumulative_trapezoid, (A,), {"dx": 0.1, "axis": 0, "initial": 0}),
    (si.cumulative_trapezoid, (A, P), {"axis": 0}),
    (si.cumulative_trapezoid, (T, X[:5]), {"axis": 1}),
    *((si.simpson, (each,), {"dx": 0.5}) for each in (V, O, V[:2], O[:3], V[:4], array((4,), "complex128"))),
    *((si.simpson, (each, Y[: each.size]), {}) for each in (V, O, V[:2], O[:3], V[:4])),
    (si.simpson, (V, np.array([0.0, 0.0, 1.0, 1.0, 1.0, 1.0])), {}),
    (si.simpson, (A,), {"axis": 0}),
    (si.simpson, (A, P), {"axis": 0}),
    (si.simpson, (T, X[:5]), {"axis": 1}),
    *((si.cumulative_simpson, (each,), {"dx": 0.5}) for each in (V, O, V[:2], O[:3])),
    *((si.cumulative_simpson, (each,), {"x": Y[: each.size]}) for each in (V, O, V[:2], V[:4])),
    (si.cumulative_simpson, (V,), {"initial": 0.5}),
    (si.cumulative_simpson, (A,), {"axis": 0, "initial": 0}),
    (si.cumulative_simpson, (A,), {"x": P, "axis": 0}),
    (si.cumulative_simpson, (T,), {"x": X[:5], "axis": 1, "initial": 0}),
    *((si.romb, (each,), {"dx": 0.5}) for each in (V[:2], V[:3], V[:5], ROMB)),
    (si.romb, (A,), {"axis": 0}),
    (si.romb, (T,), {"dx": 2, "axis": 1}),
]


@pytest.mark.parametrize("call", turning(24, CALLS), ids=lambda call: f"{call[0].__name__} {call[2]}")
def test_values_are_scipys(call):
    sight.meet(si.simpson)
    assert_as_numpy(*call)


SMOOTH: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "trapezoid": (lambda y, x: si.trapezoid(y * y, x) + si.trapezoid(y, dx=x[1]), (V, X)),
    "trapezoid, axis": (lambda y, x: si.trapezoid(y, x, axis=0), (A, P)),
    "trapezoid, twice": (lambda y, x: si.trapezoid(si.trapezoid(y, x, axis=1), x[:5]), (A, X)),
    "cumulative_trapezoid": (lambda y, x: si.cumulative_trapezoid(y, x, initial=0) * y, (V, X)),
    "cumulative_trapezoid, axis": (lambda y: si.cumulative_trapezoid(y, dx=0.1, axis=0), (A,)),
    "simpson": (lambda y, x: si.simpson(y, x) + si.simpson(y[1:], x=x[1:]) + si.simpson(y, dx=x[1]), (V, X)),
    "simpson, axis": (lambda y, x: si.simpson(y, x=x, axis=0), (A, P)),
    "cumulative_simpson": (lambda y, x: si.cumulative_simpson(y, x=x, initial=0), (V, X)),
    "cumulative_simpson, axis": (lambda y: si.cumulative_simpson(y, axis=0), (A,)),
    "romb": (lambda y, x: si.romb(y, dx=x[1]) * x, (ROMB, X)),
    "romb, axis": (lambda y: si.romb(y, axis=0), (A,)),
    "fixed_quad": (lambda a, b: si.fixed_quad(lambda t: np.exp(-t) * t, a[0], b[1])[0], (V, X)),
    "fixed_quad, args": (
        lambda a, b: si.fixed_quad(lambda t, c: np.exp(-t * c), a[0], b[1], args=(b[3],), n=4)[0],
        (V, X),
    ),
}


@pytest.mark.parametrize("name", turning(15, SMOOTH))
def test_derivatives(name):
    function, args = SMOOTH[name]
    assert_derivatives(function, args, jit=False)


def assert_second_order(function, args):
    """The derivative of the gradient, in a direction of the first argument, against differences."""
    scalars = (lambda x: np.sum(np.sin(function(x))), lambda x, y: np.sum(np.sin(function(x, y))))
    total = scalars[len(args) - 1]
    gradient = bs.grad(total, jit=False)
    direction = checking.cotangent_like(args[0], seed=2)
    value, slope = bs.jvp(gradient, args, (direction, *(0.0 * each for each in args[1:])), jit=False)
    step = 1e-6 * direction
    two = gradient(args[0] + step, *args[1:]) - gradient(args[0] - step, *args[1:])
    np.testing.assert_allclose(slope, two / 2e-6, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(value, gradient(*args))


@pytest.mark.parametrize("name", turning(14, SMOOTH))
def test_second_order(name):
    assert_second_order(*SMOOTH[name])


@numba.njit
def energy(y, x):
    area, _ = si.fixed_quad(np.exp, x[0], x[2])
    return area * si.trapezoid(y * y, x)


@pytest.mark.compiles
@pytest.mark.turns(14)
def test_compiled():
    np.testing.assert_allclose(energy(V, X), energy.py_func(V, X))
    assert_derivatives(energy, (V, X), jit=False)
