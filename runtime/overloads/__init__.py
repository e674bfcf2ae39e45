"""Implementations of calls of NumPy that Numba lacks, as text that Numba compiles and derivatives are written of."""

from backsweep.runtime.overloads import (
    curves,
    extremes,
    layout,
    methods,
    moments,
    products,
    scans,
    ufuncs,
)

__all__ = ["curves", "extremes", "layout", "methods", "moments", "products", "scans", "ufuncs"]
