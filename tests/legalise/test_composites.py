"""The logistic function, spelled out, is differentiated as one function."""

from __future__ import annotations

import math

import numpy as np
import pytest

import backsweep as bs

FAR = (-800.0, 800.0)
"""Where the exponential overflows on one side, and the logistic function is flat on both."""


def logistic(x):
    return 1.0 / (1.0 + math.exp(-x))


def falling(x):
    return 1.0 / (np.exp(x) + 1.0)


def entries(x):
    return np.sum(1.0 / (1.0 + np.exp(-x)))


def cut(x):
    e = bs.stop_gradient(np.exp(-x))
    return x * (1.0 / (1.0 + e))


def tapped(x):
    e = np.exp(-x)
    d = 1.0 + e
    return 3.0 / d + 1.0 / d


def half(x, k):
    return 1.0 / (k + math.exp(-x))


def reverse_sweep(function) -> str:
    """Its statements, without the headings."""
    source = bs.grad(function).source(0.3)
    lines = source[source.index("# reverse sweep") :].splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


@pytest.mark.parametrize("function", [logistic, falling])
@pytest.mark.parametrize("x", FAR)
def test_flat_where_the_exponential_overflows(function, x: float) -> None:
    assert bs.grad(function)(x) == 0.0
    assert bs.grad(bs.grad(function))(x) == 0.0
    assert bs.jvp(function, (x,), (1.0,))[1] == 0.0


def test_flat_entry_by_entry() -> None:
    x = np.array([-800.0, 0.0, 800.0])
    np.testing.assert_allclose(bs.grad(entries)(x), [0.0, 0.25, 0.0])
    np.testing.assert_allclose(bs.jvp(entries, (x,), (np.ones(3),))[1], 0.25)


def test_the_adjoint_computes_the_exponential_again_only_near_one() -> None:
    for function in (logistic, falling):
        assert reverse_sweep(function).count("exp") == 1
        assert "< 0.99" in reverse_sweep(function)


@pytest.mark.parametrize("function", [logistic, falling])
@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("x", [-40.0, -4.0, 0.0, 0.7, 4.0, 5.0, 20.0, 40.0, 300.0, 700.0])
def test_derivatives_have_all_digits_on_both_sides(function, jit: bool, x: float) -> None:
    sign = -1.0 if function is falling else 1.0
    e = math.exp(-abs(x))
    slope = sign * e / (1.0 + e) ** 2
    assert bs.grad(function, jit=jit)(x) == pytest.approx(slope, rel=1e-14, abs=0.0)
    assert bs.jvp(function, (x,), (1.0,), jit=jit)[1] == pytest.approx(slope, rel=1e-14, abs=0.0)
    second = -slope * math.tanh(x / 2.0)
    assert bs.grad(bs.grad(function), jit=jit)(x) == pytest.approx(second, rel=1e-14, abs=0.0)


def test_another_sum_is_no_logistic_function() -> None:
    x, k = 0.3, 2.0
    e = math.exp(-x)
    assert bs.grad(half)(x, k) == pytest.approx(e / (k + e) ** 2, rel=1e-14)
    assert bs.grad(half)(x, 1.0) == pytest.approx(e / (1.0 + e) ** 2, rel=1e-14)


def test_a_part_cut_from_the_derivative_stays_so() -> None:
    assert bs.grad(cut)(0.3) == pytest.approx(logistic(0.3), rel=1e-14)


def test_parts_asked_for_by_name_have_their_adjoints() -> None:
    e = math.exp(-0.3)
    e_bar, x_bar = bs.grad(tapped, wrt=("e", "x"))(0.3)
    assert e_bar == pytest.approx(-4.0 / (1.0 + e) ** 2, rel=1e-14)
    assert x_bar == pytest.approx(4.0 * e / (1.0 + e) ** 2, rel=1e-14)
