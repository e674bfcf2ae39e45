"""Solutions of differential equations have SciPy's values; their derivatives are those of the steps that are taken."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import odeint, solve_ivp

import backsweep as bs
from tests.runtime.test_quadrature import slopes
from tests.support.refused import refused
from tests.support.sampled import turning

Function = Callable[..., Any]
AT = (1.3, 2.0)
TIGHT = 1e-10


def last_of_all_steps(p, q):
    def rhs(t, y):
        return [y[1], p * (1 - y[0] ** 2) * y[1] - q * y[0]]

    solution = solve_ivp(rhs, (0.0, 1.0), [1.0, 0.5], rtol=1e-9, atol=1e-9)
    return np.sum(solution.y[:, -1] ** 2) if solution.success else 0.0


def at_given_times(p, q):
    def rhs(t, y, k):
        return np.array([y[1], k * (1 - y[0] ** 2) * y[1] - q * y[0] + np.sin(t)])

    times = np.linspace(0, 1, 5)
    start = np.array([1.0, p])
    solution = solve_ivp(rhs, [0, 1], start, t_eval=times, args=(p,), rtol=1e-9, atol=np.array([1e-9, 1e-10]))
    return np.sum(solution.y**2 * solution.t)


def ends_that_move(p, q):
    return solve_ivp(lambda t, y: -p * y * t, (0.2 * q, q), [p], rtol=TIGHT, atol=TIGHT).y[0, -1]


def by_the_short_method(p, q):
    found = solve_ivp(
        lambda t, y: q - p * y, (0.0, 0.5), [p], method="RK23", rtol=1e-8, atol=1e-8, max_step=0.05
    )
    return found.y[0, -1]


def backwards(p, q):
    times = np.array([0.9, 0.5, 0.3])
    found = solve_ivp(lambda t, y: -p * y * t, (q - 1.0, 0.1 * q), [p], t_eval=times, rtol=TIGHT, atol=TIGHT)
    return np.sum(found.y)


def with_a_first_step(p, q):
    return solve_ivp(lambda t, y: p * y, (0, 1), np.array([q]), first_step=0.01, rtol=1e-9, atol=1e-9).y[
        0, -1
    ]


EXACT = [last_of_all_steps, at_given_times, ends_that_move, by_the_short_method, backwards, with_a_first_step]


def by_odeint(p, q):
    times = np.linspace(0.0, q, 5)
    states = odeint(lambda y, t, k: [y[1], -k * y[0]], [1.0, 0.0], times, args=(p,))
    return np.sum(states[:, 0] ** 3)


def by_odeint_time_first(p, q):
    return odeint(lambda t, y: -p * y + t, q, [0.0, 0.5, 1.0], tfirst=True, rtol=1e-10, atol=1e-10)[-1, 0]


@pytest.mark.parametrize(
    "function", turning(3, [*EXACT, by_odeint, by_odeint_time_first]), ids=lambda each: each.__name__
)
def test_value_and_gradient(function: Function) -> None:
    value, gradient = bs.value_and_grad(function, argnums=(0, 1), jit=False)(*AT)
    np.testing.assert_allclose(value, function(*AT), rtol=1e-12 if function in EXACT else 1e-6)
    np.testing.assert_allclose(gradient, slopes(function, AT, 1e-2), rtol=2e-5)


@pytest.mark.turns(12)
def test_closed_form() -> None:
    """The derivatives of exponential decay by its rate, by its end, and of second order."""

    def decay(rate, end):
        return solve_ivp(lambda t, y: -rate * y, (0.0, end), [1.0], rtol=1e-11, atol=1e-12).y[0, -1]

    exact = math.exp(-1.3 * 0.7)
    gradient = bs.grad(decay, argnums=(0, 1), jit=False)(1.3, 0.7)
    np.testing.assert_allclose(gradient, (-0.7 * exact, -1.3 * exact), rtol=1e-9)
    hessian = bs.hessian(decay, argnums=(0, 1), jit=False)(1.3, 0.7)
    mixed = (0.7 * 1.3 - 1.0) * exact
    np.testing.assert_allclose(np.array(hessian), [[0.49 * exact, mixed], [mixed, 1.69 * exact]], rtol=1e-8)


@pytest.mark.turns(3)
@pytest.mark.parametrize("function", [at_given_times, by_odeint_time_first])
def test_forward_mode(function: Function) -> None:
    _, tangent = bs.jvp(function, AT, (1.0, 0.5), jit=False)
    gradient = bs.grad(function, argnums=(0, 1), jit=False)(*AT)
    assert tangent == pytest.approx(gradient[0] + 0.5 * gradient[1], rel=1e-11)


@pytest.mark.compiles
@pytest.mark.turns(12)
@pytest.mark.parametrize("function", [at_given_times, by_odeint_time_first])
def test_compiled(function: Function) -> None:
    plain = bs.grad(function, argnums=(0, 1), jit=False)(*AT)
    np.testing.assert_allclose(bs.grad(function, argnums=(0, 1))(*AT), plain, rtol=1e-9)


def test_steps_are_those_of_scipy() -> None:
    def steps(p):
        return solve_ivp(lambda t, y: np.array([y[1], -p * y[0]]), (0.0, 4.0), np.array([1.0, 0.0])).t

    np.testing.assert_allclose(bs.jvp(steps, (1.3,), (1.0,), jit=False)[0], steps(1.3), rtol=1e-8)
    assert not np.any(bs.jvp(steps, (1.3,), (1.0,), jit=False)[1])


@pytest.mark.parametrize(
    ("function", "word"),
    [
        (lambda p: solve_ivp(lambda t, y: -p * y, (0, 1), [1.0], method="Radau").y[0, -1], "fsolve"),
        (lambda p: solve_ivp(lambda t, y: -p * y, (0, 1), [1.0], dense_output=True).y[0, -1], "t_eval"),
        (
            lambda p: solve_ivp(lambda t, y: -p * y, (0, 1), [1.0], events=lambda t, y: y[0]).y[0, -1],
            "brentq",
        ),
        (lambda p: solve_ivp(lambda t, y: -p * y, (0, 1), [1.0], jac=None).y[0, -1], "jac"),
        (lambda p: odeint(lambda y, t: -p * y, [1.0], [0.0, 1.0], full_output=1)[0][0, 0], "states alone"),
    ],
)
def test_refused(function: Function, word: str) -> None:
    with refused(word) as caught:
        bs.grad(function, jit=False)(1.0)
    assert caught.value.problems[0].code == "BS202"


def test_times_outside_raise() -> None:
    def outside(p):
        return solve_ivp(lambda t, y: -p * y, (0, 1), [1.0], t_eval=np.array([0.5, 2.0])).y[0, 0]

    for each in (outside, bs.grad(outside, jit=False)):
        with pytest.raises(ValueError, match="t_span"):
            each(1.0)
