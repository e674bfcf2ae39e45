"""Curves that SciPy made before the program runs, as piecewise polynomials with constant coefficients."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from backsweep.frontend.objects.pieces import Pieces
from backsweep.ir.nodes import Const

BEYOND = {True: "extrapolated", False: "filled", "periodic": "periodic"}
"""What SciPy's `extrapolate` says."""
EXT = {0: "extrapolated", 1: "filled", 2: "refused", 3: "flat", "extrapolate": "extrapolated"}
EXT |= {"zeros": "filled", "raise": "refused", "const": "flat"}
"""What its `ext` says."""
STEPS = ("nearest", "nearest-up", "previous", "next")
"""The kinds of `interp1d` that take the value at one of the points."""
DATA = (
    "c",
    "x",
    "t",
    "_eval_args",
    "_y",
    "fill_value",
    "extrapolate",
    "ext",
    "tck",
    "xi",
    "yi",
    "wi",
    "grid",
    "values",
)
"""The attributes that hold the data of an object."""

_FOUND: WeakKeyDictionary[Any, tuple[np.ndarray[Any, Any], ...]] = WeakKeyDictionary()
"""The arrays of objects that were met before, so that two calls of one object refer to one array."""


def names_of(thing: Any) -> Iterator[str]:
    """The names of the classes of SciPy's that an object belongs to, its own first."""
    for each in type(thing).__mro__:
        if each.__module__.startswith("scipy.interpolate"):
            yield each.__name__


def kind_of(thing: Any) -> str | None:
    """The name of the family of curves that an object belongs to; None for another object."""
    known = (
        "PPoly",
        "BSpline",
        "UnivariateSpline",
        "interp1d",
        "BarycentricInterpolator",
        "KroghInterpolator",
    )
    return next((name for name in names_of(thing) if name in known), None)


def pieces_of(thing: Any) -> Pieces | str:
    """The piecewise polynomial that an object stands for, or why there is none."""
    called = type(thing).__name__
    match kind_of(thing):
        case "PPoly":
            made = _of_ppoly(thing, called)
        case "BSpline":
            made = of_knots(thing, called, thing.t, thing.c, thing.k, BEYOND[_plain(thing.extrapolate)])
        case "UnivariateSpline":
            t, c, k = thing._eval_args
            made = of_knots(thing, called, t, c[: t.size - k - 1], k, EXT[thing.ext], below=0.0)
        case _:
            made = _of_interp1d(thing)
    return made


def _plain(extrapolate: Any) -> Any:
    return extrapolate if isinstance(extrapolate, str) else bool(extrapolate)


def _of_ppoly(thing: Any, called: str) -> Pieces | str:
    if not np.all(np.diff(thing.x) > 0.0):
        return "its breaks do not increase"
    return _constant(
        thing, called, thing.c, thing.x, beyond=BEYOND[_plain(thing.extrapolate)], axis=thing.axis
    )


def of_knots(
    thing: Any, called: str, t: Any, c: Any, k: int, beyond: str, below: float = math.nan
) -> Pieces | str:
    """The same for a spline that is given by knots and coefficients: its derivatives at the knots, over factorials."""
    import scipy.interpolate as si

    spline = si.BSpline(t, c, k)
    if k == 0:
        return _constant(
            thing,
            called,
            c[None],
            np.append(t[:-1], np.inf),
            domain=(float(t[0]), float(t[-1])),
            beyond=beyond,
            axis=getattr(thing, "axis", 0),
            clipped=True,
        )
    inner = np.asarray(t)[k : np.asarray(t).size - k]
    breaks = inner[np.append(True, np.diff(inner) > 0.0)]
    if breaks.size < 2:
        return "its knots are all alike"
    pieces = np.stack([spline(breaks[:-1], nu=p) / math.factorial(p) for p in range(k, -1, -1)])
    fill = 0.0 if beyond == "filled" and below == 0.0 else math.nan
    return _constant(
        thing,
        called,
        pieces,
        breaks,
        beyond=beyond,
        axis=getattr(thing, "axis", 0),
        below=Const(fill),
        above=Const(fill),
        clipped=True,
    )


def _of_interp1d(thing: Any) -> Pieces | str:
    called, x, y = "interp1d", thing.x, thing._y.astype(np.float64)
    shape = np.delete(np.asarray(thing.y.shape), thing.axis)
    ends: dict[str, Any] = {"beyond": "extrapolated"}
    if thing.bounds_error:
        ends = {"beyond": "refused"}
    elif not thing._extrapolate:
        low, high = (
            _uniform(np.broadcast_to(each, tuple(shape)).ravel() if shape.size else np.asarray(each).ravel())
            for each in (thing._fill_value_below, thing._fill_value_above)
        )
        ends = {"beyond": "filled", "below": low, "above": high}
    ends |= {"axis": thing.axis, "domain": (float(x[0]), float(x[-1]))}
    y = y.reshape(x.size, *map(int, shape))
    if thing._kind in STEPS:
        middle = 0.5 * x[1:] + 0.5 * x[:-1]
        breaks, side = {
            "nearest": ((-np.inf, *middle, np.inf), "left"),
            "nearest-up": ((-np.inf, *middle, np.inf), "right"),
            "previous": ((*x, np.inf), "right"),
            "next": ((-np.inf, *x), "left"),
        }[thing._kind]
        return _constant(thing, called, y[None], np.array(breaks), side=side, **ends)
    if thing._kind == "linear":
        width = np.diff(x).reshape((-1,) + (1,) * shape.size)
        with np.errstate(all="ignore"):
            slopes = np.diff(y, axis=0) / width
        return _constant(thing, called, np.stack([slopes, y[:-1]]), x, **ends)
    if np.isnan(x).any() or np.isnan(y).any():
        return "its points hold nan"
    spline = thing._spline
    c = spline.c.reshape(-1, *map(int, shape))
    made = of_knots(thing, called, spline.t, c, spline.k, "extrapolated")
    if isinstance(made, str):
        return made
    assert isinstance(made.c, Const)
    assert isinstance(made.breaks, Const)
    return _constant(thing, called, made.c.value, made.breaks.value, shape=tuple(shape), **ends)


def _uniform(values: np.ndarray[Any, Any]) -> Const:
    """What the columns take, as one number if it is the same."""
    alike = np.all((values == values[0]) | np.isnan(values) & np.isnan(values[0]))
    return Const(float(values[0])) if alike else Const(values.astype(np.float64), "fill_value")


def _constant(
    thing: Any,
    called: str,
    c: Any,
    breaks: Any,
    domain: tuple[float, float] | None = None,
    shape: tuple[int, ...] | None = None,
    **more: Any,
) -> Pieces | str:
    """Pieces with constant coefficients; columns of several axes become one."""
    c, breaks = np.asarray(c), np.ascontiguousarray(breaks, np.float64)
    if c.dtype.kind == "c":
        return "its coefficients are complex"
    columns = tuple(map(int, c.shape[2:] if shape is None else shape))
    flat = c.astype(np.float64, copy=False).reshape(*c.shape[:2], *([-1] if columns else []))
    flat, breaks = remembered(thing, np.ascontiguousarray(flat), breaks)
    first, last = domain or (float(breaks[0]), float(breaks[-1]))
    return Pieces(
        called=called,
        degree=c.shape[0] - 1,
        c=Const(flat, "coefficients"),
        breaks=Const(breaks, "breaks"),
        first=Const(first),
        last=Const(last),
        columns=columns,
        **more,
    )


def remembered(thing: Any, *arrays: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], ...]:
    """The arrays that the object had when it was last met, if they are the same."""
    old = _FOUND.get(thing, ())
    alike = len(old) == len(arrays) and all(
        one.shape == other.shape and one.tobytes() == other.tobytes()
        for one, other in zip(old, arrays, strict=True)
    )
    if alike:
        return old
    _FOUND[thing] = arrays
    return arrays
