"""Functions of `scipy.stats`, but for the distributions."""

from backsweep.prelude.statistics import estimates, hypotheses, measures

__all__ = ["estimates", "hypotheses", "measures"]
