"""What library functions mean, in terms of the core language: plain Python that the compiler runs in place of a call."""

from backsweep.prelude import arrays, brackets, curves, entries, iterators, joins, numbers, ufuncs, windows
from backsweep.prelude.declare import meaning_of

__all__ = [
    "arrays",
    "brackets",
    "curves",
    "entries",
    "iterators",
    "joins",
    "meaning_of",
    "numbers",
    "ufuncs",
    "windows",
]
