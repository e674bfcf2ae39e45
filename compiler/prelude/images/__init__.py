"""Functions of `scipy.ndimage`."""

from backsweep.prelude.images import filters, linear, transforms

__all__ = ["filters", "linear", "transforms"]
