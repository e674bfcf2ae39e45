"""Arithmetic of `range`, for loops whose step is not one."""

from __future__ import annotations

from backsweep.runtime.support.compiled import kernel


@kernel
def trip_count(start: int, stop: int, step: int) -> int:
    """How often `for i in range(start, stop, step)` runs."""
    if step > 0:
        return max((stop - start + step - 1) // step, 0)
    return max((start - stop - step - 1) // -step, 0)
