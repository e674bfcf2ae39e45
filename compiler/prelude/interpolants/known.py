"""Interpolants that SciPy made before the program runs: their classes, with the data of SciPy's objects."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.interpolate as si

from backsweep.prelude.declare import stands_for
from backsweep.prelude.interpolants.lines_and_steps import Interp1d
from backsweep.prelude.interpolants.pieces import Pieces, PPoly, Spline, UnivariateSpline, beyond, by_ext
from backsweep.prelude.interpolants.polynomials import BarycentricInterpolator, KroghInterpolator, Polynomial

REMEDY = "make the spline outside of the function, or have Python run it with bs.pure_python and declare its derivative with bs.rule"


@stands_for(si.PPoly, reads=("c", "x", "extrapolate"))
def of_ppoly(thing) -> Pieces | str:
    """A piecewise polynomial."""
    if not np.all(np.diff(thing.x) > 0.0):
        return "its breaks do not increase"
    made = PPoly()
    made.axis = thing.axis
    made.beyond = beyond(_plain(thing.extrapolate))
    return _with_pieces(made, thing, thing.c, thing.x)


def _plain(extrapolate):
    return extrapolate if isinstance(extrapolate, str) else bool(extrapolate)


@stands_for(si.BSpline, reads=("t", "c", "extrapolate"))
def of_bspline(thing) -> Pieces | str:
    """A sum of B-splines."""
    made = Spline()
    made.axis = thing.axis
    made.beyond = beyond(_plain(thing.extrapolate))
    return _with_knots(made, thing, thing.t, thing.c, thing.k)


@stands_for(si.UnivariateSpline, reads=("_eval_args", "ext"))
def of_fitpack(thing) -> Pieces | str:
    """FITPACK's spline."""
    t, c, k = thing._eval_args
    made = UnivariateSpline()
    made.beyond = by_ext(thing.ext)
    made.below = made.above = 0.0
    return _with_knots(made, thing, t, c[: t.size - k - 1], k)


def _with_knots(made: Pieces, thing, t, c, k: int) -> Pieces | str:
    """The same with knots and coefficients: its derivatives at the knots, over factorials."""
    made.clipped = True
    if k == 0:
        found = _with_pieces(made, thing, c[None], np.append(t[:-1], np.inf))
        made.first, made.last = float(t[0]), float(t[-1])
        return found
    inner = np.asarray(t)[k : np.asarray(t).size - k]
    breaks = inner[np.append(True, np.diff(inner) > 0.0)]
    if breaks.size < 2:
        return "its knots are all alike"
    spline = si.BSpline(t, c, k)
    pieces = np.stack([spline(breaks[:-1], nu=p) / math.factorial(p) for p in range(k, -1, -1)])
    return _with_pieces(made, thing, pieces, breaks)


def _with_pieces(made: Pieces, thing, c, breaks, shape: tuple[int, ...] | None = None) -> Pieces | str:
    """The same with the coefficients of its pieces; columns of several axes become one."""
    c, breaks = np.asarray(c), np.ascontiguousarray(breaks, np.float64)
    if c.dtype.kind == "c":
        return "its coefficients are complex"
    columns = tuple(map(int, c.shape[2:] if shape is None else shape))
    flat = c.astype(np.float64, copy=False).reshape(*c.shape[:2], *([-1] if columns else []))
    made.called = type(thing).__name__
    made.pieces(c.shape[0] - 1, np.ascontiguousarray(flat), breaks, columns)
    made.first, made.last = float(made.first), float(made.last)
    return made


@stands_for(si.interp1d, reads=("x", "_y", "fill_value"))
def of_interp1d(thing) -> Pieces | str:
    """Lines, steps or a spline through points."""
    made = Interp1d.__new__(Interp1d)
    x, y = thing.x, thing._y.astype(np.float64)
    shape = tuple(map(int, np.delete(np.asarray(thing.y.shape), thing.axis)))
    if thing.bounds_error:
        made.beyond = "refused"
    elif not thing._extrapolate:
        made.beyond = "filled"
        made.below, made.above = (
            _uniform(np.broadcast_to(each, shape).ravel() if shape else np.asarray(each).ravel())
            for each in (thing._fill_value_below, thing._fill_value_above)
        )
    y = y.reshape(x.size, *shape)
    middle = 0.5 * x[1:] + 0.5 * x[:-1]
    steps = {
        "nearest": ((-np.inf, *middle, np.inf), "left"),
        "nearest-up": ((-np.inf, *middle, np.inf), "right"),
        "previous": ((*x, np.inf), "right"),
        "next": ((-np.inf, *x), "left"),
    }
    found: Pieces | str
    if thing._kind in steps:
        breaks, made.side = steps[thing._kind]
        found = _with_pieces(made, thing, y[None], np.array(breaks))
    elif thing._kind == "linear":
        with np.errstate(all="ignore"):
            slopes = np.diff(y, axis=0) / np.diff(x).reshape((-1,) + (1,) * len(shape))
        found = _with_pieces(made, thing, np.stack([slopes, y[:-1]]), x)
    elif np.isnan(x).any() or np.isnan(y).any():
        return "its points hold nan"
    else:
        spline = thing._spline
        found = _with_knots(made, thing, spline.t, spline.c.reshape(-1, *shape), spline.k)
    made.axis = thing.axis
    made.clipped = False
    made.first, made.last = float(x[0]), float(x[-1])
    return found


def _uniform(values: np.ndarray[Any, Any]):
    """What the columns take, as one number if it is the same."""
    alike = np.all((values == values[0]) | np.isnan(values) & np.isnan(values[0]))
    return float(values[0]) if alike else values.astype(np.float64)


@stands_for(si.BarycentricInterpolator, reads=("xi", "yi", "wi"))
def of_barycentric(thing) -> Polynomial:
    """The polynomial by the barycentric formula."""
    made = BarycentricInterpolator.__new__(BarycentricInterpolator)
    made.weights = np.asarray(thing.wi, np.float64)
    return _with_points(made, thing, thing.yi)


@stands_for(si.KroghInterpolator, reads=("xi", "c"))
def of_krogh(thing) -> Polynomial:
    """The polynomial by Newton's formula."""
    made = KroghInterpolator.__new__(KroghInterpolator)
    return _with_points(made, thing, thing.c[: thing.xi.size])


def _with_points(made: Polynomial, thing, table) -> Polynomial:
    made.columns = tuple(thing._y_extra_shape)
    made.axis = thing._y_axis
    made.points = np.asarray(thing.xi, np.float64)
    made.values = np.asarray(table, np.float64).reshape(made.points.size, *([-1] if made.columns else []))
    return made
