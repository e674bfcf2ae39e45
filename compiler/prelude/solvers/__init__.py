"""Integrals, roots, systems and differential equations of SciPy, which take functions of the user's."""

from backsweep.prelude.solvers import equations, instead, integrals, minima, roots, rosenbrock, samples

__all__ = ["equations", "instead", "integrals", "minima", "roots", "rosenbrock", "samples"]
