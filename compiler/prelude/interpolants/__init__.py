"""The interpolants of `scipy.interpolate`: classes with SciPy's names, whose objects the program makes or finds."""

from backsweep.prelude.interpolants import (
    at_once,
    known,
    lines_and_steps,
    polynomials,
    radial,
    splines,
    tables,
)

__all__ = ["at_once", "known", "lines_and_steps", "polynomials", "radial", "splines", "tables"]
