"""The method `at` of ufuncs, which Numba does not compile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from backsweep.runtime.overloads.texts import stands_for
from backsweep.runtime.overloads.ufunc_at import text_of_at


def _importable(function, ufunc: np.ufunc):
    """A function under a name of its own in this module, by which the compiler refers to it."""
    function.__name__ = function.__qualname__ = f"{ufunc.__name__}_{function.__name__}"
    globals()[function.__name__] = function
    return function


def _at_by(ufunc, statement: str):
    """The function that does what the `at` of a ufunc does: positions may repeat."""

    def at(a, indices, b=None) -> None:
        ufunc.at(a, indices, *(() if b is None else (b,)))

    @stands_for(at, ufunc=ufunc)
    def at_positions(a, indices, b=None):
        """Change the entry at each position, one after the other."""
        return text_of_at(statement, a, indices, b)

    return _importable(at, ufunc)


AT: Mapping[Any, Any] = {
    np.add: _at_by(np.add, "{} += {}"),
    np.subtract: _at_by(np.subtract, "{} -= {}"),
    np.multiply: _at_by(np.multiply, "{} *= {}"),
    np.divide: _at_by(np.divide, "{} /= {}"),
    **{
        each: _at_by(each, "{0} = ufunc({0}, {1})")
        for each in (np.maximum, np.minimum, np.fmax, np.fmin, np.power)
    },
    **{
        each: _at_by(each, "{0} = ufunc({0})")
        for each in (np.negative, np.exp, np.log, np.sqrt, np.square, np.abs)
    },
}
"""The ufuncs whose `at` is known, each with what does the same."""
