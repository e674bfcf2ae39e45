"""Functions of `scipy.ndimage`."""

from backsweep.prelude.images import filters, transforms

__all__ = ["filters", "transforms"]
