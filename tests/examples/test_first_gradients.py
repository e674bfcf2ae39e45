"""The programs of the benchmark of first gradients have right gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backsweep as bs
from benchmarks.first.child import flat
from benchmarks.first.programs import PROGRAMS
from benchmarks.first.suite import JAX
from tests.support.sampled import turning


def moved(argument: Any, by: float) -> Any:
    """The argument, each float in it moved along one direction."""
    if isinstance(argument, dict):
        return {name: moved(each, by) for name, each in argument.items()}
    return argument + by * np.cos(np.arange(argument.size)).reshape(argument.shape)


@pytest.mark.parametrize("name", turning(5, PROGRAMS))
def test_gradients(name: str) -> None:
    program = PROGRAMS[name]
    first, *others = program.arguments(np.random.default_rng(0))
    value, gradient = bs.value_and_grad(program.function, jit=False)(moved(first, 0.0), *others)
    assert value == pytest.approx(program.function(moved(first, 0.0), *others), rel=1e-8)
    slope = (
        program.function(moved(first, 1e-5), *others) - program.function(moved(first, -1e-5), *others)
    ) / 2e-5
    parts = gradient.values() if isinstance(gradient, dict) else [gradient]
    along = sum(np.sum(part * np.cos(np.arange(part.size)).reshape(part.shape)) for part in parts)
    assert along == pytest.approx(slope, rel=1e-4, abs=1e-6)


def test_there_are_twenty_four_and_jax_has_eight_at_least() -> None:
    assert len(PROGRAMS) == 24
    assert set(JAX) <= set(PROGRAMS)
    assert len(JAX) >= 8
    assert flat({"b": 2.0, "a": [1.0, (3.0,)]}) == [1.0, 3.0, 2.0]
