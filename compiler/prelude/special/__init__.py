"""Functions of `scipy.special` that have options, or that are made of others."""

from backsweep.prelude.special import bessel, exponentials, factorials, further, polynomials

__all__ = ["bessel", "exponentials", "factorials", "further", "polynomials"]
