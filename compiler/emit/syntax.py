"""Write values and nodes as Python expressions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.emit.nest import Nested
from backsweep.emit.references import Globals, attribute, call, name_of
from backsweep.emit.statements import Expression, is_logical
from backsweep.ir.nodes import (
    Apply,
    Const,
    Custom,
    Dots,
    If,
    Index,
    Load,
    NewAxis,
    Operand,
    Slice,
    Tap,
    Value,
    View,
)
from backsweep.ir.types import Array, Scalar, Tuple
from backsweep.runtime.support.object_mode import DRAWS

BINARY: dict[Any, type[ast.operator]] = {
    operator.add: ast.Add,
    operator.sub: ast.Sub,
    operator.mul: ast.Mult,
    operator.truediv: ast.Div,
    operator.floordiv: ast.FloorDiv,
    operator.mod: ast.Mod,
    operator.pow: ast.Pow,
    operator.matmul: ast.MatMult,
    operator.and_: ast.BitAnd,
    operator.or_: ast.BitOr,
    operator.xor: ast.BitXor,
    operator.lshift: ast.LShift,
    operator.rshift: ast.RShift,
}
SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
UNARY: dict[Any, type[ast.unaryop]] = {
    operator.neg: ast.USub,
    operator.pos: ast.UAdd,
    operator.not_: ast.Not,
    operator.invert: ast.Invert,
}
COMPARE: dict[Any, type[ast.cmpop]] = {
    operator.lt: ast.Lt,
    operator.le: ast.LtE,
    operator.gt: ast.Gt,
    operator.ge: ast.GtE,
    operator.eq: ast.Eq,
    operator.ne: ast.NotEq,
    operator.is_: ast.Is,
    operator.is_not: ast.IsNot,
}
ATTRIBUTES: dict[Any, str] = {
    np.shape: "shape",
    np.size: "size",
    np.ndim: "ndim",
    np.transpose: "T",
    np.real: "real",
    np.imag: "imag",
}
METHODS: dict[Any, str] = {
    np.copy: "copy",
    np.sum: "sum",
    np.prod: "prod",
    np.min: "min",
    np.max: "max",
    np.mean: "mean",
    np.std: "std",
    np.var: "var",
    np.argmin: "argmin",
    np.argmax: "argmax",
    np.any: "any",
    np.all: "all",
    np.cumsum: "cumsum",
    np.cumprod: "cumprod",
    np.ravel: "ravel",
}
_REVERSIBLE = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is}


@dataclass(frozen=True, slots=True)
class Expressions:
    """Writes operands and nodes, given the variables' names and which values are nested."""

    names: dict[Value, str]
    nested: Nested
    scope: Globals
    methods: bool = True

    def operand(self, operand: Operand) -> ast.expr:
        """A constant, a variable, or the nested expression."""
        if isinstance(operand, Const):
            return self.scope.constant(operand)
        node = self.nested.nodes.get(operand)
        return name_of(self.names[operand]) if node is None else self.node(node)

    def node(self, node: Expression) -> ast.expr:
        """The expression that a node computes."""
        match node:
            case Load(_, buffer, index) | View(_, buffer, index):
                return self.subscript(buffer, index)
            case If():
                return self._conditional(node)
            case Apply():
                return self._apply(node)

    def subscript(self, buffer: Operand, index: Index) -> ast.Subscript:
        """`buffer[index]`."""
        items = [self._item(item) for item in index]
        place = items[0] if len(items) == 1 else ast.Tuple(items, ast.Load())
        if len(index) == 1 and isinstance(index[0], Dots) and isinstance(buffer, Value):
            if isinstance(buffer.type, Array) and buffer.type.ndim > 0:
                place = ast.Slice(None, None, None)
        return ast.Subscript(self.operand(buffer), place, ast.Load())

    def _item(self, item: Operand | Slice | NewAxis | Dots) -> ast.expr:
        """One part of an index."""
        match item:
            case Slice(start, stop, step):
                parts = [None if part is None else self.operand(part) for part in (start, stop, step)]
                return ast.Slice(*parts)
            case NewAxis():
                return ast.Constant(None)
            case Dots():
                return ast.Constant(Ellipsis)
            case _:
                return self.operand(item)

    def _conditional(self, node: If) -> ast.expr:
        """`a if c else b`, or `and` or `or` if the If is logical."""
        test = self.operand(node.condition)
        then, orelse = (self.operand(block.yields[0]) for block in (node.then, node.orelse))
        if is_logical(node):
            if _is_literal(then, True):
                return test if _is_literal(orelse, False) else _logical(ast.Or(), test, orelse)
            return _logical(ast.And(), test, then)
        return ast.IfExp(test, then, orelse)

    def _apply(self, node: Apply) -> ast.expr:
        """A function's application: an operator, an attribute, a method or a call."""
        function, operands = node.function, node.operands
        if isinstance(function, Tap) or (isinstance(function, Custom) and function.results == 1):
            return self.operand(operands[0])
        if isinstance(function, Custom):
            return ast.Tuple([self.operand(operand) for operand in operands[: function.results]], ast.Load())
        if not node.keywords:
            written = _OPERATIONS.get(function) if _hashable(function) else None
            if written is not None:
                return written(self, node)
            if function is np.ndim and len(operands) == 1 and _is_array(operands[0]):
                # Numba has only the attribute `ndim`.
                return attribute(self.operand(operands[0]), "ndim")
            if self.methods and len(operands) == 1 and _hashable(function):
                base = operands[0]
                if function in ATTRIBUTES and _is_array(base):
                    return attribute(self.operand(base), ATTRIBUTES[function])
                method = self._is_place(base) or (function is np.copy and not _is_in_order(base))
                if function in METHODS and _is_array(base) and method:
                    return call(attribute(self.operand(base), METHODS[function]))
        if getattr(function, "__objclass__", None) is np.ndarray:
            head = attribute(self.operand(operands[0]), function.__name__)
            return self._call(head, operands[1:], node.keywords)
        if _hashable(function) and function in DRAWS:
            head = attribute(self.operand(operands[0]), DRAWS[function])
            return self._call(head, operands[1:], node.keywords)
        return self._call(self.scope.function(function), operands, node.keywords)

    def _call(
        self, head: ast.expr, operands: tuple[Operand, ...], keywords: tuple[tuple[str, Operand], ...]
    ) -> ast.Call:
        """`head(*operands, **keywords)`."""
        named = [ast.keyword(key, self.operand(operand)) for key, operand in keywords]
        return ast.Call(head, [self.operand(operand) for operand in operands], named)

    def _is_place(self, operand: Operand) -> bool:
        """Whether the operand is written as a name, an attribute or an entry: a method's receiver."""
        written = self.operand(operand)
        return isinstance(written, ast.Name | ast.Attribute | ast.Subscript)


def _hashable(function: Any) -> bool:
    """Whether the object is hashable, so that a table can be asked for it."""
    return getattr(type(function), "__hash__", None) is not None


def _is_array(operand: Operand) -> bool:
    """Whether the operand is an array, or could be one before types are known."""
    return isinstance(operand, Value) and (operand.type is None or isinstance(operand.type, Array))


def _is_in_order(operand: Operand) -> bool:
    """Whether the array is known to be C-contiguous; of any other array, only the method `copy` makes a C-contiguous copy."""
    type_ = operand.type if isinstance(operand, Value) else None
    return type_ is None or (isinstance(type_, Array) and type_.layout == "C")


def _is_literal(expression: ast.expr, value: bool) -> bool:
    """Whether the expression is this literal truth value."""
    return isinstance(expression, ast.Constant) and expression.value is value


def _logical(word: ast.boolop, left: ast.expr, right: ast.expr) -> ast.expr:
    """`left and right` or `left or right`; a chain of one operator becomes one node, as Python parses it."""
    parts = [left, right]
    if isinstance(right, ast.BoolOp) and type(right.op) is type(word):
        parts = [left, *right.values]
    return ast.BoolOp(word, parts)


def negate(test: ast.expr) -> ast.expr:
    """The negation of a condition; `<` and the like are not inverted, because nan would make a difference."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _REVERSIBLE:
        return ast.Compare(test.left, [_REVERSIBLE[type(test.ops[0])]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def positive_part(expression: ast.expr) -> ast.expr | None:
    """The expression without its leading minus sign; None if there is none that may be removed."""
    if isinstance(expression, ast.UnaryOp) and getattr(expression, "joins", False):
        return expression.operand
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Mult | ast.Div):
        left = positive_part(expression.left)
        return None if left is None else ast.BinOp(left, expression.op, expression.right)
    return None


def _binary(write: Expressions, node: Apply) -> ast.expr:
    """`a + b`; adding a negated operand is written as a subtraction."""
    left, right = map(write.operand, node.operands)
    sign = BINARY[node.function]()
    if isinstance(sign, ast.Add | ast.Sub):
        positive = positive_part(right)
        if positive is not None:
            return ast.BinOp(left, ast.Sub() if isinstance(sign, ast.Add) else ast.Add(), positive)
    return ast.BinOp(left, sign, right)


def _unary(write: Expressions, node: Apply) -> ast.expr:
    """`-a`."""
    inner = write.operand(node.operands[0])
    type_ = node.operands[0].type if isinstance(node.operands[0], Value) else None
    if node.function is operator.neg:
        made = ast.UnaryOp(ast.USub(), inner)
        # Only for these dtypes may `a + -b` become `a - b`: unsigned numbers and bools promote differently.
        made.joins = isinstance(type_, Scalar | Array) and type_.dtype in _SIGNED  # type: ignore[attr-defined]
        return made
    if node.function is operator.not_:
        is_bare = isinstance(inner, ast.UnaryOp) and not getattr(inner, "of_truth", False)
        negated = ast.UnaryOp(ast.Not(), inner) if is_bare else negate(inner)
        # Only of a truth value is `not not a` the same as `a`.
        negated.of_truth = isinstance(type_, Scalar) and type_.dtype == "bool"  # type: ignore[attr-defined]
        return negated
    return ast.UnaryOp(UNARY[node.function](), inner)


def _compare(write: Expressions, node: Apply) -> ast.expr:
    """`a < b`."""
    left, right = map(write.operand, node.operands)
    return ast.Compare(left, [COMPARE[node.function]()], [right])


def _contains(write: Expressions, node: Apply) -> ast.expr:
    """`b in a`."""
    container, item = map(write.operand, node.operands)
    return ast.Compare(item, [ast.In()], [container])


def _tuple(write: Expressions, node: Apply) -> ast.expr:
    """`(a, b)`."""
    return ast.Tuple([write.operand(operand) for operand in node.operands], ast.Load())


def _list(write: Expressions, node: Apply) -> ast.expr:
    """`[a, b]`, or `list()` for an empty list."""
    items = [write.operand(operand) for operand in node.operands]
    return ast.List(items, ast.Load()) if items else ast.Call(write.scope.function(list), [], [])


def _getitem(write: Expressions, node: Apply) -> ast.expr:
    """`t[0]`, or `t.name` for a namedtuple."""
    whole, position = node.operands
    names = whole.type.names if isinstance(whole, Value) and isinstance(whole.type, Tuple) else ()
    if names and isinstance(position, Const):
        return attribute(write.operand(whole), names[position.value])
    base, item = map(write.operand, node.operands)
    return ast.Subscript(base, item, ast.Load())


def _getattr(write: Expressions, node: Apply) -> ast.expr:
    """`x.name`."""
    base, name = node.operands
    if isinstance(name, Const) and isinstance(name.value, str) and name.value.isidentifier():
        return attribute(write.operand(base), name.value)
    return call(write.scope.function(getattr), write.operand(base), write.operand(name))


_SIGNED = ("float64", "float32", "complex128", "complex64", "int64", "int32")
_OPERATIONS: dict[Any, Callable[[Expressions, Apply], ast.expr]] = {
    **dict.fromkeys(BINARY, _binary),
    **dict.fromkeys(UNARY, _unary),
    **dict.fromkeys(COMPARE, _compare),
    operator.contains: _contains,
    tuple: _tuple,
    list: _list,
    operator.getitem: _getitem,
    getattr: _getattr,
}


def is_operation(function: Any) -> bool:
    """Whether an application of the function is written without the function's name, as in `a + b` and `t[0]`."""
    return _hashable(function) and function in _OPERATIONS
