"""Functions and distributions of `scipy.stats`."""

from backsweep.prelude.statistics import distributions, estimates, hypotheses, measures

__all__ = ["distributions", "estimates", "hypotheses", "measures"]
