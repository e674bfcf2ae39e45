"""Lower namedtuples and dataclasses: construction, replacement of fields, and the user's methods and properties."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from backsweep.frontend.context import dataclasses as records
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.ir.nodes import Const, Operand, Value
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
