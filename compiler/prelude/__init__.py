"""What library functions mean, in terms of the core language: plain Python that the compiler runs in place of a call."""

from backsweep.prelude import (
    arrays,
    bases,
    brackets,
    curves,
    entries,
    iterators,
    numbers,
    series,
    ufuncs,
)
from backsweep.prelude.declare import meaning_of

__all__ = [
    "arrays",
    "bases",
    "brackets",
    "curves",
    "entries",
    "iterators",
    "meaning_of",
    "numbers",
    "series",
    "ufuncs",
]
