"""Permutations, shuffles and choices of an array read it at drawn places: the value draws what the function draws."""

# ruff: noqa: NPY002

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import backsweep as bs

X = np.random.default_rng(0).uniform(0.2, 1.2, 6)
WEIGHTS = np.linspace(0.5, 2.0, 6)


def permuted(x, rng):
    y = rng.permutation(x * x)
    return (y * WEIGHTS).sum() * rng.permutation(3)[0] + y[0] * rng.random()


def shuffled(x, rng):
    y = x * x
    rng.shuffle(y)
    return (y * WEIGHTS).sum() + y[0] * y[1] * rng.random()


def shuffled_rows(x, rng):
    y = np.outer(x, x)
    rng.shuffle(y)
    return y[0, 1] * y[2, 0] + rng.permutation(y)[1, 1]


@pytest.mark.parametrize("function", [permuted, shuffled, shuffled_rows])
@pytest.mark.parametrize("seed", [0, 5])
def test_a_generator(function: Callable[..., float], seed: int) -> None:
    def with_seed(x):
        return function(x, np.random.default_rng(seed))

    rng = np.random.default_rng(seed)
    value, gradient = bs.value_and_grad(function, jit=False)(X, rng)
    assert value == with_seed(X)
    after = np.random.default_rng(seed)
    function(X, after)
    assert rng.random() == after.random()
    step = 1e-6
    for k, direction in enumerate(np.eye(X.size) * step):
        difference = (with_seed(X + direction) - with_seed(X - direction)) / (2.0 * step)
        assert gradient[k] == pytest.approx(difference, rel=1e-6, abs=1e-8)


def chosen(x):
    np.random.seed(3)
    y = x * x
    return (np.random.choice(y, 4) * np.random.choice(y, 4, False)).sum() * np.random.choice(y)


def test_choices_of_an_array() -> None:
    value, gradient = bs.value_and_grad(chosen, jit=False)(X)
    assert value == chosen(X)
    step = 1e-6
    for k, direction in enumerate(np.eye(X.size) * step):
        difference = (chosen(X + direction) - chosen(X - direction)) / (2.0 * step)
        assert gradient[k] == pytest.approx(difference, rel=1e-6, abs=1e-8)


@pytest.mark.compiles
@pytest.mark.turns(9)
def test_compiled() -> None:
    value, gradient = bs.value_and_grad(permuted)(X, np.random.default_rng(5))
    assert value == pytest.approx(permuted(X, np.random.default_rng(5)))
    plain = bs.grad(permuted, jit=False)(X, np.random.default_rng(5))
    assert gradient == pytest.approx(plain)


def test_options_that_numba_lacks_are_refused() -> None:
    def function(x):
        return np.random.choice(x, 2, p=np.ones(6) / 6.0).sum()

    with pytest.raises(bs.UnsupportedError, match="draw places first"):
        bs.grad(function, jit=False)(X)
