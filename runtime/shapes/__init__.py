"""More implementations of calls of NumPy: those that choose, sample, split and arrange entries of arrays."""

from backsweep.runtime.shapes import choices, joins, names, placing, samples

__all__ = ["choices", "joins", "names", "placing", "samples"]
