"""More implementations of calls of NumPy: those that choose, sample, split and arrange entries of arrays, and stacks."""

from backsweep.runtime.shapes import (
    alike,
    choices,
    histograms,
    joins,
    names,
    numbers,
    orders,
    padding,
    samples,
    stacks,
)

__all__ = [
    "alike",
    "choices",
    "histograms",
    "joins",
    "names",
    "numbers",
    "orders",
    "padding",
    "samples",
    "stacks",
]
