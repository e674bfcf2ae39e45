"""Functions and distributions of `scipy.stats`, and distances."""

from backsweep.prelude.statistics import (
    distances,
    distributions,
    estimates,
    hypotheses,
    measures,
    metrics,
    samples,
)

__all__ = ["distances", "distributions", "estimates", "hypotheses", "measures", "metrics", "samples"]
