"""One polynomial through points: `BarycentricInterpolator` and `KroghInterpolator`, known or made by the program."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.objects.arguments import by_name, required
from backsweep.frontend.objects.evaluated import Shape, assigned, at_points
from backsweep.frontend.objects.made_curves import Call
from backsweep.ir.nodes import Const, Operand
from backsweep.runtime.interpolants.table import text

FORMULAS = {"BarycentricInterpolator": "barycentric", "KroghInterpolator": "newton"}


@dataclass(frozen=True, eq=False)
class Polynomial:
    """A polynomial as it is known while compiling: `x` are the points, `y` their values or Newton's coefficients."""

    called: str
    count: Operand
    x: Operand
    y: Operand
    weights: Operand
    columns: tuple[int, ...] | None = ()
    axis: int = 0

    @property
    def operands(self) -> tuple[Operand, ...]:
        """What it refers to in the program."""
        return self.count, self.x, self.y, self.weights

    def over(self, operands: Sequence[Operand]) -> Polynomial:
        """The same with these operands."""
        count, x, y, weights = operands
        return dataclasses.replace(self, count=count, x=x, y=y, weights=weights)


def method(
    lowerer: Lowerer,
    polynomial: Polynomial,
    name: str,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.Call,
) -> Operand:
    """Lower the call of a polynomial."""
    if name != "__call__":
        message = f"`{ast.unparse(node.func)}` has no text that could be differentiated"
        remedy = "call the polynomial, and take its derivative with bs.grad; or make a spline, as make_interp_spline"
        raise lowerer.refuse("BS109", message, node, remedy)
    given = by_name(lowerer, ("x",), args, keywords, node)
    required(lowerer, given, ("x",), node)
    names = ("count", "points", "y", "weights")
    hidden = {f".{name}": operand for name, operand in zip(names, polynomial.operands, strict=True)}
    hidden[".formula"] = Const(text("polynomials", FORMULAS[polynomial.called]))
    column = "_y" if polynomial.columns == () else "_y[:, q]"

    def statements(at: str, target: str) -> list[str]:
        value = f"_formula(_count, _points, {column}, _weights, {at})"
        return assigned(polynomial.columns, target, value)

    shape = Shape(polynomial.called, polynomial.columns, polynomial.axis, "_y.shape[1]")
    return at_points(lowerer, shape, given["x"], statements, hidden, node)


def polynomial_of(thing: Any) -> Polynomial:
    """The polynomial that an object of SciPy's stands for."""
    called = next(each.__name__ for each in type(thing).__mro__ if each.__name__ in FORMULAS)
    x = np.asarray(thing.xi, np.float64)
    table = thing.c[: x.size] if called == "KroghInterpolator" else thing.yi
    columns = tuple(thing._y_extra_shape)
    y = np.asarray(table, np.float64).reshape(x.size, *([-1] if columns else []))
    weights = Const(np.asarray(thing.wi, np.float64), "weights") if hasattr(thing, "wi") else Const(0.0)
    return Polynomial(
        called, Const(x.size), Const(x, "points"), Const(y, "values"), weights, columns, thing._y_axis
    )


def made(
    name: str, lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Polynomial:
    """Lower `BarycentricInterpolator(xi, yi)` or `KroghInterpolator(xi, yi)`."""
    call = Call.of(lowerer, "xi yi axis", args, keywords, node)
    call.plain(axis=0)
    (x, ndim), (y, columns) = call.array("xi"), call.array("yi")
    if ndim != 1:
        raise call.refused("takes a vector of points", "call it once for each row of points")
    count = call.count(x)
    weights: Operand = Const(0.0)
    if FORMULAS[name] == "newton":
        y = lowerer.inline(text("polynomials", "divided_differences"), (count, x, y), {}, node)
    elif isinstance(x, Const):
        found = text("polynomials", "barycentric_weights")(x.value.size, x.value)
        weights = Const(found, "weights")
    else:
        weights = lowerer.inline(text("polynomials", "barycentric_weights"), (count, x), {}, node)
    return Polynomial(name, count, x, y, weights, () if columns == 1 else None)
