"""`numpy.polynomial`: functions of coefficients, and classes whose objects hold them."""

from backsweep.prelude.polynomials import bases, series

__all__ = ["bases", "series"]
