"""Items and comparisons of objects that the program makes: `thing[index]` calls a method of the class, and of a list takes an object."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable
from typing import Any

from backsweep.frontend.constructs.dicts import becomes_table
from backsweep.frontend.constructs.special_methods import own_class, special_method
from backsweep.frontend.context.heap import is_dataclass, virtual
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.instances.joining import holds_objects
from backsweep.frontend.instances.lists import changes_known, note_list, put
from backsweep.frontend.instances.members import follow
from backsweep.ir.nodes import Const, Dots, Index, NewAxis, Operand, Value
from backsweep.prelude.declare import is_of_prelude


def by_item(
    lowerer: Lowerer, base: Operand, name: str, index: Index, node: ast.AST, *more: Operand
) -> Operand | None:
    """Lower `base[index]` by the method of the object's class; None for what is no object, and for lists."""
    if virtual(base) is not None:
        becomes_table(lowerer.context, base, *index[:1])
    cls = own_class(lowerer, base)
    method = None if cls is None else special_method(lowerer, base, name)
    if cls is None or (method is None and issubclass(cls, tuple)):
        return None
    if method is None:
        message = f"an object of the class `{cls.__name__}` has no `{name}`"
        raise lowerer.refuse("BS110", message, node, "index one of its attributes")
    things = {NewAxis: Const(None), Dots: Const(...)}
    items: list[Any] = [
        each if isinstance(each, Value | Const) else things.get(type(each), Const(each)) for each in index
    ]
    is_tuple = len(items) != 1 or isinstance(getattr(node, "slice", None), ast.Tuple)
    key = lowerer.make_tuple(tuple(items), node) if is_tuple else items[0]
    return lowerer.inline(method, (base, key, *more), {}, node)


def place_to_change(
    lowerer: Lowerer, base: Operand, index: Callable[[], Index], node: ast.AST
) -> tuple[Operand, tuple[Operand, ...], Operand, Operand] | None:
    """The list, and the place in it, that `table[key] op= value` changes, the list of keys, and the key; None for what is no table."""
    method = special_method(lowerer, base, "place_to_change") if virtual(base) is not None else None
    if method is None or not is_of_prelude(method):
        return None
    items: list[Any] = list(index())
    becomes_table(lowerer.context, base, *items[:1])
    key = items[0] if len(items) == 1 else lowerer.make_tuple(tuple(items), node)
    place = lowerer.inline(method, (base, key), {}, node)
    lowerer.check_path(place, "the place of the key", node)
    keys, values = (lowerer.attribute(base, name, node) for name in ("key_list", "value_list"))
    return values, (place,), keys, key


def put_into(lowerer: Lowerer, base: Operand, index: Index, value: Operand, node: ast.AST) -> bool:
    """Lower `base[index] = value` of an object or a list of objects; says whether it is one."""
    note_list(lowerer, base, value, node)
    changes_known(base)
    thing = virtual(base)
    if thing is None and special_method(lowerer, base, "__setitem__") is not None:
        follow(lowerer, base)
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
    is_identity, is_equality = isinstance(op, ast.Is | ast.IsNot), isinstance(op, ast.Eq | ast.NotEq)
    found = None if is_identity else _by_fields(lowerer, left, op, right, node)
    if found is not None or not (is_identity or is_equality):
        return found
    one, other = virtual(left), virtual(right)
    if one is None or other is None:
        if is_identity and (one is not None or other is not None):
            return Const(isinstance(op, ast.IsNot))  # one of them is a number, an array or a tuple
        if is_equality and any(holds_objects(each) and virtual(each) is None for each in (left, right)):
            message = "tuples are compared that hold objects"
            raise lowerer.refuse("BS104", message, node, "compare their items one by one")
        return None
    if is_equality and list in (one.cls, other.cls):
        message = "lists of objects are compared"
        raise lowerer.refuse("BS104", message, node, "compare their items one by one")
    return Const(is_one_object(lowerer, left, right, node) is isinstance(op, ast.Is | ast.Eq))


def is_one_object(lowerer: Lowerer, left: Operand, right: Operand, node: ast.AST) -> bool:
    """Whether both operands are one object that the program makes."""
    one, other = virtual(left), virtual(right)
    if one is None or other is None:
        return False
    if one is not other and not one.roots.isdisjoint(other.roots):
        message = "whether both are one object, the run decides"
        raise lowerer.refuse("BS104", message, node, "compare their attributes")
    return one is other


def _by_fields(
    lowerer: Lowerer, left: Operand, op: ast.cmpop, right: Operand, node: ast.Compare
) -> Operand | None:
    """Lower a comparison of objects as `dataclass` writes it: those of one class are compared by their fields."""
    classes: list[Any] = [own_class(lowerer, each) for each in (left, right)]
    if None in classes or not any(map(is_dataclass, classes)):
        return None
    cls, other = classes
    is_equality = isinstance(op, ast.Eq | ast.NotEq)
    if is_equality and cls is not other:
        return Const(isinstance(op, ast.NotEq))
    written = is_dataclass(cls) and cls is other and cls.__dataclass_params__
    if not written or not (written.eq if is_equality else written.order):
        if not is_equality or (virtual(left) is not None and virtual(right) is not None):
            return None
        message = "whether both are one object, the run decides"
        raise lowerer.refuse("BS104", message, node, "compare their attributes")
    names = [field.name for field in dataclasses.fields(cls) if field.compare]
    sides = [
        lowerer.make_tuple(tuple(lowerer.attribute(each, name, node) for name in names), node)
        for each in (left, right)
    ]
    return lowerer.comparison(sides[0], op, sides[1], node)
