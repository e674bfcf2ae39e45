"""The methods that the user's class of an object has for operators and builtins, such as `__add__` and `__len__`, as Python asks for them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from backsweep.frontend.context import dataclasses as records
from backsweep.frontend.context.heap import found_in, virtual
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.reading.functions import has_text

OPERATORS: Mapping[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("__add__", "__radd__"),
    ast.Sub: ("__sub__", "__rsub__"),
    ast.Mult: ("__mul__", "__rmul__"),
    ast.Div: ("__truediv__", "__rtruediv__"),
    ast.FloorDiv: ("__floordiv__", "__rfloordiv__"),
    ast.Mod: ("__mod__", "__rmod__"),
    ast.Pow: ("__pow__", "__rpow__"),
    ast.MatMult: ("__matmul__", "__rmatmul__"),
    ast.BitAnd: ("__and__", "__rand__"),
    ast.BitOr: ("__or__", "__ror__"),
    ast.BitXor: ("__xor__", "__rxor__"),
    ast.Eq: ("__eq__", "__eq__"),
    ast.NotEq: ("__ne__", "__ne__"),
    ast.Lt: ("__lt__", "__gt__"),
    ast.Gt: ("__gt__", "__lt__"),
    ast.LtE: ("__le__", "__ge__"),
    ast.GtE: ("__ge__", "__le__"),
}
"""The methods of an operator, on its left and on its right side."""
SIGNS: Mapping[type[ast.AST], str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}
"""The methods of operators with one operand."""


def special_method(lowerer: Lowerer, operand: Operand, name: str) -> Callable[..., Any] | None:
    """The method such as `__add__` that the user's class of an object has; compiled code does not know it.

    What `dataclass` writes is no such method: it has no text, and its meaning is known.
    """
    cls = own_class(lowerer, operand)
    if cls is None:
        return None
    own = found_in(cls, name)
    if isinstance(own, Const):
        of_class: Callable[..., Any] = own.value
        return of_class
    return own if isinstance(own, FunctionType) and has_text(own) else None


def own_class(lowerer: Lowerer, operand: Operand) -> type | None:
    """The user's class of an object that the program makes, of a namedtuple or of a dataclass; None for what has none."""
    thing = virtual(operand)
    if thing is not None:
        return None if thing.cls is list else thing.cls
    cls = lowerer.context.classes.get(operand) if isinstance(operand, Value) else None
    source = lowerer.frame.source
    if cls is None or (source is not None and source.jitted):
        return None
    return records.dataclass_of(cls) or cls


def own_operator(
    lowerer: Lowerer,
    op: type[ast.AST],
    left: Operand,
    right: Operand,
    node: ast.AST,
    *,
    in_place: bool = False,
) -> Operand | None:
    """Lower an operator that a side's class defines; None for any other operands. With `in_place`, it is that of `left op= right`.

    The methods are asked in Python's order, until one does not give NotImplemented.
    """
    names = OPERATORS.get(op)
    if names is None or (own_class(lowerer, left) is None and own_class(lowerer, right) is None):
        return None
    asked = [(left, right, f"__i{names[0].removeprefix('__')}")] if in_place else []
    for one, other, name in (*asked, *_in_order(lowerer, op, left, right)):
        method, is_opposite = special_method(lowerer, one, name), False
        if method is None and name == "__ne__" and _has(lowerer, one, name) is None:  # as `object` has it
            method, is_opposite = special_method(lowerer, one, "__eq__"), True
        if method is None and _decides(lowerer, op, one, other, name):
            return None
        found = None if method is None else lowerer.inline(method, (one, other), {}, node)
        if found is None or (isinstance(found, Const) and found.value is NotImplemented):
            continue
        return lowerer.negated(found, node) if is_opposite else found
    return None


def _has(lowerer: Lowerer, operand: Operand, name: str) -> object | None:
    """What the class of an object has under the name of a method, and `object` has not."""
    cls = own_class(lowerer, operand)
    return None if cls is None else found_in(cls, name)


def _decides(lowerer: Lowerer, op: type[ast.AST], one: Operand, other: Operand, name: str) -> bool:
    """Whether a method that is not the user's decides: a tuple's, or one that `dataclass` wrote, of two objects of one class."""
    if _has(lowerer, one, name) is None and not (
        name == "__ne__" and _has(lowerer, one, "__eq__") is not None
    ):
        return False
    if issubclass(op, ast.cmpop):
        cls = own_class(lowerer, one)
        return issubclass(cls, tuple) or cls is own_class(lowerer, other) if cls is not None else False
    # Arithmetic asks a tuple for its method only where the class has the operator's other method
    return any(special_method(lowerer, one, each) is not None for each in OPERATORS[op])


def _in_order(
    lowerer: Lowerer, op: type[ast.AST], left: Operand, right: Operand
) -> list[tuple[Operand, Operand, str]]:
    """The sides whose methods Python asks, in this order, each with the other side and the method.

    The right side is asked first if its class is derived from that of the left side, and for arithmetic only if it has
    another method than the left side; between objects of one class, arithmetic asks the left side alone.
    """
    mine, theirs = OPERATORS[op]
    sides = [(left, right, mine), (right, left, theirs)]
    one, other = own_class(lowerer, left), own_class(lowerer, right)
    if one is None or other is None:
        return sides
    is_comparison = issubclass(op, ast.cmpop)
    if one is other:
        return sides if is_comparison else sides[:1]
    is_other = is_comparison or found_in(one, theirs) is not found_in(other, theirs)
    return sides[::-1] if issubclass(other, one) and is_other else sides
