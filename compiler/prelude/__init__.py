"""What library functions mean, in terms of the core language: plain Python that the compiler runs in place of a call."""

from backsweep.prelude import axes, curves, entries, series
from backsweep.prelude.declare import meaning_of

__all__ = ["axes", "curves", "entries", "meaning_of", "series"]
