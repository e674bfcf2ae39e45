"""Slopes of a compiled function by differences, and where there are none: at kinks, jumps and edges of the domain."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tests.support.checking import FIRST_STEP, STEPS

FINE = 1e-4
"""A step that reaches no jump which the steps of the extrapolation leap over."""


@dataclass(frozen=True)
class Slope:
    """The derivative along a direction, the estimate of its error, and why there is none where there is none."""

    value: float
    error: float
    undecided: str = ""


def slope(along: Callable[[float], float], scale: float = 1.0) -> Slope:
    """The derivative of `along` at 0: central differences at steps that halve, extrapolated to the limit.

    Undecided where a value is not finite, and where the slopes of the two sides do not approach one another.
    """
    base = along(0.0)
    step = FIRST_STEP * scale
    best, error, largest = math.nan, math.inf, abs(base)
    previous: list[float] = []
    bends: list[float] = []
    for _ in range(STEPS):
        right, left = along(step), along(-step)
        if not all(map(math.isfinite, (right, left, base))):
            return Slope(math.nan, math.inf, "a value nearby is not finite")
        largest = max(largest, abs(right), abs(left))
        bends.append((right - 2.0 * base + left) / step)
        row = [(right - left) / (2.0 * step)]
        for order, coarser in enumerate(previous, start=1):
            row.append(row[-1] + (row[-1] - coarser) / (4.0**order - 1.0))
            change = max(abs(row[-1] - row[-2]), abs(row[-1] - coarser))
            if change <= error:
                best, error = row[-1], change
        previous, step = row, 0.5 * step
    if not math.isfinite(best):
        return Slope(math.nan, math.inf, "the differences overflow")
    noise = 1e-13 * (1.0 + largest) / step
    # A smooth function's bend halves with the step; that of a kink stays, that of a jump grows
    if abs(bends[-1]) > noise and abs(bends[-1]) > 0.75 * abs(bends[-2]):
        return Slope(best, error, "the slopes of the two sides differ")
    # Of a staircase coarse steps see a slope and fine ones none; of many jumps in a row they see one that is too steep
    finest = (along(FINE * scale) - along(-FINE * scale)) / (2.0 * FINE * scale)
    noise = max(noise, 1e-13 * (1.0 + largest) / (FINE * scale))
    for fine in (row[0], finest):
        if not abs(fine - best) <= noise + 0.01 * max(abs(fine), abs(best)):
            return Slope(best, error, "the differences do not converge")
    return Slope(best, error + 1e-15 * largest / step)
