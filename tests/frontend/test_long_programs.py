"""What stays short in a long program: helpers that it calls at many places, and loops over written numbers; gradients are the same."""

from __future__ import annotations

import math
import types
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from backsweep.frontend import loops
from backsweep.frontend.context import long_programs
from tests import zoo
from tests.support.sampled import turning

CASES = {case.name: case for case in zoo.load()}
WITH_HELPERS = sorted(
    name
    for name, case in CASES.items()
    if name.split(".")[0] in {"calls", "handed", "aliases", "states", "exits", "kept"}
    and isinstance(case.function(*case.args), float)
)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each program is long, and each copy of a helper too much."""
    monkeypatch.setattr(long_programs, "LONG", 6)
    monkeypatch.setattr(long_programs, "SAVED", 0.05)


def weighed(x: float, a: Any) -> float:
    total = 0.0
    for i in range(a.size):
        total += math.sin(x * a[i]) * a[i]
    return total


def three_times(x: float, a: Any) -> float:
    u = weighed(x, a)
    v = weighed(u, a)
    return u * v * weighed(u * v, a)


def noisy(x: float) -> float:
    return x * np.random.normal(1.0, 0.1)  # noqa: NPY002  as people write it


def noisy_three_times(x: float) -> float:
    return noisy(x) + noisy(x * x) + noisy(x + 1.0)


A = np.array([0.3, 0.7, 1.1])


def test_one_function_and_one_adjoint(short: None) -> None:
    gradient = bs.grad(three_times, jit=False)
    source = gradient.source(0.4, A)
    assert (source.count("def weighed("), source.count("def weighed_adjoint(")) == (1, 1)
    assert "weighed_1" not in source
    step = 1e-6
    slope = (three_times(0.4 + step, A) - three_times(0.4 - step, A)) / (2.0 * step)
    assert gradient(0.4, A) == pytest.approx(slope, rel=1e-8)


def test_short_programs_are_written_out() -> None:
    assert "def weighed(" not in bs.grad(three_times, jit=False).source(0.4, A)


def test_forward_mode_is_written_out(short: None) -> None:
    assert "def weighed(" not in bs.jacfwd(three_times, jit=False).source(0.4, A)


def test_what_may_not_run_twice_is_written_out(short: None) -> None:
    """A marked function that draws is refused; one that nobody marked must not be."""
    assert "def noisy(" not in bs.grad(noisy_three_times, jit=False).source(0.4)


@pytest.mark.parametrize("name", turning(8, WITH_HELPERS))
def test_gradients_of_programs(name: str, short: None, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[name]

    def gradient() -> Any:
        return bs.value_and_grad(case.function, argnums=case.argnums, jit=False)(*case.args)

    found = gradient()
    monkeypatch.undo()
    for one, other in zip(_numbers(found), _numbers(gradient()), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-10)


def _numbers(found: Any) -> list[Any]:
    """The arrays and numbers of a nested result."""
    if isinstance(found, dict):
        found = tuple(found.values())
    if isinstance(found, tuple | list):
        return [number for each in found for number in _numbers(each)]
    return [np.asarray(found, dtype=np.complex128)]


RATES = [0.5, 1.5, -0.25, 2.0]
POINTS = [(0.1, 1), (0.7, 3), (1.2, 2)]
COUNTS = (1, 4, 2)


class State:
    def __init__(self, level: float) -> None:
        self.level = level
        self.seen: list[float] = []

    def step(self, rate: float) -> None:
        self.level = math.sin(self.level * rate) + 0.1 * self.level
        self.seen.append(self.level)


def over_a_list(x: float) -> float:
    total = 0
    for rate in RATES:
        total += math.sin(rate * x) * total + rate * x
    return total


def of_positions(x: float) -> float:
    state = State(x)
    for k, rate in enumerate(RATES):
        if k:
            state.step(rate)
        state.level += 0.1 * rate
    return state.level + sum(state.seen) * rate


def of_rows(x: float) -> float:
    total = x
    for place, power in POINTS:
        total = total * place + x**power
    return total


def side_by_side(x: float) -> float:
    total = x
    for (place, _), rate, count in zip(POINTS, RATES, COUNTS):  # noqa: B905  as people write it
        total += math.cos(place * total) * rate / count
    return total


def left_early(x: float) -> float:
    total = x
    for rate in RATES:
        if total > 2.0:
            break
        total += rate * x
    else:
        total *= 2.0
    return total * rate


def in_a_comprehension(x: float) -> float:
    values = [math.sin(rate * x) * rate for rate in RATES]
    return sum(values) + max(values) * len(values)


def in_a_generator(x: float) -> float:
    return sum(math.sin(rate * x) * rate for rate in RATES)


def of_several_types(x: float) -> float:
    total = 0.0
    for k in (0, 1, 2):
        total += (x, 3, x * x)[k] * x
    return total


LOOPS = {
    over_a_list: "RATES[",
    of_positions: "RATES[",
    of_rows: "POINTS",
    side_by_side: "RATES[",
    left_early: "RATES[",
    in_a_comprehension: "RATES[",
    in_a_generator: "RATES[",
}


@pytest.mark.parametrize("function", [*LOOPS, of_several_types], ids=lambda each: each.__name__)
def test_loops_over_written_numbers(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """They stay loops over a table where the body is long, if what is in them need not be known."""
    value, slope = bs.value_and_grad(function, jit=False)(0.4)
    assert value == pytest.approx(function(0.4), rel=1e-12)
    whole = bs.grad(function, jit=False).source(0.4)
    monkeypatch.setattr(loops, "LONG_LOOP", -1)
    held = bs.value_and_grad(_again(function), jit=False)(0.4)
    assert held == pytest.approx((value, slope), rel=1e-12)
    short = bs.grad(_again(function), jit=False).source(0.4)
    if function in LOOPS:
        assert LOOPS[function] in short
        assert LOOPS[function] not in whole
    else:
        assert short == whole
    step = 1e-6
    difference = (function(0.4 + step) - function(0.4 - step)) / (2.0 * step)
    assert slope == pytest.approx(difference, rel=1e-7)


def _again(function: Any) -> Any:
    """The same function, of which nothing is known yet."""
    return types.FunctionType(function.__code__, function.__globals__, function.__name__)
