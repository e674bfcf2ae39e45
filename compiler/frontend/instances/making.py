"""Make objects of the user's classes: what `__init__` assigns is known while compiling."""

from __future__ import annotations

import ast
import dataclasses
import enum
import types
from typing import Any

from backsweep.frontend.context.heap import found_in, is_dataclass
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.instances.classes import (
    is_function,
    is_own_class,
    makes_its_own_init,
    method_of,
    obstacle,
)
from backsweep.frontend.instances.members import store
from backsweep.ir.nodes import Const, Operand
from backsweep.prelude.declare import is_of_prelude
from backsweep.reading.names import is_data, is_namedtuple, is_primitive, wrap


class Namespace:
    """Stands for `types.SimpleNamespace`: attributes and nothing else."""


def _member(lowerer: Lowerer, cls: enum.EnumMeta, args: tuple[Operand, ...], node: ast.AST) -> Operand:
    """The member of an `Enum` with this value, which must be known."""
    if len(args) != 1 or not isinstance(args[0], Const):
        message = f"which member of `{cls.__name__}` this is, the run decides"
        raise lowerer.refuse(
            "BS112", message, node, "compute with its value, and compare that with the values of members"
        )
    try:
        return wrap(cls(args[0].value))
    except ValueError as error:
        members: list[enum.Enum] = [*cls.__members__.values()]
        values = ", ".join(repr(member.value) for member in members)
        raise lowerer.refuse("BS112", str(error), node, f"its values are {values}") from None


def make_object(
    lowerer: Lowerer, thing: object, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
) -> Operand | None:
    """Lower the call of a class of the user's to an object that exists while compiling; None for any other call."""
    source = lowerer.frame.source
    if source is not None and source.jitted and not is_of_prelude(thing):
        return None  # in compiled code, a class means what an `@overload` says
    if thing is types.SimpleNamespace and not args:
        base = new(lowerer, Namespace, node)
        for name, operand in keywords.items():
            store(lowerer, base.value, name, operand, node)
        return base
    if isinstance(thing, enum.EnumMeta):
        return _member(lowerer, thing, args, node)
    if not is_own_class(thing):
        return None
    cls: Any = thing
    if is_namedtuple(cls) or is_primitive(cls):
        return None
    if is_dataclass(cls) and not _changes(lowerer, cls):
        return None
    why = obstacle(cls)
    if why is not None:
        message = f"an object of the class `{cls.__name__}` cannot be made in compiled code: {why}"
        raise lowerer.refuse("BS112", message, node, "use a class that only sets attributes, or a dataclass")
    base = new(lowerer, cls, node)
    init = found_in(cls, "__init__")
    if is_dataclass(cls) and makes_its_own_init(cls):
        _set_fields(lowerer, cls, base, args, keywords, node)
    elif init is not None:
        lowerer.context.note_made(node, lowerer.inline(method_of(init), (base, *args), keywords, node), base)
    elif args or keywords:
        message = f"`{cls.__name__}` takes no arguments"
        raise lowerer.refuse("BS113", message, node, "give the class an `__init__`")
    return base


def new(lowerer: Lowerer, cls: type, node: ast.AST) -> Const:
    """A new object, which has only the numbers and arrays of its class: each path may assign them or not."""
    context = lowerer.context
    place = (lowerer.loc(node), tuple(context.expansions.path))
    thing = context.objects.make(cls, place, lowerer.builder.current)
    names = {name: base for base in reversed(cls.__mro__[:-1]) for name in vars(base)}
    for name, base in names.items():
        found = found_in(cls, name)
        if name.startswith("__") or not _is_number(found):
            continue
        context.outside.note_attribute(lowerer.frame.source, base, name)
        context.objects.heap.records[thing][name] = wrap(found)
    return Const(thing)


def _is_number(found: object) -> bool:
    """Whether what stands in a class is data."""
    return not is_function(found) if isinstance(found, Const) else is_data(found)


def _changes(lowerer: Lowerer, cls: type) -> bool:
    """Whether objects of a dataclass are known attribute by attribute: because these change, or because of what makes them.

    Others are values, as namedtuples are.
    """
    is_value = all(
        field.init and field.default_factory is dataclasses.MISSING and not isinstance(field.default, Const)
        for field in dataclasses.fields(cls)
    )
    is_value = is_value and makes_its_own_init(cls) and found_in(cls, "__post_init__") is None
    is_value = is_value and not any(isinstance(each, Const) for each in vars(cls).values())
    return not is_value or ("class", cls) in lowerer.context.expansions.objects


def _set_fields(
    lowerer: Lowerer,
    cls: Any,
    base: Const,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.AST,
) -> None:
    """Do what the `__init__` does that `dataclass` writes."""
    fields = cls.__dataclass_fields__
    if any(type(field._field_type) is not type(dataclasses._FIELD) for field in fields.values()):  # type: ignore[attr-defined]
        raise lowerer.refuse("BS112", "a field is no plain field", node, "use plain fields")
    given = [field for field in dataclasses.fields(cls) if field.init]
    positional = [field.name for field in given if not field.kw_only]
    parts: dict[str, Operand] = dict(zip(positional, args, strict=False))
    twice = set(parts) & set(keywords)
    unknown = set(keywords) - {field.name for field in given}
    parts.update(keywords)
    for field in dataclasses.fields(cls):
        if field.name in parts:
            continue
        if field.default is not dataclasses.MISSING:
            parts[field.name] = wrap(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            parts[field.name] = _default(lowerer, field.default_factory, node)
    missing = [field.name for field in given if field.name not in parts]
    if len(args) > len(positional) or twice or unknown or missing:
        message = f"`{cls.__name__}` takes {', '.join(field.name for field in given)}"
        raise lowerer.refuse("BS113", message, node, "give each field once")
    for field in dataclasses.fields(cls):
        if field.name in parts:
            store(lowerer, base.value, field.name, parts[field.name], node)
    after = found_in(cls, "__post_init__")
    if after is not None:
        lowerer.context.note_made(node, lowerer.inline(method_of(after), (base,), {}, node), base)


def _default(lowerer: Lowerer, factory: object, node: ast.AST) -> Operand:
    """What the default factory of a field makes."""
    function = wrap(factory)
    if isinstance(function, Const) and function.value is list:
        return lowerer.make_tuple((), node, as_list=True)
    if isinstance(function, Const) and function.value is dict:
        return Const({})
    call = (
        node if isinstance(node, ast.Call) else ast.copy_location(ast.Call(ast.Name("factory"), [], []), node)
    )
    return lowerer.call(function, (), {}, call)
