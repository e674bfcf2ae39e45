"""`numpy.polynomial`: functions of coefficients, and classes whose objects hold them."""

from backsweep.prelude.polynomials import bases, families, highest_first, series

__all__ = ["bases", "families", "highest_first", "series"]
