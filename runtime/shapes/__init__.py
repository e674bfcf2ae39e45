"""More implementations of calls of NumPy: those that choose, split and arrange entries of arrays, and stacks."""

from backsweep.runtime.shapes import alike, joins, numbers, stacks

__all__ = ["alike", "joins", "numbers", "stacks"]
