"""Generators of random numbers: the value and each derivative draw what the function draws, and leave the same state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backsweep as bs

X = np.array([0.3, 0.2, 0.5, 0.7])


def path(x: Any, rng: Any, n: Any) -> Any:
    s, total = 100.0, 0.0
    for _ in range(n):
        s = s * np.exp((x[0] - 0.5 * x[1] ** 2) * 0.01 + x[1] * 0.1 * rng.standard_normal())
        total += max(s - 99.0, 0.0) * rng.uniform(1.0, 2.0)
    return total / n * rng.integers(1, 5)


def scaled(x: Any, rng: Any) -> Any:
    noise = rng.normal(0.5, 2.0, size=(2, 2))
    rng.exponential(2.0)  # nothing reads it, and the state shows it
    return (x.reshape(2, 2) * noise).sum()


def of_seed(x: Any, seed: Any) -> Any:
    rng = np.random.default_rng(seed)
    return (x * rng.gamma(2.0, 1.0, 4)).sum() * rng.random()


def drawn(x: Any, rng: Any) -> Any:
    return x * rng.gamma(x, 1.0)


def differences(f: Any, make: Any) -> np.ndarray:
    step = 1e-6
    return np.array([(f(X + step * e, *make()) - f(X - step * e, *make())) / (2.0 * step) for e in np.eye(4)])


JIT = [False, pytest.param(True, marks=pytest.mark.compiles)]


@pytest.mark.parametrize("jit", JIT)
@pytest.mark.parametrize(("f", "more"), [(path, (7,)), (scaled, ())], ids=["path", "scaled"])
def test_the_same_draws_and_the_same_state(f: Any, more: tuple[Any, ...], jit: bool) -> None:
    def make() -> tuple[Any, ...]:
        return np.random.default_rng(5), *more

    own, given, alone = make(), make(), make()
    value = f(X, *own)
    found, gradient = bs.value_and_grad(f, jit=jit)(X, *given)
    assert found == pytest.approx(value, rel=1e-13)
    np.testing.assert_allclose(gradient, differences(f, make), rtol=1e-6)
    np.testing.assert_array_equal(bs.grad(f, jit=jit)(X, *alone), gradient)
    assert own[0].bit_generator.state == given[0].bit_generator.state == alone[0].bit_generator.state


@pytest.mark.parametrize("jit", JIT)
def test_a_generator_made_of_a_seed(jit: bool) -> None:
    value, gradient = bs.value_and_grad(of_seed, jit=jit)(X, 4)
    assert value == pytest.approx(of_seed(X, 4), rel=1e-13)
    np.testing.assert_allclose(gradient, differences(of_seed, lambda: (4,)), rtol=1e-6)


def test_check_grads_draws_the_same_numbers_again() -> None:
    bs.check_grads(scaled, (X, np.random.default_rng(1)))


def test_a_parameter_that_varies_is_refused() -> None:
    with pytest.raises(bs.UnsupportedError, match="shift and scale what is drawn"):
        bs.grad(drawn, jit=False)(1.0, np.random.default_rng(0))


RNG = np.random.default_rng(0)
HELD = {"rng": np.random.default_rng(1)}


def of_global(x: Any) -> Any:
    total = 0.0
    for i in range(4):
        total += np.sin(x[i] * RNG.normal())
    HELD["rng"].random()  # nothing reads it, and the state shows it
    return total * HELD["rng"].uniform(1.0, 2.0)


class Model:
    def __init__(self, rng: Any) -> None:
        self.rng = rng

    def run(self, x: Any, own: Any = np.random.default_rng(2)) -> Any:  # noqa: B008  the default is one generator
        return (
            x * noise(self.rng, 4) if isinstance(self.rng, np.random.Generator) else x
        ).sum() * own.random()


def noise(rng: Any, n: int) -> Any:
    return rng.standard_normal(n)


@pytest.mark.parametrize("jit", JIT)
def test_generators_around_a_function(jit: bool) -> None:
    own = Model.run.__defaults__[0]  # type: ignore[index]
    closed, model = np.random.default_rng(3), Model(np.random.default_rng(4))

    def of_closure(x: Any) -> Any:
        return of_global(x) * closed.standard_normal() + model.run(x)

    around = [RNG, HELD["rng"], own, closed, model.rng]
    before = [each.bit_generator.state for each in around]

    def again() -> tuple[()]:
        for each, state in zip(around, before, strict=True):
            each.bit_generator.state = state
        return ()

    value = of_closure(X, *again())
    after = [each.bit_generator.state for each in around]
    found, gradient = bs.value_and_grad(of_closure, jit=jit)(X, *again())
    assert found == pytest.approx(value, rel=1e-13)
    assert [each.bit_generator.state for each in around] == after
    np.testing.assert_allclose(gradient, differences(of_closure, again), rtol=1e-5)
    if jit:
        bs.check_grads(of_closure, (X,))
    assert [each.bit_generator.state for each in around] == after


def test_another_generator_takes_the_place_of_the_first_without_new_code() -> None:
    model = Model(np.random.default_rng(5))

    def drawn(x: float) -> float:
        return x * model.rng.normal()

    slope = bs.grad(drawn, jit=False)
    for seed in (5, 6):
        model.rng = np.random.default_rng(seed)
        assert slope(1.0) == np.random.default_rng(seed).normal()
    text = slope.source()
    assert text.count("rng_around()") == 1
    second = bs.grad(bs.grad(lambda x: x * x * model.rng.normal(), jit=False), jit=False)
    model.rng = np.random.default_rng(7)
    assert second(3.0) == 2.0 * np.random.default_rng(7).normal()
    with pytest.raises(bs.UnsupportedError, match="rng_around"):
        slope.save("unwritten.py")
    model.rng = None
    with pytest.raises(bs.UnsupportedError):
        slope(1.0)
