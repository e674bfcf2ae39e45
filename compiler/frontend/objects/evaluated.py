"""The text that evaluates a curve at a number or at each entry of an array."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
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

BUILTINS: dict[str, Operand] = {
    ".range": Const(range),
    ".error": Const(ValueError),
    ".min": Const(min),
    ".max": Const(max),
    ".empty": Const(np.empty),
    ".ravel": Const(np.ravel),
    ".reshape": Const(np.reshape),
    ".transpose": Const(np.transpose),
    ".search": Const(np.searchsorted),
}
"""Hidden variables of the texts."""
Statements = Callable[[str, str], list[str]]
"""The statements that assign the value of a curve, at what the first text says, to what the second says."""


@dataclass(frozen=True)
class Shape:
    """What shape the values of a curve have: that of the points, with `columns` from the axis `axis` on.

    Where `columns` are not known (None), they have one axis, whose extent is the text `count`.
    """

    called: str
    columns: tuple[int, ...] | None
    axis: int
    count: str

    @property
    def extents(self) -> list[str]:
        """The extents of the columns as they stand in a text."""
        return [self.count] if self.columns is None else list(map(str, self.columns))

    def array(self, length: str) -> list[str]:
        """The statement that makes the array of the values, if it takes one, and the one that counts the columns."""
        if self.columns == ():
            return [f"y = _empty({length})"] if length else []
        count = self.count if self.columns is None else str(math.prod(self.columns))
        made = f"({length}, columns)" if length else "columns"
        return [f"columns = {count}", f"y = _empty({made})"]


def at_points(
    lowerer: Lowerer,
    shape: Shape,
    x: Operand,
    statements: Statements,
    hidden: Mapping[str, Operand],
    node: ast.Call,
) -> Operand:
    """The values of a curve."""
    x, ndim = real_points(lowerer, shape.called, x, node)
    hidden = {**BUILTINS, **hidden, ".x": x}
    if ndim == 0:
        lines = [*shape.array(""), *statements("_x", "y")]
        several = shape.columns is not None and len(shape.columns) > 1
        lines.append(f"return _reshape(y, {_tuple(shape.extents)})" if several else "return y")
        return run_text(lowerer, "at", "\n".join(lines), hidden, node)
    lines = ["flat = _x"] if ndim == 1 else ["flat = _ravel(_x)"]
    lines += shape.array("flat.size")
    lines += ["for j in _range(flat.size):", *indented(["at = flat[j]", *statements("at", "y[j]")])]
    extents = [*(f"_x.shape[{k}]" for k in range(ndim)), *shape.extents]
    made = "y" if ndim == 1 and len(extents) < 3 else f"_reshape(y, {_tuple(extents)})"
    if shape.axis:
        places = [str(each) for each in range(len(extents))]
        behind = ndim + shape.axis
        made = f"_transpose({made}, {_tuple([*places[ndim:behind], *places[:ndim], *places[behind:]])})"
    return run_text(lowerer, "at", "\n".join([*lines, f"return {made}"]), hidden, node)


def assigned(columns: tuple[int, ...] | None, target: str, text: str) -> list[str]:
    """The statements that assign to a number, or to each column of a row."""
    if columns == ():
        return [f"{target} = {text}"]
    place = f"{target.removesuffix(']')}, q]" if target.endswith("]") else f"{target}[q]"
    return ["for q in _range(columns):", f"    {place} = {text}"]


def held_within(x: str, first: str, last: str, target: str) -> list[str]:
    """The statements that bring a number to its nearest one between two others; at these its slope is 1."""
    return [
        f"if {x} < {first}:",
        f"    {target} = {first}",
        f"elif {x} > {last}:",
        f"    {target} = {last}",
        "else:",
        f"    {target} = {x}",
    ]


def indented(lines: Sequence[str]) -> list[str]:
    """Lines in a block."""
    return [f"    {line}" for line in lines]


def _tuple(parts: Sequence[str]) -> str:
    return f"({', '.join(parts)},)"


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
