"""Calls of builtins that make, read and change objects: `super`, `setattr`, `copy.copy`, `copy.deepcopy`, `dataclasses.replace`.

Others ask the class of an object: `abs`, `float`, `round`.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
import math
from typing import Any

import numpy as np

from backsweep.frontend.constructs.comprehensions import TAKES_ALL
from backsweep.frontend.constructs.going_through import items_of
from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.constructs.special_methods import own_class, special_method
from backsweep.frontend.context.dataclasses import dataclass_of, is_dataclass
from backsweep.frontend.context.heap import virtual
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import KnownTuple, known_elements
from backsweep.frontend.instances.making import make_object, new
from backsweep.frontend.instances.members import Super, assign, follow, record_of, store
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.ir.types import Array, Scalar
from backsweep.prelude.language import items as of_items
from backsweep.runtime.plain.orders import later_if_larger, later_if_smaller


def called(
    lowerer: Lowerer, thing: object, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower the call of such a builtin with objects that the program makes; None for any other call."""
    for function, lower in OWN:
        if thing is function and (args or thing is super):
            return lower(lowerer, args, keywords, node)
    if (thing is max or thing is min) and not keywords:
        best = extreme_object(lowerer, thing, args, node)
        if best is not None:
            return best
    for asks, name in ASKED:
        if thing is asks and args and (own := special_method(lowerer, args[0], name)) is not None:
            return lowerer.inline(own, args, keywords, node)
    return with_items(lowerer, thing, args, keywords, node) if goes_through(thing) else None


def goes_through(thing: object) -> bool:
    """Whether a function goes through its arguments: some builtins do, and what makes arrays of them."""
    home = (getattr(thing, "__module__", None) or "").partition(".")[0]
    return home in ("numpy", "scipy", "math", "heapq") or any(thing is each for each in GOING_THROUGH)


def with_items(
    lowerer: Lowerer, thing: object, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower a call with what objects give that are gone through; None if none is."""
    is_ordered = all(thing is not each for each in ORDERLESS) or bool(set(keywords) - {"reverse"})
    items = tuple(items_of(lowerer, each, node, is_ordered=is_ordered) for each in args)
    named = {name: items_of(lowerer, each, node) for name, each in keywords.items()}
    pairs = zip((*items, *named.values()), (*args, *keywords.values()), strict=True)
    if all(one is other for one, other in pairs):
        return None
    return lowerer.call(Const(thing), items, named, node)


def extreme_object(
    lowerer: Lowerer, function: object, args: tuple[Operand, ...], node: ast.Call
) -> Operand | None:
    """Lower `max` and `min` of objects, as their classes compare them."""
    items = args if len(args) > 1 else known_elements(lowerer.context, args[0]) if args else None
    if not items or all(own_class(lowerer, each) is None for each in items):
        return None
    better = later_if_larger if function is max else later_if_smaller
    best = items[0]
    for item in items[1:]:
        best = lowerer.inline(better, (best, item), {}, node)
    return best


def super_of(
    lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, _node: ast.Call
) -> Operand | None:
    """Lower `super()` and `super(cls, self)`."""
    cls = args[0] if args else lowerer.find("__class__", lowerer.frame)
    thing = args[1] if len(args) > 1 else next(iter(lowerer.frame.env.values()), None)
    if virtual(thing) is None or not isinstance(thing, Const):
        return None
    return Const(Super(thing, cls.value)) if isinstance(cls, Const) and isinstance(cls.value, type) else None


def set_attribute(
    lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower `setattr(thing, "name", value)`."""
    name = args[1].value if len(args) == 3 and isinstance(args[1], Const) else None
    if not isinstance(name, str) or not assign(lowerer, args[0], name, args[2], node):
        return None
    return Const(None)


def replaced_object(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower `dataclasses.replace`."""
    thing = virtual(args[0])
    if thing is None:
        return None
    record = record_of(lowerer, thing, node)
    cls: Any = thing.cls
    given = {field.name: record[field.name] for field in dataclasses.fields(cls) if field.init}
    return make_object(lowerer, thing.cls, (), {**given, **keywords}, node)


def fields_of(
    lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, _node: ast.Call
) -> Operand | None:
    """Lower `dataclasses.fields` of a class or an object of a class that is known."""
    thing = virtual(args[0])
    cls: Any = None if thing is None else thing.cls
    if isinstance(args[0], Value):
        cls = lowerer.context.classes.get(args[0])
    elif thing is None:
        cls = args[0].value
    cls = dataclass_of(cls) or cls
    return Const(KnownTuple(tuple(map(Const, dataclasses.fields(cls))))) if is_dataclass(cls) else None


def copied_once(
    lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower `copy.copy`."""
    own = special_method(lowerer, args[0], "__copy__")
    if own is not None:
        return lowerer.inline(own, args, {}, node)
    if isinstance(args[0], Value) and args[0] in lowerer.context.classes:
        return args[0]  # a record as long as nothing changes it; then it is an object in the next round
    return _copied(lowerer, args[0], node, {}, deep=False) if virtual(args[0]) is not None else None


def copied_deeply(
    lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower `copy.deepcopy`."""
    own = special_method(lowerer, args[0], "__deepcopy__")
    if own is not None:
        return lowerer.inline(own, (args[0], Const({})), {}, node)
    follow(lowerer, args[0])
    return _copied(lowerer, args[0], node, {}, deep=True)


def _copied(
    lowerer: Lowerer, operand: Operand, node: ast.AST, seen: dict[object, Operand], *, deep: bool
) -> Operand:
    thing = virtual(operand)
    if thing is None:
        if isinstance(operand, Const) and isinstance(operand.value, KnownTuple):
            return Const(
                KnownTuple(
                    tuple(_copied(lowerer, item, node, seen, deep=deep) for item in operand.value.items)
                )
            )
        if deep and lowerer.context.is_list(operand):
            return lowerer.inline(of_items.copies, (operand, Const(copy.deepcopy)), {}, node)
        if not deep or not isinstance(operand, Value) or not _is_array(lowerer, operand, node):
            return operand
        if operand not in seen:
            seen[operand] = lowerer.apply(np.copy, (operand,), node)
        return seen[operand]
    if thing in seen:
        return seen[thing]
    again = new(lowerer, thing.cls, node)
    seen[thing] = again
    for name, part in record_of(lowerer, thing, node).items():
        inner = _copied(lowerer, part, node, seen, deep=True) if deep else part
        store(lowerer, again.value, name, inner, node)
    return again


def _is_array(lowerer: Lowerer, operand: Operand, node: ast.AST) -> bool:
    """Whether what is copied is an array, or a number; anything else is refused."""
    type_ = asked_type(lowerer, operand, node)
    if not isinstance(type_, Array | Scalar):
        message = "an attribute that is neither a number nor an array is copied"
        raise lowerer.refuse("BS112", message, node, "make a new object of copies of its parts")
    return isinstance(type_, Array)


GOING_THROUGH = (*TAKES_ALL, iter, functools.reduce)
"""The builtins that go through an object."""
ORDERLESS = (sorted, min, max, sum, any, all, set, frozenset)
"""The builtins whose results no order of the items changes, but for rounding."""
OWN = (
    (super, super_of),
    (setattr, set_attribute),
    (dataclasses.replace, replaced_object),
    (dataclasses.fields, fields_of),
    (copy.copy, copied_once),
    (copy.deepcopy, copied_deeply),
)
"""The builtins, each with what lowers its calls or gives None for those without objects."""
ASKED = (
    (abs, "__abs__"),
    (complex, "__complex__"),
    (divmod, "__divmod__"),
    (float, "__float__"),
    (int, "__int__"),
    (math.ceil, "__ceil__"),
    (math.floor, "__floor__"),
    (math.trunc, "__trunc__"),
    (round, "__round__"),
)
"""The builtins that ask an object's class for a method."""
