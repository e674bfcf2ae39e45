"""Lists of numbers in the result of a function: arrays for what derives it, and lists again for the caller."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from backsweep.ir.nodes import Apply, Block, Function, Node, Operand, Value
from backsweep.ir.types import Array, List, Scalar, Tuple, Type
from backsweep.ir.walk import operands, walk
from backsweep.runtime.sequences import as_list

Places = Sequence[tuple[int, ...]]


def with_arrays(function: Function) -> Function:
    """The untyped program, which returns an array in the place of each list of numbers."""
    if not function.listed:
        return function
    (result,) = function.body.yields
    nodes = list(function.body.nodes)
    found = _converted(result, function.listed, nodes, np.array)
    body = dataclasses.replace(function.body, nodes=tuple(nodes), yields=(found,))
    return dataclasses.replace(function, body=body)


def with_lists(operand: Operand, places: Places, nodes: list[Node]) -> Operand:
    """What the caller gets for a result or its tangent: lists where arrays stand for them, made by further nodes."""
    return _converted(operand, places, nodes, as_list)


def places_in(places: Places, item: int) -> Places:
    """The places within one item of a tuple."""
    return [place[1:] for place in places if place[:1] == (item,)]


def _converted(operand: Operand, places: Places, nodes: list[Node], function: Callable[..., Any]) -> Operand:
    """The operand with the function's results in these places of it."""
    if not places or not isinstance(operand, Value):
        return operand
    if () in places:
        result = Value(operand.name, _type_of(operand.type), operand.loc)
        nodes.append(Apply(result, function, (operand,), operand.loc))
        return result
    made = _made(operand, nodes)
    if made is None or made.function is not tuple:
        return operand
    if not any(operand in operands(node) for node in walk(Block((), tuple(nodes), ()))):
        nodes.remove(made)
    items = tuple(
        _converted(item, places_in(places, number), nodes, function)
        for number, item in enumerate(made.operands)
    )
    type_ = None
    if isinstance(operand.type, Tuple):
        kept = zip(items, operand.type.items, strict=True)
        type_ = Tuple(tuple(item.type or old if isinstance(item, Value) else old for item, old in kept))
    result = Value(operand.name, type_, operand.loc)
    nodes.append(Apply(result, tuple, items, operand.loc))
    return result


def _made(operand: Operand, nodes: Sequence[Node]) -> Apply | None:
    """The call that makes the operand."""
    return next((node for node in nodes if isinstance(node, Apply) and node.result is operand), None)


def _type_of(type_: Type | None) -> Type | None:
    """The type of the list that stands for an array; None where types are not known yet."""
    return List(Scalar(type_.dtype)) if isinstance(type_, Array) else None
