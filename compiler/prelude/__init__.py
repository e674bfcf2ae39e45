"""What library functions mean, in terms of the core language: plain Python that the compiler runs in place of a call."""

from backsweep.prelude.declare import meaning_of

__all__ = ["meaning_of"]
