"""A NumPy generator of random numbers as an argument: it is drawn from once, and its draws have no derivative."""

import numba
import numpy as np
import pytest

import backsweep as bs
from tests.support.checking import difference


def walk(x, generator, n):
    s = 0.0
    for _ in range(n):
        e = generator.normal(0.0, 1.0) + generator.uniform(low=-0.5, high=0.5)
        s += np.exp(0.3 * x * e) * e
    return s * np.sum(np.sin(x * generator.standard_normal(3)))


def location(x, generator):
    return x * generator.normal(x, 1.0)


def shuffled(x, generator):
    a = x.copy()
    generator.shuffle(a)
    return a[0]


def fresh() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.turns(4))])
def test_draws_are_those_of_the_function(jit):
    used, reference = fresh(), fresh()
    value, gradient = bs.value_and_grad(walk, jit=jit)(0.7, used, 4)
    function = numba.njit(walk) if jit else walk
    assert value == pytest.approx(function(0.7, reference, 4), rel=1e-12)
    assert used.random() == reference.random()
    expected, error = difference(lambda step: walk(0.7 + step, fresh(), 4))
    assert abs(gradient - expected) <= 1e-8 + 10.0 * error
    tangent = bs.jvp(walk, (0.7, fresh(), 4), (1.0,), wrt="x", jit=jit)[1]
    assert tangent == pytest.approx(gradient, rel=1e-9)


def test_the_text_is_that_of_the_function():
    assert "generator.normal(0.0, 1.0)" in bs.grad(walk).source(0.7, fresh(), 4)


@pytest.mark.parametrize(("function", "code"), [(location, "BS202"), (shuffled, "BS109")])
def test_what_has_no_derivative_is_refused(function, code):
    x = np.ones(3) if function is shuffled else 0.7
    with pytest.raises(bs.UnsupportedError) as found:
        bs.grad(function)(x, fresh())
    assert [problem.code for problem in found.value.problems] == [code]
