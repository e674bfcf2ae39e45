"""Piecewise polynomials: what is known of one while compiling, and the text that gives its values, slopes and integrals.

Every spline of `scipy.interpolate` becomes one. Its coefficients are `c[p, i]` (of several columns `c[p, i, q]`), the highest power of
`x - breaks[i]` first, as in SciPy's `PPoly`.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from backsweep.frontend.context.inner_text import run_text
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.objects.evaluated import Shape, assigned, at_points, held_within, indented
from backsweep.ir.nodes import Const, Operand
from backsweep.runtime.interpolants.sums import antiderivative

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
    def shape(self) -> Shape:
        """What shape values have."""
        return Shape(self.called, self.columns, self.axis, "_c.shape[2]")

    @property
    def has_pieces(self) -> bool:
        """Whether SciPy, too, gives it by the coefficients of its pieces."""
        return self.called in (
            "CubicSpline",
            "CubicHermiteSpline",
            "PchipInterpolator",
            "Akima1DInterpolator",
        )

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
    names = ("c", "breaks", "first", "last", "below", "above")
    hidden = {f".{name}": operand for name, operand in zip(names, pieces.operands, strict=True)}
    lines = functools.partial(_statements, pieces, order + pieces.order)
    return at_points(lowerer, pieces.shape, x, lines, hidden, node)


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
        lines += held_within(x, "_first", "_last", "inside")
        x = "inside"
    within = _inside(pieces, order, x, target)
    if pieces.beyond != "filled":
        return [*lines, *within]
    return [
        *lines,
        f"if {x} < _first:",
        *indented(assigned(pieces.columns, target, _fill(pieces.below, "_below", x))),
        f"elif {x} > _last:",
        *indented(assigned(pieces.columns, target, _fill(pieces.above, "_above", x))),
        "else:",
        *indented(within),
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


def _inside(pieces: Pieces, order: int, x: str, target: str) -> list[str]:
    """The statements for a number within the domain, or anywhere if it is extrapolated."""
    if order > pieces.degree:
        return assigned(pieces.columns, target, "0.0")
    breaks = pieces.breaks
    final = "_breaks.size - 2"
    if isinstance(breaks, Const) and isinstance(breaks.value, np.ndarray):
        final = str(breaks.value.size - 2)
    side = repr(pieces.side)
    lines = [f"i = _min(_max(_search(_breaks, {x}, {side}) - 1, 0), {final})"]
    column = "" if pieces.columns == () else ", q"
    text = horner(pieces.degree, order, lambda p: f"_c[{p}, i{column}]", "h")
    if order < pieces.degree:
        lines.append(f"h = {x} - _breaks[i]")
    return [*lines, *assigned(pieces.columns, target, text)]


def horner(degree: int, order: int, coefficient: Callable[[int], str], place: str) -> str:
    """The text of a derivative of a polynomial by Horner's scheme; the coefficients are counted from that of the highest power."""
    text = ""
    for power in range(degree, order - 1, -1):
        factor = math.perm(power, order)
        term = coefficient(degree - power)
        term = term if factor == 1 else f"{factor:.1f} * {term}"
        text = f"{f'({text})' if ' + ' in text else text} * {place} + {term}" if text else term
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
