"""`numpy.polynomial`: functions of coefficients, and classes whose objects hold them."""

from backsweep.prelude.polynomials import bases, families, series

__all__ = ["bases", "families", "series"]
