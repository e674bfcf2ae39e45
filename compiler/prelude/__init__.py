"""What library functions mean, in terms of the core language: plain Python that the compiler runs in place of a call."""

from backsweep.prelude import axes, containers, curves, entries, series
from backsweep.prelude.declare import meaning_of

__all__ = ["axes", "containers", "curves", "entries", "meaning_of", "series"]
