"""Compute `max` and `min` of a vector as Python does, which treats nan differently from NumPy."""

from __future__ import annotations

from backsweep.runtime.support.compiled import kernel


@kernel
def largest_in_order(x):
    """`max(x)`: nan if that is the first entry, else the largest of the numbers."""
    if x.size == 0:
        raise ValueError("max() iterable argument is empty")
    best = x[0]
    for k in range(1, x.size):
        best = max(best, x[k])
    return best


@kernel
def smallest_in_order(x):
    """`min(x)`: nan if that is the first entry, else the smallest of the numbers."""
    if x.size == 0:
        raise ValueError("min() iterable argument is empty")
    best = x[0]
    for k in range(1, x.size):
        best = min(best, x[k])
    return best
