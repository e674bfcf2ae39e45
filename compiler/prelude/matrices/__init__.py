"""Functions of `scipy.linalg`."""

from backsweep.prelude.matrices import factors, functions, made_of_vectors, systems

__all__ = ["factors", "functions", "made_of_vectors", "systems"]
