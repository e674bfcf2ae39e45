"""A rule's maths, written into the program: the adjoint expression of a rule over the values at hand."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backsweep.ir.build import Builder, converted
from backsweep.ir.nodes import Apply, Block, Const, If, Operand, Slice, Value
from backsweep.ir.operations import COMPLEX_QUOTIENT, HALVES, operation
from backsweep.ir.typed import dtype_of, is_inexact
from backsweep.runtime.support.python_calls import with_hash

BINARY: dict[type[ast.operator], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}
UNARY: dict[type[ast.unaryop], Any] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
COMPARE: dict[type[ast.cmpop], Any] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
ATTRIBUTES = {
    "T": np.transpose,
    "shape": np.shape,
    "size": np.size,
    "ndim": np.ndim,
    "real": np.real,
    "imag": np.imag,
}


class RuleExpression:
    """Writes one adjoint expression of a rule; names are looked up in `values`, functions in the rule's globals.

    `contents` gives the operand for a name whose contents are read, `shapes` for one of which only
    the shape is looked at, `known` for a function of operands that the primal computes, if it does;
    `as_math` says that the user's own function was one of `math`, `on_scalars` that it works on numbers, not arrays,
    `of_complex` that an operand of it is complex.
    """

    def __init__(
        self,
        builder: Builder,
        contents: Callable[[str], Operand],
        shapes: Callable[[str], Operand],
        known: Callable[[Any, tuple[Operand, ...]], Operand | None],
        names: Mapping[str, Any],
        *,
        as_math: bool,
        on_scalars: bool,
        of_complex: bool,
    ) -> None:
        self.builder = builder
        self.contents = contents
        self.shapes = shapes
        self.known = known
        self.names = names
        self.as_math = as_math
        self.on_scalars = on_scalars
        self.of_complex = of_complex

    def write(self, node: ast.expr) -> Operand:
        """The operand that holds the expression's value."""
        match node:
            case ast.Constant(value):
                return Const(value)
            case ast.Name(name):
                return self.contents(name)
            case ast.BinOp(left, ast.Div(), right) if self.of_complex and not _never_zero(right):
                return self.builder.apply(COMPLEX_QUOTIENT, self.write(left), self.write(right))
            case ast.BinOp(left, op, right):
                return self.builder.apply(BINARY[type(op)], self.write(left), self.write(right))
            case ast.UnaryOp(ast.USub(), ast.Constant(value)):
                assert isinstance(value, int | float | complex)
                return Const(-value)
            case ast.UnaryOp(op, operand):
                return self.builder.apply(UNARY[type(op)], self.write(operand))
            case ast.Compare(left, [op], [right]):
                return self.builder.apply(COMPARE[type(op)], self.write(left), self.write(right))
            case ast.Call():
                return self.call(node)
            case ast.Attribute(value, attribute) if attribute in ATTRIBUTES and is_local(value, self.names):
                return self.applied(ATTRIBUTES[attribute], [value])
            case ast.Attribute():
                return Const(resolved(node, self.names))
            case ast.Tuple(elements):
                return self.builder.apply(tuple, *map(self.write, elements))
            case ast.Subscript(value, index):
                return self.subscript(value, index)
            case _:
                raise SyntaxError(f"not an adjoint expression: {ast.unparse(node)}")

    def call(self, node: ast.Call) -> Operand:
        """A call of a function or of an array's method."""
        if isinstance(node.func, ast.Attribute) and is_local(node.func.value, self.names):
            function = getattr(np, node.func.attr)
            return self.applied(function, [node.func.value, *node.args], node.keywords)
        return self.applied(resolved(node.func, self.names), node.args, node.keywords)

    def applied(
        self, function: Any, arguments: list[ast.expr], keywords: list[ast.keyword] | None = None
    ) -> Operand:
        """A function applied; of an operand of which it sees only the shape, any array of that shape will do."""
        if self.as_math:
            function = operation(function).of_number or function
        if function is np.where and self.on_scalars:
            return self.choice(*arguments)
        shape_only = operation(function).shape_only
        operands: list[Operand] = []
        for position, argument in enumerate(arguments):
            if position in shape_only and isinstance(argument, ast.Name):
                operands.append(self.shapes(argument.id))
            else:
                operands.append(self.write(argument))
        named = tuple((keyword.arg or "", self.write(keyword.value)) for keyword in keywords or [])
        operands = [*in_double(self.builder, function, tuple(operands))]
        known = None if named else self.known(function, tuple(operands))
        if known is not None:
            return known
        result = self.builder.value()
        self.builder.add(Apply(result, function, tuple(operands), self.builder.loc, named))
        return result

    def choice(self, condition: ast.expr, then: ast.expr, orelse: ast.expr) -> Operand:
        """`np.where` of numbers, which Numba would make an array of no dimensions, as a branch."""
        test = self.write(condition)
        sides: list[Block] = []
        for side in (then, orelse):
            with self.builder.block() as block:
                block.yields = in_double(self.builder, np.where, (Const(None), self.write(side)))[1:]
            sides.append(block.finish())
        result = self.builder.value()
        self.builder.add(If(test, sides[0], sides[1], (result,), self.builder.loc))
        return result

    def subscript(self, value: ast.expr, index: ast.expr) -> Operand:
        """An element or a part of an array."""
        base = self.write(value)
        items = index.elts if isinstance(index, ast.Tuple) else [index]
        if not isinstance(base, Value):
            raise SyntaxError(f"a constant is subscripted: {ast.unparse(value)}")
        return self.builder.load(base, tuple(self.index(item) for item in items))

    def index(self, node: ast.expr) -> Operand | Slice:
        """One item of a subscript."""
        if isinstance(node, ast.Slice):
            parts = [
                None if part is None else self.write(part) for part in (node.lower, node.upper, node.step)
            ]
            return Slice(*parts)
        return self.write(node)


def is_local(node: ast.expr, names: Mapping[str, Any]) -> bool:
    """Whether an attribute is asked of a value, not of a module; `names` are the globals of the rule."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return not (isinstance(node, ast.Name) and (node.id in names or hasattr(builtins, node.id)))


def resolved(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """The object that a dotted name means where the rule is written, or the object itself where a pass put it there."""
    match node:
        case ast.Attribute(value, attribute):
            return with_hash(getattr(resolved(value, names), attribute))
        case ast.Constant(value):
            return value
        case ast.Name(name):
            return with_hash(names[name] if name in names else getattr(builtins, name))
        case _:
            raise SyntaxError(f"not a name: {ast.unparse(node)}")


def _never_zero(node: ast.expr) -> bool:
    """Whether a divisor is written so that it is not zero: a literal, `y + (y == 0.0)`, an extent, a product of these."""
    match node:
        case ast.Constant() | ast.BinOp(op=ast.Add(), right=ast.Compare()) | ast.Attribute(attr="size"):
            return True
        case ast.BinOp(left, ast.Mult(), right):
            return _never_zero(left) and _never_zero(right)
        case _:
            return False


def in_double(builder: Builder, function: object, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """The operands of a function within a rule: integers as floats where NumPy's function would lose digits."""
    if function is np.where:
        chosen = operands[1:]
    elif isinstance(function, np.ufunc) and not any(map(is_inexact, operands)):
        chosen = operands
    else:
        return operands
    return tuple(
        converted(builder, operand, "float64")
        if operand in chosen and dtype_of(operand) in HALVES
        else operand
        for operand in operands
    )
