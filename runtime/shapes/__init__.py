"""More implementations of calls of NumPy: those that choose, sample, split and arrange entries of arrays."""

from backsweep.runtime.shapes import choices, joins, names, orders, placing, polynomials, samples

__all__ = ["choices", "joins", "names", "orders", "placing", "polynomials", "samples"]
