"""Functions that choose by conditions what each entry is computed by."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.prelude.declare import has_known_items, means, refuse

REAL = (np.ndarray, float, np.floating)
"""Arrays, and the numbers that have a derivative."""


@means(np.piecewise)
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Each piece is computed where its condition holds; the last one wins."""
    if not has_known_items(condlist) or not has_known_items(funclist) or not isinstance(x, REAL):
        refuse(
            "`np.piecewise` takes an array, and lists of conditions and of functions that are written out here",
            "write np.piecewise(x, [x < 0.0, x >= 0.0], [f, g]), or np.where",
        )
    if len(funclist) not in (len(condlist), len(condlist) + 1):
        refuse(
            f"`np.piecewise` has {len(condlist)} conditions and {len(funclist)} functions",
            "give it a function for each condition, and perhaps one for the rest",
        )
    if not isinstance(x, np.ndarray):
        y: Any = x * 0
        for k, function in enumerate(funclist):
            if condlist[k] if k < len(condlist) else not any(condlist):
                y = function(x, *args, **kw) if callable(function) else function
        return y
    y = np.zeros_like(x)
    for k, function in enumerate(funclist):
        where = condlist[k] if k < len(condlist) else ~_either(*condlist)
        y[where] = function(x[where], *args, **kw) if callable(function) else function
    return y


def _either(first: Any, *others: Any) -> Any:
    """Where one of the conditions holds."""
    for other in others:
        first = first | other
    return first
