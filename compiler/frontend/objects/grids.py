"""Tables over grids: `RegularGridInterpolator`, `RectBivariateSpline` and their like, known or made by the program."""

from __future__ import annotations

import ast
import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.frontend.constructs.comprehensions import as_array
from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.inner_text import run_text
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import known_elements
from backsweep.frontend.objects.arguments import by_name, option, required
from backsweep.frontend.objects.evaluated import BUILTINS, held_within, indented, real_points
from backsweep.frontend.objects.known_curves import names_of, remembered
from backsweep.frontend.objects.pieces import horner
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.ir.types import Array

MOST_AXES = 4
"""Of a grid: a formula has two terms for each of its corners."""
FAMILIES = ("RegularGridInterpolator", "BivariateSpline")
NAN = Const(math.nan)


@dataclass(frozen=True, eq=False, kw_only=True)
class Grid:
    """A table as it is known while compiling: `points` are those of each axis, `values` the entries of the table.

    `degrees` are those of the polynomials in each cell, whose coefficients are `values[p, q, i, j]`, the highest powers first; for
    none, entries are joined by lines, or taken from the point that is `nearest`. Outside of the points it is "extrapolated", "filled"
    with `fill`, "flat" or "refused".
    """

    called: str
    points: tuple[Operand, ...]
    values: Operand
    degrees: tuple[int, ...] = ()
    nearest: bool = False
    beyond: str = "refused"
    fill: Operand = NAN

    @property
    def operands(self) -> tuple[Operand, ...]:
        """What it refers to in the program."""
        return (self.values, self.fill, *self.points)

    def over(self, operands: Sequence[Operand]) -> Grid:
        """The same with these operands."""
        values, fill, *points = operands
        return dataclasses.replace(self, values=values, fill=fill, points=tuple(points))


def family_of(thing: Any) -> str | None:
    """The name of the family of tables that an object belongs to; None for another object."""
    return next((name for name in names_of(thing) if name in FAMILIES), None)


def grid_of(thing: Any) -> Grid | str:
    """The table that an object of SciPy's stands for, or why there is none."""
    if family_of(thing) == "RegularGridInterpolator":
        return _of_regular(thing)
    tx, ty, c = thing.tck
    kx, ky = thing.degrees
    table = np.reshape(c, (tx.size - kx - 1, ty.size - ky - 1))
    return _of_bsplines(thing, (tx, ty), table, (kx, ky), beyond="flat")


def _of_regular(thing: Any) -> Grid | str:
    grid, values = thing.grid, np.asarray(thing.values)
    if values.ndim != len(grid) or values.dtype.kind == "c" or len(grid) > MOST_AXES:
        return f"its values are not real numbers over one to {MOST_AXES} axes"
    beyond = {"beyond": "refused"} if thing.bounds_error else _beyond(thing.fill_value)
    if thing.method not in ("linear", "nearest"):
        spline = thing._spline
        if type(spline).__name__ != "NdBSpline":
            return f"its method is {thing.method!r}"
        return _of_bsplines(thing, spline.t, np.asarray(spline.c), tuple(map(int, spline.k)), **beyond)
    arrays = remembered(
        thing,
        values.astype(np.float64, copy=False),
        *(np.asarray(each, np.float64) for each in grid),
    )
    points = tuple(Const(each, f"points{k}") for k, each in enumerate(arrays[1:]))
    return Grid(
        called=type(thing).__name__,
        points=points,
        values=Const(arrays[0], "table"),
        nearest=thing.method == "nearest",
        **beyond,
    )


def _beyond(fill: Any) -> dict[str, Any]:
    """What is outside of the points, by SciPy's `fill_value`."""
    if fill is None:
        return {"beyond": "extrapolated"}
    return {"beyond": "filled", "fill": Const(float(fill))}


def _of_bsplines(
    thing: Any, knots: Sequence[Any], table: Any, degrees: tuple[int, ...], **more: Any
) -> Grid | str:
    """The polynomials in the cells of a product of splines: those of each axis in turn."""
    import scipy.interpolate as si

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
    found = np.transpose(found, (*range(axes, 2 * axes), *range(axes)))
    arrays = remembered(thing, np.ascontiguousarray(found), *breaks)
    points = tuple(Const(each, f"breaks{k}") for k, each in enumerate(arrays[1:]))
    values = Const(arrays[0], "coefficients")
    return Grid(called=type(thing).__name__, points=points, values=values, degrees=degrees, **more)


def made(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Grid:
    """Lower `RegularGridInterpolator(points, values)`."""
    names = ("points", "values", "method", "bounds_error", "fill_value")
    given = by_name(lowerer, names, args, keywords, node)
    required(lowerer, given, names[:2], node)
    method = option(lowerer, given, "method", "linear", node)
    parts = known_elements(lowerer.context, given["points"])
    table = given["values"]
    type_ = asked_type(lowerer, table, node) if isinstance(table, Value) else None
    ndim = type_.ndim if isinstance(type_, Array) else np.ndim(table.value) if isinstance(table, Const) else 0
    if method not in ("linear", "nearest") or parts is None or len(parts) != ndim or ndim > MOST_AXES:
        message = f"`{ast.unparse(node.func)}` of computed values takes the points of one to {MOST_AXES} axes, values with these axes, and the method 'linear' or 'nearest'"
        raise lowerer.refuse(
            "BS113", message, node, "write RegularGridInterpolator((x, y), table), with method='linear'"
        )
    beyond: dict[str, Any] = {"beyond": "refused"}
    if not option(lowerer, given, "bounds_error", True, node):
        fill = given.get("fill_value", NAN)
        is_none = isinstance(fill, Const) and fill.value is None
        beyond = {"beyond": "extrapolated"} if is_none else {"beyond": "filled", "fill": fill}
    points = tuple(
        as_array(lowerer, each, node) if known_elements(lowerer.context, each) is not None else each
        for each in parts
    )
    hidden = {f".g{k}": each for k, each in enumerate(points)} | {
        ".table": table,
        ".error": Const(ValueError),
    }
    lines = [
        f"if _table.shape[{k}] != _g{k}.size:\n    raise _error('the points of axis {k} are not as many as the values')"
        for k in range(ndim)
    ]
    table = run_text(lowerer, "table", "\n".join([*lines, "return _table"]), hidden, node)
    return Grid(
        called="RegularGridInterpolator", points=points, values=table, nearest=method == "nearest", **beyond
    )


def method(
    lowerer: Lowerer, grid: Grid, name: str, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower the call of a table."""
    is_spline = grid.called != "RegularGridInterpolator"
    if not is_spline and name == "__call__":
        given = by_name(lowerer, ("xi",), args, keywords, node)
        required(lowerer, given, ("xi",), node)
        return _at_points(lowerer, grid, given["xi"], node)
    if not is_spline or name not in ("__call__", "ev"):
        message = f"`{ast.unparse(node.func)}` has no text that could be differentiated"
        raise lowerer.refuse("BS109", message, node, "call the table, and take its derivative with bs.grad")
    names = ("x", "y", "dx", "dy", "grid") if name == "__call__" else ("x", "y", "dx", "dy")
    given = by_name(lowerer, names, args, keywords, node)
    required(lowerer, given, names[:2], node)
    orders = tuple(option(lowerer, given, each, 0, node) for each in ("dx", "dy"))
    both = (given["x"], given["y"])
    if name == "__call__" and option(lowerer, given, "grid", True, node):
        return _over_grid(lowerer, grid, both, orders, node)
    return _at_each(lowerer, grid, both, orders, node)


def _hidden(grid: Grid) -> dict[str, Operand]:
    points = {f".g{k}": each for k, each in enumerate(grid.points)}
    return {**BUILTINS, **points, ".table": grid.values, ".fill": grid.fill}


def _at_points(lowerer: Lowerer, grid: Grid, x: Operand, node: ast.Call) -> Operand:
    """The values at rows of coordinates, or at coordinates in a tuple."""
    parts = known_elements(lowerer.context, x)
    axes = len(grid.points)
    orders = (0,) * axes
    if parts is not None and len(parts) == axes and not lowerer.context.is_list(x):
        return _at_each(lowerer, grid, parts, orders, node)
    x, ndim = real_points(lowerer, grid.called, x, node)
    if ndim == 0:
        message = f"`{grid.called}` is evaluated at a number"
        raise lowerer.refuse("BS113", message, node, "give an array whose last axis has the coordinates")
    lines = [
        f"if _x.shape[{ndim - 1}] != {axes}:",
        f"    raise _error('The requested sample points xi do not have dimension {axes}')",
        f"flat = _reshape(_x, (-1, {axes}))",
        "y = _empty(flat.shape[0])",
        "for j in _range(flat.shape[0]):",
        *indented([*(f"x{k} = flat[j, {k}]" for k in range(axes)), *_statements(grid, orders, "y[j]")]),
    ]
    extents = ", ".join(f"_x.shape[{k}]" for k in range(ndim - 1))
    lines.append("return y" if ndim < 3 else f"return _reshape(y, ({extents},))")
    return run_text(lowerer, "table", "\n".join(lines), {**_hidden(grid), ".x": x}, node)


def _at_each(
    lowerer: Lowerer, grid: Grid, xs: Sequence[Operand], orders: tuple[int, ...], node: ast.Call
) -> Operand:
    """The values at coordinates that are numbers or arrays of one shape."""
    points = [real_points(lowerer, grid.called, each, node) for each in xs]
    hidden = _hidden(grid) | {f".x{k}": x for k, (x, _) in enumerate(points)}
    ndim = max(rank for _, rank in points)
    if ndim == 0:
        lines = [f"x{k} = _x{k}" for k in range(len(points))]
        text = "\n".join([*lines, *_statements(grid, orders, "y"), "return y"])
        return run_text(lowerer, "table", text, hidden, node)
    arrays = [k for k, (_, rank) in enumerate(points) if rank]
    if any(points[k][1] != ndim for k in arrays):
        message = f"`{grid.called}` is evaluated at arrays with other numbers of axes"
        raise lowerer.refuse("BS113", message, node, "bring them to one shape, as with np.meshgrid")
    one = arrays[0]
    lines = [
        f"if _x{k}.shape != _x{one}.shape:\n    raise _error('the coordinates have other shapes')"
        for k in arrays[1:]
    ]
    lines += [f"flat{k} = {f'_ravel(_x{k})' if ndim > 1 else f'_x{k}'}" for k in arrays]
    lines += [f"y = _empty(flat{one}.size)", f"for j in _range(flat{one}.size):"]
    lines += indented([f"x{k} = {f'flat{k}[j]' if k in arrays else f'_x{k}'}" for k in range(len(points))])
    lines += indented(_statements(grid, orders, "y[j]"))
    extents = ", ".join(f"_x{one}.shape[{k}]" for k in range(ndim))
    lines.append("return y" if ndim == 1 else f"return _reshape(y, ({extents},))")
    return run_text(lowerer, "table", "\n".join(lines), hidden, node)


def _over_grid(
    lowerer: Lowerer, grid: Grid, xs: Sequence[Operand], orders: tuple[int, ...], node: ast.Call
) -> Operand:
    """The values over the grid of two vectors; a number is a vector of one."""
    points = [real_points(lowerer, grid.called, each, node) for each in xs]
    if any(rank > 1 for _, rank in points):
        message = f"`{grid.called}` is evaluated over the grid of arrays that are no vectors"
        raise lowerer.refuse("BS113", message, node, "give vectors, or write grid=False")
    hidden = _hidden(grid) | {f".x{k}": x for k, (x, _) in enumerate(points)}
    extents = [f"_x{k}.size" if rank else "1" for k, (_, rank) in enumerate(points)]
    inner = [f"x{k} = {f'_x{k}[{at}]' if points[k][1] else f'_x{k}'}" for k, at in enumerate("mn")]
    lines = [
        f"y = _empty(({extents[0]}, {extents[1]}))",
        f"for m in _range({extents[0]}):",
        f"    for n in _range({extents[1]}):",
        *indented(indented([*inner, *_statements(grid, orders, "y[m, n]")])),
        "return y",
    ]
    return run_text(lowerer, "table", "\n".join(lines), hidden, node)


def _statements(grid: Grid, orders: tuple[int, ...], target: str) -> list[str]:
    """The statements that assign the value at the coordinates `x0`, `x1`, ... ."""
    axes = range(len(grid.points))
    within = [line for k in axes for line in _place(grid, k)]
    if grid.degrees:
        within += _polynomial(grid, orders, target)
    elif grid.nearest:
        entry = ", ".join(f"i{k} + 1 if s{k} > 0.5 else i{k}" for k in axes)
        within += [f"{target} = _table[{entry}]"]
    else:
        within.append(f"{target} = {_corners(len(grid.points), ())}")
    if grid.beyond == "refused":
        message = "One of the requested xi is out of bounds in dimension"
        checks = [
            f"if x{k} < _g{k}[0] or x{k} > _g{k}[-1]:\n    raise _error('{message} {k}')".split("\n")
            for k in axes
        ]
        return [*(line for check in checks for line in check), *within]
    if grid.beyond != "filled":
        return within
    outside = " or ".join(f"x{k} < _g{k}[0] or x{k} > _g{k}[-1]" for k in axes)
    is_nan = isinstance(grid.fill, Const) and math.isnan(grid.fill.value)
    fill = f"_fill * ({' + '.join(f'x{k}' for k in axes)})" if is_nan else "_fill"
    return [f"if {outside}:", f"    {target} = {fill}", "else:", *indented(within)]


def _place(grid: Grid, k: int) -> list[str]:
    """The statements that find the cell along an axis, and the place in it."""
    points = grid.points[k]
    final = f"_g{k}.size - 2"
    if isinstance(points, Const) and isinstance(points.value, np.ndarray):
        final = str(points.value.size - 2)
    lines = held_within(f"x{k}", f"_g{k}[0]", f"_g{k}[-1]", f"x{k}") if grid.beyond == "flat" else []
    lines.append(f"i{k} = _min(_max(_search(_g{k}, x{k}, 'right') - 1, 0), {final})")
    if grid.degrees:
        return [*lines, f"h{k} = x{k} - _g{k}[i{k}]"]
    return [*lines, f"s{k} = (x{k} - _g{k}[i{k}]) / (_g{k}[i{k} + 1] - _g{k}[i{k}])"]


def _corners(axes: int, fixed: tuple[str, ...]) -> str:
    """The mean of the entries at the corners of a cell, with weights, one axis after the other."""
    k = len(fixed)
    if k == axes:
        return f"_table[{', '.join(fixed)}]"
    low, high = (_corners(axes, (*fixed, each)) for each in (f"i{k}", f"i{k} + 1"))
    if k < axes - 1:
        low, high = f"({low})", f"({high})"
    return f"(1.0 - s{k}) * {low} + s{k} * {high}"


def _polynomial(grid: Grid, orders: tuple[int, ...], target: str) -> list[str]:
    """The statements for the polynomial of a cell, or for a derivative of it: along the last axis first."""
    if len(grid.degrees) == 1:
        return [f"{target} = {horner(grid.degrees[0], orders[0], lambda p: f'_table[{p}, i0]', 'h0')}"]
    (first, second), (dx, dy) = grid.degrees, orders
    if dx > first or dy > second:
        return [f"{target} = 0.0"]

    def of_row(p: int) -> str:
        return horner(second, dy, lambda q: f"_table[{p}, {q}, i0, i1]", "h1")

    lines = [f"a{p} = {of_row(p)}" for p in range(first - dx + 1)]
    return [*lines, f"{target} = {horner(first, dx, lambda p: f'a{p}', 'h0')}"]


def made_and_called(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower `interpn(points, values, xi)`."""
    names = ("points", "values", "xi", "method", "bounds_error", "fill_value")
    given = by_name(lowerer, names, args, keywords, node)
    required(lowerer, given, names[:3], node)
    rest = {name: each for name, each in given.items() if name != "xi"}
    return _at_points(lowerer, made(lowerer, (), rest, node), given["xi"], node)


TABLES: Mapping[str, Any] = {"RegularGridInterpolator": made, "interpn": made_and_called}
"""What makes a table of computed values."""
