"""A helper that a long program calls at many places stays a function, as if it were marked; gradients are the same."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from backsweep.frontend.context import long_helpers
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
    monkeypatch.setattr(long_helpers, "LONG", 6)
    monkeypatch.setattr(long_helpers, "SAVED", 0.05)


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
