"""Items and comparisons of objects that the program makes: `thing[index]` calls a method of the class, and of a list takes an object."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from backsweep.frontend.context.heap import found_in, is_dataclass, virtual
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.instances.classes import method_of
from backsweep.frontend.instances.joining import holds_objects
from backsweep.frontend.instances.lists import note_list, put
from backsweep.frontend.instances.members import record_of
from backsweep.ir.nodes import Const, Index, Operand, Value


def by_item(
    lowerer: Lowerer, base: Operand, name: str, index: Index, node: ast.AST, *more: Operand
) -> Operand | None:
    """Lower `base[index]` by the method of the object's class; None for what is no object, and for lists."""
    thing = virtual(base)
    if thing is None or thing.cls is list:
        return None
    method = found_in(thing.cls, name)
    if method is None:
        message = f"an object of the class `{thing.__name__}` has no `{name}`"
        raise lowerer.refuse("BS110", message, node, "index one of its attributes")
    items: list[Any] = [each if isinstance(each, Value | Const) else Const(each) for each in index]
    key = items[0] if len(items) == 1 else lowerer.make_tuple(tuple(items), node)
    return lowerer.inline(method_of(method), (base, key, *more), {}, node)


def put_into(lowerer: Lowerer, base: Operand, index: Index, value: Operand, node: ast.AST) -> bool:
    """Lower `base[index] = value` of an object or a list of objects; says whether it is one."""
    note_list(lowerer, base, value, node)
    thing = virtual(base)
    if thing is None or not isinstance(base, Const):
        return False
    if thing.cls is not list:
        by_item(lowerer, base, "__setitem__", index, node, value)
        return True
    place = index[0] if len(index) == 1 else None
    put(lowerer, base, place if isinstance(place, Value | Const) else Const(None), value, node)
    return True


def compared(
    lowerer: Lowerer, left: Operand, op: ast.cmpop, right: Operand, node: ast.Compare
) -> Operand | None:
    """Lower `is` and `==` of objects whose class does not say what is equal: whether both are one; None for any other comparison."""
    one, other = virtual(left), virtual(right)
    if not isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
        return None
    if one is None or other is None:
        if isinstance(op, ast.Eq | ast.NotEq) and any(
            holds_objects(each) and virtual(each) is None for each in (left, right)
        ):
            message = "tuples are compared that hold objects"
            raise lowerer.refuse("BS104", message, node, "compare their items one by one")
        return None
    cls: Any = one.cls
    is_equality = isinstance(op, ast.Eq | ast.NotEq)
    if is_equality and list in (one.cls, other.cls):
        message = "lists of objects are compared"
        raise lowerer.refuse("BS104", message, node, "compare their items one by one")
    if is_equality and is_dataclass(cls) and cls.__dataclass_params__.eq:
        if cls is not other.cls:
            return Const(isinstance(op, ast.NotEq))
        records = [record_of(lowerer, each, node) for each in (one, other)]
        names = [field.name for field in dataclasses.fields(cls) if field.compare]
        sides = [lowerer.make_tuple(tuple(record[name] for name in names), node) for record in records]
        return lowerer.comparison(sides[0], op, sides[1], node)
    if one is not other and not one.roots.isdisjoint(other.roots):
        message = "whether both are one object, the run decides"
        raise lowerer.refuse("BS104", message, node, "compare their attributes")
    return Const((one is other) is isinstance(op, ast.Is | ast.Eq))
