"""What library functions mean, in terms of the core language: plain Python that the compiler runs in place of a call."""

from backsweep.prelude import arrays, axes, bases, brackets, curves, entries, iterators, numbers, series
from backsweep.prelude.declare import meaning_of

__all__ = [
    "arrays",
    "axes",
    "bases",
    "brackets",
    "curves",
    "entries",
    "iterators",
    "meaning_of",
    "numbers",
    "series",
]
