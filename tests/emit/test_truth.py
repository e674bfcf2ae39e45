"""`not not n` of a number is True or False, not the number."""

from __future__ import annotations

# ruff: noqa: SIM202, SIM208  the spellings are what is tested
from collections.abc import Callable
from typing import Any

import pytest

import backsweep as bs

PROGRAMS: list[Callable[[float, int], Any]] = [
    lambda x, n: x * (not not n),
    lambda x, n: x * (not (not n and True)) + x * (not (n - 2)),
    lambda x, n: x * (not not x) + x * (not not (n > 0)),
    lambda x, n: x * sum([not not (k % 3) for k in range(abs(n))]),
    lambda x, n: x * (1 if not not n else 2) + x * (not n != 2),
]


@pytest.mark.parametrize("place", range(len(PROGRAMS)))
@pytest.mark.parametrize("n", [-4, 0, 2])
def test_truth_values(place: int, n: int) -> None:
    function = PROGRAMS[place]
    expected = float(function(1.5, n))
    value, slope = bs.value_and_grad(function, jit=False)(1.5, n)
    assert (value, slope) == pytest.approx((expected, expected / 1.5))
