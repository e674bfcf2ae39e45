"""Implementations of calls of NumPy that Numba lacks, as text that Numba compiles and derivatives are written of."""

from backsweep.runtime.overloads import extremes, methods, moments, scans

__all__ = ["extremes", "methods", "moments", "scans"]
