"""Backsweep's subclasses of Numba's dispatchers and compilers."""
