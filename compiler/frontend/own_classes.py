"""Refuse what objects around the function compute in their own way, though their classes derive from numbers, lists, tuples or dicts.

What the compiler does with such an object is what Python does with one of the class that it derives from.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Iterable
from typing import Any

from backsweep.frontend.context.lowerer import Lowerer
from backsweep.ir.nodes import Const, Operand
from backsweep.reading.names import wrap
from backsweep.reading.own_classes import ARITHMETIC, base_of, own_methods, own_reads


def computed_plainly(lowerer: Lowerer, operand: Operand, node: ast.expr) -> Operand:
    """The operand; an error if it is an object of such a class."""
    thing = operand.thing if isinstance(operand, Const) else None
    own = own_methods(thing, *own_reads(thing))
    if own:
        raise _refused(lowerer, thing, own[0], node)
    return operand


def attribute_of(lowerer: Lowerer, node: ast.Attribute, named: Callable[[ast.Name], Operand]) -> Operand:
    """What `base.name` is; of an object of such a class, too, but for a method of the class that it derives from.

    `named` lowers a name.
    """
    match node.value:
        case ast.Name() as held:
            base = named(held)
        case ast.Attribute() as held:
            base = attribute_of(lowerer, held, named)
        case held:
            base = lowerer.lower(held)
    thing = base.thing if isinstance(base, Const) else None
    if own_methods(thing, node.attr) and hasattr(base_of(thing), node.attr):
        raise _refused(lowerer, thing, node.attr, node)
    return lowerer.attribute(base, node.attr, node)


def refuse_own_operators(lowerer: Lowerer, sides: Iterable[Operand], node: ast.AST) -> None:
    """Raise UnsupportedError for a binary operator of an object whose class writes such operators anew."""
    for side in sides:
        thing = side.thing if isinstance(side, Const) else None
        own = own_methods(thing, *ARITHMETIC)
        if own:
            raise _refused(lowerer, thing, own[0], node)


def of_flags(function: Callable[..., Any], *sides: Operand) -> Operand | None:
    """What an operator makes of members of a `Flag`; None for anything else."""
    things = [side.thing for side in sides if isinstance(side, Const)]
    if len(things) < len(sides) or not all(isinstance(thing, enum.Flag) for thing in things):
        return None
    return wrap(function(*things))


def _refused(lowerer: Lowerer, thing: object, method: str, node: ast.AST) -> Exception:
    base = base_of(thing)
    assert base is not None
    name = type(thing).__name__
    message = f"the class `{name}` derives from {base.__name__} and has `{method}` of its own, which compiled code would not call"
    remedy = f"take a plain one, around the function, as in {base.__name__}(it), or write what `{method}` does as a function"
    return lowerer.refuse("BS115", message, node, remedy)
