"""`interp1d`: lines, steps and splines through points."""

from __future__ import annotations

import math

import numpy as np
import scipy.interpolate as si

from backsweep.prelude.declare import early, has_known_items, is_known, means, refuse
from backsweep.prelude.interpolants.pieces import Pieces
from backsweep.prelude.interpolants.points import floats, literal, values_at, vector
from backsweep.prelude.interpolants.splines import columns_of, set_through

DEGREES = {"linear": 1, "slinear": 1, "quadratic": 2, "cubic": 3}


@means(si.interp1d)
class Interp1d(Pieces):
    """Values between points; `kind` says how these are joined."""

    called = "interp1d"

    def __init__(
        self,
        x,
        y,
        kind="linear",
        axis=-1,
        copy=True,
        bounds_error=None,
        fill_value=math.nan,
        assume_sorted=False,
    ) -> None:
        del copy
        x, y = vector(x, "interp1d", "x"), floats(y, "interp1d", "y")
        if literal(axis, "axis") % np.ndim(y) == 1:
            y = y.T
        if not literal(assume_sorted, "assume_sorted") and not (is_known(x) and early(_is_sorted, x)):
            order = np.argsort(x)
            x, y = x[order], y[order]
        if literal(kind, "kind") in ("nearest", "nearest-up", "previous", "next"):
            self.side = "right" if kind in ("nearest-up", "previous") else "left"
            self.pieces(0, np.expand_dims(y, 0), _ends_of_steps(x, kind), columns_of(y))
        else:
            set_through(self, x, y, DEGREES.get(kind, kind))
        self.axis = axis % np.ndim(y)
        self.clipped = False
        self.first = x[0]
        self.last = x[-1]
        self.beyond = "refused"
        if isinstance(fill_value, str):
            self.beyond = "extrapolated"
        elif bounds_error is not None and not literal(bounds_error, "bounds_error"):
            self.beyond = "filled"
            self.below, self.above = fill_value if has_known_items(fill_value) else (fill_value, fill_value)
            if isinstance(self.below, np.ndarray) or isinstance(self.above, np.ndarray):
                refuse(
                    "`interp1d` of computed values takes numbers as `fill_value`",
                    "add the columns outside of the points yourself",
                )

    def __call__(self, x):
        """Its values."""
        return values_at(self, x, 0)

    def message(self, where):
        """The error where it is not defined."""
        if where == "below":
            return "A value in x_new is below the interpolation range's minimum value."
        return "A value in x_new is above the interpolation range's maximum value."


def _is_sorted(x):
    return bool(np.all(np.diff(x) >= 0.0))


def _ends_of_steps(x, kind):
    """Where the values begin and end."""
    if kind == "previous":
        return np.concatenate((x, np.array([math.inf])))
    if kind == "next":
        return np.concatenate((np.array([-math.inf]), x))
    return np.concatenate((np.array([-math.inf]), 0.5 * x[1:] + 0.5 * x[:-1], np.array([math.inf])))
