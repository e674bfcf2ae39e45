"""Tables over grids: `RegularGridInterpolator`, `RectBivariateSpline` and their like, known or made by the program."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.interpolate as si

from backsweep.prelude.arrays.entries import first_array
from backsweep.prelude.declare import has_known_items, means, refuse, stands_for
from backsweep.prelude.interpolants.pieces import horner
from backsweep.prelude.interpolants.points import INSTEAD, fill, held, literal, order_of, piece, real

MOST_AXES = 4
"""Of a grid: a formula has two terms for each of its corners."""


class Table:
    """A table: `points` are those of each axis, `table` the entries of the table.

    `degrees` are those of the polynomials in each cell, whose coefficients are `table[p, q, i, j]`, the highest powers first; for
    none, entries are joined by lines, or taken from the point that is `nearest`. Outside of the points it is "extrapolated", "filled"
    with `fill`, "flat" or "refused".
    """

    called: Any = "RegularGridInterpolator"
    instead: Any = INSTEAD
    points: Any
    table: Any
    degrees: Any = ()
    nearest: Any = False
    beyond: Any = "refused"
    fill: Any = math.nan

    def at(self, xs, orders):
        """The value at a point, or of a derivative there."""
        if self.beyond == "filled":
            is_outside = _is_outside(self.points, xs, 0)
            return fill(self.fill, sum(xs)) if is_outside else self._inside(xs, orders)
        if self.beyond == "refused":
            for k, x in enumerate(xs):
                if x < self.points[k][0] or x > self.points[k][-1]:
                    raise ValueError(f"One of the requested xi is out of bounds in dimension {k}")
        return self._inside(xs, orders)

    def _inside(self, xs, orders):
        """The same within the domain, or where it goes on."""
        if self.beyond == "flat":
            xs = tuple([held(x, g[0], g[-1]) for g, x in zip(self.points, xs, strict=True)])
        cells = tuple([piece(g, x, "right") for g, x in zip(self.points, xs, strict=True)])
        if self.degrees != ():
            ways = tuple([x - g[i] for g, x, i in zip(self.points, xs, cells, strict=True)])
            return self._polynomial(cells, ways, orders)
        shares = tuple(
            [(x - g[i]) / (g[i + 1] - g[i]) for g, x, i in zip(self.points, xs, cells, strict=True)]
        )
        if self.nearest:
            return self.table[tuple([i + 1 if s > 0.5 else i for i, s in zip(cells, shares, strict=True)])]
        return _corners(self.table, cells, shares, (), 0)

    def _polynomial(self, cells, ways, orders):
        """The polynomial of a cell, or a derivative of it: along the last axis first."""
        if len(self.degrees) == 1:
            c = self.table
            return horner(lambda p: c[p, cells[0]], self.degrees[0], orders[0], ways[0])
        (first, second), (dx, dy), (one, other) = self.degrees, orders, ways
        if dx > first or dy > second:
            return 0.0
        rows = [horner(self._row(p, *cells), second, dy, other) for p in tuple(range(first - dx + 1))]
        return horner(lambda p: rows[p], first, dx, one)

    def _row(self, p, i, j):
        """The coefficients of a power along the first axis."""
        c = self.table
        return lambda q: c[p, q, i, j]

    def at_each(self, xs, orders):
        """The values at coordinates that are numbers or arrays of one shape."""
        xs = tuple([real(x, self.called) for x in xs])
        one = first_array(xs, 0)
        if np.ndim(one) == 0:
            return self.at(xs, orders)
        for x in xs:
            if np.ndim(x) not in (0, np.ndim(one)):
                refuse(
                    f"`{self.called}` is evaluated at arrays with other numbers of axes",
                    "bring them to one shape, as with np.meshgrid",
                )
            if np.ndim(x) > 0 and x is not one and x.shape != one.shape:
                raise ValueError("the coordinates have other shapes")
        flat = tuple([np.ravel(x) if np.ndim(x) > 1 else x for x in xs])
        y = np.empty(one.size)
        for j in range(one.size):
            y[j] = self.at(tuple([x[j] if np.ndim(x) > 0 else x for x in flat]), orders)
        return y if np.ndim(one) == 1 else np.reshape(y, np.shape(one))


def _is_outside(points, xs, k):
    """Whether a point is outside of the axes from `k` on."""
    is_here = xs[k] < points[k][0] or xs[k] > points[k][-1]
    return is_here if k + 1 == len(xs) else is_here or _is_outside(points, xs, k + 1)


def _corners(values, cells, shares, fixed, k):
    """The mean of the entries at the corners of a cell, with weights, one axis after the other from `k` on."""
    if k == len(cells):
        return values[fixed]
    low = _corners(values, cells, shares, (*fixed, cells[k]), k + 1)
    high = _corners(values, cells, shares, (*fixed, cells[k] + 1), k + 1)
    return (1.0 - shares[k]) * low + shares[k] * high


@means(si.RegularGridInterpolator)
class RegularGridInterpolator(Table):
    """A table over a grid."""

    def __init__(self, points, values, method="linear", bounds_error=True, fill_value=math.nan) -> None:
        is_known = has_known_items(points) and np.ndim(values) == len(points) <= MOST_AXES
        if not is_known or literal(method, "method") not in ("linear", "nearest"):
            refuse(
                f"`RegularGridInterpolator` of computed values takes the points of one to {MOST_AXES} axes, values with these axes, and the method 'linear' or 'nearest'",
                "write RegularGridInterpolator((x, y), table), with method='linear'",
            )
        self.points = tuple([np.array(g) if isinstance(g, (list, tuple)) else g for g in points])
        self.table = values
        self.nearest = method == "nearest"
        if not literal(bounds_error, "bounds_error"):
            self.beyond = "extrapolated" if fill_value is None else "filled"
            self.fill = fill_value
        for k, g in enumerate(self.points):
            if values.shape[k] != g.size:
                raise ValueError(f"the points of axis {k} are not as many as the values")

    def __call__(self, xi):
        """The values at rows of coordinates, or at coordinates in a tuple."""
        axes = len(self.points)
        if isinstance(xi, tuple) and has_known_items(xi) and len(xi) == axes:
            return self.at_each(xi, (0,) * axes)
        xi = real(xi, self.called)
        if np.ndim(xi) == 0:
            refuse(
                f"`{self.called}` is evaluated at a number",
                "give an array whose last axis has the coordinates",
            )
        if xi.shape[-1] != axes:
            raise ValueError(f"The requested sample points xi do not have dimension {axes}")
        flat = np.reshape(xi, (-1, axes))
        y = np.empty(flat.shape[0])
        for j in range(flat.shape[0]):
            y[j] = self.at(tuple([flat[j, k] for k in tuple(range(axes))]), (0,) * axes)
        return y if np.ndim(xi) < 3 else np.reshape(y, np.shape(xi)[:-1])


@means(si.interpn)
def interpn(points, values, xi, method="linear", bounds_error=True, fill_value=math.nan):
    """Values of a table over a grid."""
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)


class BivariateSpline(Table):
    """A spline of two variables, as FITPACK has it."""

    called = "BivariateSpline"
    beyond = "flat"

    def __call__(self, x, y, dx=0, dy=0, grid=True):
        """The values over the grid of two vectors, or at points."""
        orders = (order_of(dx, "dx"), order_of(dy, "dy"))
        if not literal(grid, "grid"):
            return self.at_each((x, y), orders)
        x, y = real(x, self.called), real(y, self.called)
        if np.ndim(x) > 1 or np.ndim(y) > 1:
            refuse(
                f"`{self.called}` is evaluated over the grid of arrays that are no vectors",
                "give vectors, or write grid=False",
            )
        x, y = np.atleast_1d(x), np.atleast_1d(y)
        z = np.empty((x.size, y.size))
        for m in range(x.size):
            for n in range(y.size):
                z[m, n] = self.at((x[m], y[n]), orders)
        return z

    def ev(self, xi, yi, dx=0, dy=0):
        """The values at points."""
        return self.at_each((xi, yi), (order_of(dx, "dx"), order_of(dy, "dy")))


@stands_for(si.RegularGridInterpolator, reads=("grid", "values", "fill_value"))
def of_regular(thing) -> Table | str:
    """A table over a grid that SciPy made."""
    grid, values = thing.grid, np.asarray(thing.values)
    if values.ndim != len(grid) or values.dtype.kind == "c" or len(grid) > MOST_AXES:
        return f"its values are not real numbers over one to {MOST_AXES} axes"
    made: Table = RegularGridInterpolator.__new__(RegularGridInterpolator)
    if not thing.bounds_error:
        made.beyond = "extrapolated" if thing.fill_value is None else "filled"
        made.fill = math.nan if thing.fill_value is None else float(thing.fill_value)
    if thing.method not in ("linear", "nearest"):
        spline = thing._spline
        if type(spline).__name__ != "NdBSpline":
            return f"its method is {thing.method!r}"
        return _with_knots(made, spline.t, np.asarray(spline.c), tuple(map(int, spline.k)))
    made.points = tuple(np.asarray(each, np.float64) for each in grid)
    made.table = values.astype(np.float64, copy=False)
    made.nearest = thing.method == "nearest"
    return made


@stands_for(si.BivariateSpline, reads=("tck",))
def of_bivariate(thing) -> Table | str:
    """A spline of two variables that SciPy made."""
    tx, ty, c = thing.tck
    kx, ky = thing.degrees
    made = BivariateSpline()
    made.called = type(thing).__name__
    return _with_knots(made, (tx, ty), np.reshape(c, (tx.size - kx - 1, ty.size - ky - 1)), (kx, ky))


def _with_knots(made: Table, knots, table, degrees: tuple[int, ...]) -> Table | str:
    """The same with the polynomials in the cells of a product of splines: those of each axis in turn."""
    axes = len(knots)
    if axes > 2:
        return "it is a spline over more than two axes"
    found, breaks = table, []
    for axis, (t, k) in enumerate(zip(knots, degrees, strict=True)):
        inner = np.asarray(t)[k : np.asarray(t).size - k]
        at = inner[np.append(True, np.diff(inner) > 0.0)]
        spline = si.BSpline(t, np.moveaxis(found, axis, 0), k)
        powers = [spline(at[:-1], nu=p) / math.factorial(p) for p in range(k, -1, -1)]
        found = np.stack([np.moveaxis(each, 0, axis) for each in powers], axis=-1)
        breaks.append(at)
    made.points = tuple(breaks)
    made.table = np.ascontiguousarray(np.transpose(found, (*range(axes, 2 * axes), *range(axes))))
    made.degrees = degrees
    return made
