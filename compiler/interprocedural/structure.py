"""What programs have in common that compute the same in the same way: all but the names and places of their values."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator

from backsweep.diagnostics import Loc
from backsweep.ir.nodes import (
    COMPLEX_ZERO,
    ZERO,
    Block,
    Checkpoint,
    Const,
    Dots,
    Function,
    NewAxis,
    Node,
    Slice,
    Value,
)

_WITH_PARTS = (Node, Block, Slice, NewAxis, Dots, Checkpoint)
"""What is told by its parts; other objects are told by their identity."""


def structure(function: Function) -> Hashable:
    """A key that is equal for two programs whose nodes, types and constants are the same, one by one.

    Values are told by the order in which they occur. Keys may be compared as long as both programs live.
    """
    return tuple(_parts(function.body, {}))


def _parts(thing: object, numbers: dict[Value, int]) -> Iterator[Hashable]:
    """What tells a part of a program from others, in order; `numbers` are those of the values so far."""
    match thing:
        case Value():
            yield numbers.setdefault(thing, len(numbers)), thing.type, thing.role
        case Const(value=bool() | int() | float() | complex() | str() as literal):
            yield type(literal), repr(literal), thing.name, thing is ZERO or thing is COMPLEX_ZERO
        case Const():
            yield id(thing.value), thing.name
        case Loc():
            pass
        case tuple():
            yield len(thing)
            for item in thing:
                yield from _parts(item, numbers)
        case str() | None | bool():
            yield thing
        case _ if isinstance(thing, _WITH_PARTS):
            yield type(thing).__name__
            for field in dataclasses.fields(thing):
                yield from _parts(getattr(thing, field.name), numbers)
        case _:
            yield id(thing)
