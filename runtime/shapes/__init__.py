"""More implementations of calls of NumPy: those that choose, sample, split and arrange entries of arrays, and stacks."""

from backsweep.runtime.shapes import (
    alike,
    joins,
    numbers,
    samples,
    stacks,
)

__all__ = [
    "alike",
    "joins",
    "numbers",
    "samples",
    "stacks",
]
