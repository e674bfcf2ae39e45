"""Numbers of a distribution are functions of its parameters, and draws of arrays are what NumPy draws."""

# ruff: noqa: NPY002

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs

X = np.array([0.7, 1.3, 0.4, 2.1])
A = np.array([0.3, 1.2, 0.7, 2.0])
P = np.array([0.1, 0.2, 0.3, 0.4])
COVARIANCE = np.array([[1.0, 0.2], [0.2, 0.5]])


def shifted(x: Any, rng: Any) -> Any:
    total = 0.0
    for i in range(3):
        total = 0.9 * total + rng.normal(np.sin(total), x[i]) * rng.exponential(x[0])
    widths = (
        rng.normal(x, [0.1, 0.2, 0.3, 0.4]) + rng.uniform(-x, x, size=(2, 4)) + rng.normal(loc=A, scale=0.5)
    )
    return (
        total * (widths**2).sum()
        + (rng.normal(x.mean(), 1.0, (4, 2)) * rng.laplace(x[0], x[1], size=2)).sum()
    )


def bent(x: Any, rng: Any) -> Any:
    numbers = (
        rng.lognormal(x[0], x[1])
        + rng.rayleigh(x[2])
        + rng.weibull(x[3])
        + rng.pareto(x[1])
        + rng.power(x[0])
    )
    arrays = (
        rng.gamma(A, x, size=(2, 4)) + rng.logistic(x[0], x) * rng.gumbel(x, 0.5) + rng.weibull(A, size=4)
    )
    return numbers * (arrays**2).sum() * rng.gamma(2.0, x[0])


def by_entry(x: Any, rng: Any) -> Any:
    counts = (
        rng.poisson(A)
        + rng.binomial(5, P, size=(3, 4))
        + rng.beta(A, 2.0)
        + rng.integers(4) * rng.standard_gamma([0.5, 1.0, 2.0, 3.0])
    )
    return (counts * x * x).sum()


def by_python(x: Any, rng: Any) -> Any:
    rows = np.outer(x, x)
    chosen = rng.choice(x, 2, replace=False) * rng.choice(rows, 2)[:, 1] * x[rng.choice(4, size=2, p=P)]
    mixed = rng.permuted(rows, axis=1) * rng.permutation(rows, 1) + rng.permuted(x)
    around = rng.multivariate_normal(x[:2], COVARIANCE, size=3) + rng.multivariate_normal(
        [0.0, 1.0], COVARIANCE
    )
    counts = rng.multinomial(9, P, size=2) * rng.dirichlet([1.0, 2.0, 0.5, 3.0]) * rng.hypergeometric(5, 4, 3)
    return (
        chosen.sum() + (mixed * np.arange(16.0).reshape(4, 4)).sum() * (counts * x).sum() + (around**2).sum()
    )


def few(x: Any, rng: Any) -> Any:
    return (rng.normal(x, 0.5) * rng.choice(x, 4, p=P)).sum() * rng.gumbel(x[0], 1.0)


@pytest.mark.parametrize(
    ("function", "jit"),
    [
        (shifted, False),
        (bent, False),
        (by_entry, False),
        (by_python, False),
        pytest.param(few, True, marks=pytest.mark.compiles),
    ],
)
def test_draws_of_a_generator(function: Callable[..., Any], jit: bool) -> None:
    def at(x: Any) -> Any:
        return function(x, np.random.default_rng(3))

    rng, own = np.random.default_rng(3), np.random.default_rng(3)
    value, gradient = bs.value_and_grad(function, jit=jit)(X, rng)
    assert value == pytest.approx(function(X, own), rel=1e-12)
    assert rng.bit_generator.state == own.bit_generator.state
    step = 1e-6 * np.eye(4)
    wanted = [(at(X + direction) - at(X - direction)) / 2e-6 for direction in step]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-7)


def of_state(x: Any) -> Any:
    np.random.seed(1)
    widths = (
        np.random.normal(x, 0.5)
        + np.random.uniform(-x, x)
        + np.random.exponential(x[1], 4)
        + np.random.poisson(A)
    )
    return (widths**2).sum() * np.random.normal(x[0], x[1]) * np.random.laplace(x[0], 1.0)


def test_draws_of_the_functions_of_the_module() -> None:
    value, gradient = bs.value_and_grad(of_state, jit=False)(X)
    assert value == pytest.approx(of_state(X), rel=1e-13)
    step = 1e-6 * np.eye(4)
    wanted = [(of_state(X + direction) - of_state(X - direction)) / 2e-6 for direction in step]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, rng: rng.normal(x[0], -x[1]),
        lambda x, rng: rng.normal(x, 1.0, size=1).sum(),
        lambda x, rng: rng.uniform(x, x - 1.0).sum(),
        lambda x, rng: rng.exponential(-x).sum(),
        lambda x, rng: rng.pareto(-x[0]),
    ],
)
def test_what_numpy_refuses_raises(function: Callable[..., Any]) -> None:
    for called in (function, bs.grad(function, jit=False)):
        with pytest.raises(ValueError, match=r"< 0|<= 0|broadcast"):
            called(X, np.random.default_rng(0))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, rng: (rng.integers(0, np.array([3, 5, 7, 9])) * x).sum(),
        lambda x, rng: rng.choice(np.outer(x, x), 2, axis=1).sum(),
    ],
)
def test_what_is_not_handled_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(bs.UnsupportedError, match="is given"):
        bs.grad(function, jit=False)(X, np.random.default_rng(0))
