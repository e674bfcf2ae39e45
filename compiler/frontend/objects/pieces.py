"""Piecewise polynomials: what is known of one while compiling, and the text that gives its values, slopes and integrals.

Every spline of `scipy.interpolate` becomes one. Its coefficients are `c[p, i]` (of several columns `c[p, i, q]`), the highest power of
`x - breaks[i]` first, as in SciPy's `PPoly`.
"""

from __future__ import annotations

import ast
import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.frontend.constructs.comprehensions import as_array
from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.inner_text import run_text
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import known_elements
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.ir.types import Array, Scalar
from backsweep.runtime.interpolants.sums import antiderivative

BUILTINS: dict[str, Operand] = {
    ".range": Const(range),
    ".error": Const(ValueError),
    ".min": Const(min),
    ".max": Const(max),
    ".empty": Const(np.empty),
    ".ravel": Const(np.ravel),
    ".reshape": Const(np.reshape),
    ".shape": Const(np.shape),
    ".transpose": Const(np.transpose),
    ".floor": Const(np.floor),
    ".search": Const(np.searchsorted),
}
"""Hidden variables of the texts."""


NAN = Const(math.nan)


@dataclass(frozen=True, eq=False, kw_only=True)
class Pieces:
    """A piecewise polynomial as it is known while compiling.

    `beyond` says what it is outside of its domain: "extrapolated", "filled" with `below` and `above`, "periodic", "flat" or "refused".
    `side` is that of `np.searchsorted`: at a break begins the piece to its "right", or the one to its "left" goes on. `order` is the
    derivative that is meant. Values have as many columns as `c` has, of the shape `columns` if that is known, else of one axis
    (None); `axis` is where these give way to the axes of `x`. An integral that is `clipped` takes it to be 0 outside of the domain.
    """

    called: str
    degree: int
    c: Operand
    breaks: Operand
    first: Operand
    last: Operand
    beyond: str = "extrapolated"
    below: Operand = NAN
    above: Operand = NAN
    side: str = "right"
    order: int = 0
    columns: tuple[int, ...] | None = ()
    axis: int = 0
    clipped: bool = False

    @property
    def operands(self) -> tuple[Operand, ...]:
        """What it refers to in the program."""
        return self.c, self.breaks, self.first, self.last, self.below, self.above

    def over(self, operands: Sequence[Operand]) -> Pieces:
        """The same with these operands."""
        c, breaks, first, last, below, above = operands
        return dataclasses.replace(self, c=c, breaks=breaks, first=first, last=last, below=below, above=above)


def value(lowerer: Lowerer, pieces: Pieces, x: Operand, order: int, node: ast.Call) -> Operand:
    """The values of a derivative of the piecewise polynomial at a number or an array."""
    x, ndim = real_points(lowerer, pieces.called, x, node)
    hidden = {
        **BUILTINS,
        ".x": x,
        ".c": pieces.c,
        ".breaks": pieces.breaks,
        ".first": pieces.first,
        ".last": pieces.last,
        ".below": pieces.below,
        ".above": pieces.above,
    }
    order += pieces.order
    if ndim == 0:
        lines = [*_columns_of(pieces, ""), *_statements(pieces, order, "_x", "y"), "return y"]
        shape = _shape_of_columns(pieces)
        if pieces.columns is not None and len(pieces.columns) > 1:
            lines[-1] = f"return _reshape(y, {_tuple(shape)})"
        return run_text(lowerer, "piece", "\n".join(lines), hidden, node)
    columns = _shape_of_columns(pieces)
    lines = ["flat = _x"] if ndim == 1 else ["flat = _ravel(_x)"]
    lines += _columns_of(pieces, "flat.size")
    inner = ["at = flat[j]", *_statements(pieces, order, "at", "y[j]")]
    lines += ["for j in _range(flat.size):", *(f"    {line}" for line in inner)]
    axes = [f"_x.shape[{k}]" for k in range(ndim)]
    made = "y" if ndim == 1 and len(columns) < 2 else f"_reshape(y, {_tuple([*axes, *columns])})"
    if pieces.axis:
        places = list(range(ndim + len(columns)))
        moved = [
            *places[ndim : ndim + pieces.axis],
            *places[:ndim],
            *places[ndim + pieces.axis :],
        ]
        made = f"_transpose({made}, {_tuple(list(map(str, moved)))})"
    lines.append(f"return {made}")
    return run_text(lowerer, "pieces", "\n".join(lines), hidden, node)


def real_points(lowerer: Lowerer, called: str, x: Operand, node: ast.Call) -> tuple[Operand, int]:
    """What it is evaluated at, and how many axes that has; a list becomes an array."""
    if known_elements(lowerer.context, x) is not None:
        x = as_array(lowerer, x, node)
    type_ = _type_of(lowerer, x, node)
    if not isinstance(type_, Array | Scalar) or type_.dtype.startswith("complex"):
        message = f"`{called}` is evaluated at something other than real numbers"
        raise lowerer.refuse("BS113", message, node, "call it with a real number or an array of these")
    return x, type_.ndim if isinstance(type_, Array) else 0


def _type_of(lowerer: Lowerer, x: Operand, node: ast.Call) -> Any:
    if isinstance(x, Value):
        return asked_type(lowerer, x, node)
    assert isinstance(x, Const)
    made = np.asarray(x.value)
    return Array(str(made.dtype), made.ndim) if made.ndim else Scalar(str(made.dtype))


def _tuple(parts: Sequence[str]) -> str:
    return f"({', '.join(parts)},)"


def _shape_of_columns(pieces: Pieces) -> list[str]:
    """The extents of the columns as they stand in a text."""
    return ["_c.shape[2]"] if pieces.columns is None else list(map(str, pieces.columns))


def _columns_of(pieces: Pieces, length: str) -> list[str]:
    """The statement that makes the array of the values, if it takes one, and the one that counts the columns."""
    if pieces.columns == ():
        return [f"y = _empty({length})"] if length else []
    count = "_c.shape[2]" if pieces.columns is None else str(math.prod(pieces.columns))
    made = f"({length}, columns)" if length else "columns"
    return [f"columns = {count}", f"y = _empty({made})"]


def _statements(pieces: Pieces, order: int, x: str, target: str) -> list[str]:
    """The statements that assign the value at a number to a variable, or to the columns of a row."""
    lines: list[str] = []
    if pieces.beyond == "refused":
        lines += [
            f"if {x} < _first:",
            f"    raise _error({_message(pieces, 'below')!r})",
            f"if {x} > _last:",
            f"    raise _error({_message(pieces, 'above')!r})",
        ]
    if pieces.beyond == "periodic":
        lines.append(f"inside = _first + ({x} - _first) % (_last - _first)")
        x = "inside"
    if pieces.beyond == "flat" and not order:  # FITPACK extrapolates its derivatives
        lines.append(f"inside = _min(_max({x}, _first), _last)")
        x = "inside"
    within = _inside(pieces, order, x, target)
    if pieces.beyond != "filled":
        return [*lines, *within]
    return [
        *lines,
        f"if {x} < _first:",
        *_indented(_assigned(pieces, target, _fill(pieces.below, "_below", x))),
        f"elif {x} > _last:",
        *_indented(_assigned(pieces, target, _fill(pieces.above, "_above", x))),
        "else:",
        *_indented(within),
    ]


def _message(pieces: Pieces, where: str) -> str:
    least = "minimum" if where == "below" else "maximum"
    if pieces.called == "interp1d":
        return f"A value in x_new is {where} the interpolation range's {least} value."
    return "Error code returned by spev: 1"


def _fill(operand: Operand, name: str, x: str) -> str:
    """What a column takes outside of the domain; where that is nan, so is the slope."""
    if isinstance(operand, Const) and isinstance(operand.value, np.ndarray):
        return f"{name}[q]"
    is_nan = isinstance(operand, Const) and math.isnan(operand.value)
    return f"{name} * {x}" if is_nan else name


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _assigned(pieces: Pieces, target: str, text: str) -> list[str]:
    if pieces.columns == ():
        return [f"{target} = {text}"]
    place = f"{target.removesuffix(']')}, q]" if target.endswith("]") else f"{target}[q]"
    return ["for q in _range(columns):", f"    {place} = {text}"]


def _inside(pieces: Pieces, order: int, x: str, target: str) -> list[str]:
    """The statements for a number within the domain, or anywhere if it is extrapolated."""
    if order > pieces.degree:
        return _assigned(pieces, target, "0.0")
    breaks = pieces.breaks
    final = "_breaks.size - 2"
    if isinstance(breaks, Const) and isinstance(breaks.value, np.ndarray):
        final = str(breaks.value.size - 2)
    side = repr(pieces.side)
    lines = [f"i = _min(_max(_search(_breaks, {x}, {side}) - 1, 0), {final})"]
    text = _horner(pieces.degree, order, "" if pieces.columns == () else ", q")
    if "h" in text:
        lines.append(f"h = {x} - _breaks[i]")
    return [*lines, *_assigned(pieces, target, text)]


def _horner(degree: int, order: int, column: str) -> str:
    """The derivative of a polynomial by Horner's scheme."""
    text = ""
    for power in range(degree, order - 1, -1):
        factor = math.perm(power, order)
        term = f"_c[{degree - power}, i{column}]"
        term = term if factor == 1 else f"{factor:.1f} * {term}"
        text = term if not text else f"{f'({text})' if '+' in text else text} * h + {term}"
    return text


def integral(
    lowerer: Lowerer, pieces: Pieces, start: Operand, stop: Operand, beyond: str, node: ast.Call
) -> Operand:
    """The integral from a number to another."""
    summed = antiderivative_of(lowerer, dataclasses.replace(pieces, beyond=beyond), node)
    if beyond != "periodic":
        whole = dataclasses.replace(
            summed, beyond="flat" if pieces.clipped and beyond == "filled" else beyond
        )
        parts = [value(lowerer, whole, each, 0, node) for each in (stop, start)]
        return run_text(
            lowerer, "integral", "return _one - _other", {".one": parts[0], ".other": parts[1]}, node
        )
    once = value(lowerer, dataclasses.replace(summed, beyond="extrapolated"), pieces.last, 0, node)
    hidden = {".first": pieces.first, ".last": pieces.last, ".floor": Const(np.floor)}
    parts = []
    for each in (stop, start):
        rounds = run_text(
            lowerer, "rounds", "return _floor((_x - _first) / (_last - _first))", {**hidden, ".x": each}, node
        )
        part = value(lowerer, dataclasses.replace(summed, beyond="periodic"), each, 0, node)
        parts.append(
            run_text(
                lowerer,
                "integral",
                "return _rounds * _once + _part",
                {".rounds": rounds, ".once": once, ".part": part},
                node,
            )
        )
    return run_text(lowerer, "integral", "return _one - _other", {".one": parts[0], ".other": parts[1]}, node)


def antiderivative_of(lowerer: Lowerer, pieces: Pieces, node: ast.Call) -> Pieces:
    """The piecewise polynomial whose slope it is, which is 0 at the first break."""
    if pieces.order:
        message = f"the derivative of a `{pieces.called}` is integrated that the function makes"
        raise lowerer.refuse("BS113", message, node, "take the difference of its values at both ends")
    c = pieces.c
    if isinstance(c, Const) and isinstance(pieces.breaks, Const):
        made: Operand = Const(antiderivative(c.value, pieces.breaks.value), f"{c.name}_integral")
    else:
        made = lowerer.inline(antiderivative, (c, pieces.breaks), {}, node)
    beyond = "filled" if pieces.beyond == "periodic" else pieces.beyond
    return dataclasses.replace(pieces, c=made, degree=pieces.degree + 1, beyond=beyond)
