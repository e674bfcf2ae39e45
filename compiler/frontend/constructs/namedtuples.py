"""Lower namedtuples and dataclasses: construction, replacement of fields, and the user's methods and properties."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from backsweep.frontend.context import dataclasses as records
from backsweep.frontend.context.heap import found_in, virtual
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.reading.functions import has_text
from backsweep.reading.names import is_data, wrap

Keywords = Mapping[str, Operand]


def make_namedtuple(
    lowerer: Lowerer, cls: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
) -> Operand:
    """Construct a namedtuple whose parts stay known."""
    return _made(lowerer, cls, args, keywords, cls._field_defaults, node)


def make_dataclass(
    lowerer: Lowerer, cls: type, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
) -> Operand:
    """Construct an object of a dataclass, as the namedtuple that represents it."""
    why = records.obstacle(cls)
    if why is not None:
        message = f"the dataclass `{cls.__name__}` cannot be made in compiled code: {why}"
        raise lowerer.refuse("BS112", message, node, "make it before the call and pass it as an argument")
    return _made(lowerer, records.record_of(cls), args, keywords, records.defaults(cls), node)


def _made(
    lowerer: Lowerer,
    cls: Any,
    args: tuple[Operand, ...],
    keywords: Keywords,
    defaults: Mapping[str, object],
    node: ast.AST,
) -> Operand:
    names: tuple[str, ...] = cls._fields
    parts = dict(zip(names, args, strict=False)) | dict(keywords)
    for name, default in defaults.items():
        parts.setdefault(name, wrap(default))
    twice = [name for name in names[: len(args)] if name in keywords]
    if len(args) > len(names) or set(parts) != set(names) or twice:
        message = f"`{cls.__name__}` takes {', '.join(names)}"
        raise lowerer.refuse("BS113", message, node, "give each field once")
    items = tuple(parts[name] for name in names)
    result = lowerer.apply(cls, items, node)
    lowerer.context.elements[result] = items
    lowerer.context.fields[result] = names
    lowerer.context.classes[result] = cls
    return result


def replaced(lowerer: Lowerer, base: Operand, keywords: Keywords, node: ast.AST) -> Operand:
    """Lower `point._replace(x=1.0)` and `dataclasses.replace(point, x=1.0)`; the fields must be known."""
    cls = lowerer.context.classes.get(base) if isinstance(base, Value) else None
    if cls is None or not isinstance(base, Value):
        remedy = "make a new one from its fields, as in Point(p.x, 1.0)"
        raise lowerer.refuse("BS109", "this is not known to have fields that can be replaced", node, remedy)
    names: tuple[str, ...] = getattr(cls, "_fields", ())
    items = lowerer.context.elements.get(base)
    if items is None:
        items = tuple(lowerer.apply(getattr, (base, Const(name)), node, name=name) for name in names)
    parts = dict(zip(names, items, strict=True))
    return _made(lowerer, cls, (), {**parts, **keywords}, {}, node)


def own_method(lowerer: Lowerer, base: Value, name: str) -> Callable[..., Any] | None:
    """The method of this name that the class of a namedtuple or dataclass defines in Python."""
    cls = lowerer.context.classes.get(base)
    found = getattr(records.dataclass_of(cls) or cls, name, None)
    return found if isinstance(found, FunctionType) and name not in ("_asdict", "_make", "_replace") else None


def is_static_method(lowerer: Lowerer, base: Value, name: str) -> bool:
    """Whether the method of this name is a `staticmethod`, which is not given the object."""
    cls = lowerer.context.classes.get(base)
    owner = records.dataclass_of(cls) or cls
    return isinstance(inspect.getattr_static(owner, name, None), staticmethod)


def class_attribute(lowerer: Lowerer, base: Value, name: str) -> Operand | None:
    """The attribute of this name that the class of a dataclass or another object has, such as a default."""
    record = lowerer.context.classes.get(base)
    cls = records.dataclass_of(record)
    found = inspect.getattr_static(cls, name, None)
    if found is None or not is_data(found) or name in getattr(record, "_fields", ()):
        return None  # what the class has under the name of a field is the field's default
    lowerer.context.outside.note_attribute(lowerer.frame.source, cls, name)
    return wrap(found)


def own_property(lowerer: Lowerer, base: Value, name: str) -> Callable[..., Any] | None:
    """The getter of the property of this name that the class of a namedtuple or dataclass defines."""
    cls = lowerer.context.classes.get(base)
    found = getattr(records.dataclass_of(cls) or cls, name, None)
    return found.fget if isinstance(found, property) else None


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
