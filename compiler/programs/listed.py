"""Lists in the result of a function: its derivative has arrays in their places, and its caller gets lists again.

An array stands for a list of numbers, and several for a list of tuples of numbers. For a list of arrays stand a vector of all
entries and vectors of the extents.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, Function, Node, Operand, Value
from backsweep.ir.types import Array, List, Scalar, Tuple, Type
from backsweep.ir.walk import operands, walk
from backsweep.runtime.lists.results import as_arrays, as_list, as_tuples, unlisted

Places = Sequence[tuple[int, ...]]
"""Where lists are in a result: the positions from tuple to tuple; an empty one if the result is a list itself."""
LISTS = (as_list, as_arrays, as_tuples)
"""What makes lists of what stands for them."""


def with_arrays(function: Function) -> Function:
    """The untyped program, which returns an array or a tuple of arrays in the place of each list."""
    if not function.listed:
        return function
    (result,) = function.body.yields
    nodes = list(function.body.nodes)
    found = _converted(result, function.listed, nodes, lambda _: unlisted)
    body = dataclasses.replace(function.body, nodes=tuple(nodes), yields=(found,))
    return dataclasses.replace(function, body=body)


def with_lists(operand: Operand, places: Places, nodes: list[Node]) -> Operand:
    """What the caller gets for a result or its tangent: lists where arrays stand for them, made by further nodes."""
    return _converted(operand, places, nodes, _relisted)


def with_extents(dot: Operand, like: Operand, places: Places, nodes: list[Node]) -> Operand:
    """The tangent of a result in which the arrays of lists have the extents that they have in the result `like`."""
    if not places or not isinstance(dot, Value) or not isinstance(like, Value):
        return dot
    if () in places:
        return _of_extents(dot, like, nodes)
    made, whole = _made(dot, nodes), _made(like, nodes)
    if made is None or whole is None or len(made.operands) != len(whole.operands):
        return dot
    items = tuple(
        with_extents(item, each, places_in(places, number), nodes)
        for number, (item, each) in enumerate(zip(made.operands, whole.operands, strict=True))
    )
    result = Value(dot.name, dot.type, dot.loc)
    nodes.append(Apply(result, made.function, items, dot.loc))
    return result


def _of_extents(dot: Value, like: Value, nodes: list[Node]) -> Value:
    """The tangent of what stands for a list; numbers without derivatives have none, and zeros in their place."""
    match like.type:
        case Tuple(items=(Array() as entries, Tuple() as extents)):
            builder = Builder(loc=dot.loc)
            if entries.dtype.startswith(("float", "complex")):
                own = builder.apply(operator.getitem, dot, Const(0), type=entries)
            else:
                own = builder.apply(operator.getitem, like, Const(0), type=entries)
                own = builder.apply(np.zeros_like, own, type=entries)
            axes = builder.apply(operator.getitem, like, Const(1), type=extents)
            whole = builder.apply(tuple, own, axes, name=dot.name, type=like.type)
            nodes += builder.current.nodes
            return whole
        case _:
            return dot


def places_in(places: Places, item: int) -> Places:
    """The places within one item of a tuple."""
    return [place[1:] for place in places if place[:1] == (item,)]


def _converted(
    operand: Operand, places: Places, nodes: list[Node], choose: Callable[[Value], Callable[..., Any]]
) -> Operand:
    """The operand with the results of the function that is chosen for each in these places of it."""
    if not places or not isinstance(operand, Value):
        return operand
    if () in places:
        result = Value(operand.name, _type_of(operand.type), operand.loc)
        nodes.append(Apply(result, choose(operand), (operand,), operand.loc))
        return result
    made = _made(operand, nodes)
    if made is None or not (made.function is tuple or hasattr(made.function, "_fields")):
        return operand
    if not any(operand in operands(node) for node in walk(Block((), tuple(nodes), ()))):
        nodes.remove(made)
    items = tuple(
        _converted(item, places_in(places, number), nodes, choose)
        for number, item in enumerate(made.operands)
    )
    type_ = None
    if isinstance(operand.type, Tuple):
        kept = zip(items, operand.type.items, strict=True)
        changed = tuple(item.type or old if isinstance(item, Value) else old for item, old in kept)
        type_ = dataclasses.replace(operand.type, items=changed)
    result = Value(operand.name, type_, operand.loc)
    nodes.append(Apply(result, made.function, items, operand.loc))
    return result


def _made(operand: Operand, nodes: Sequence[Node]) -> Apply | None:
    """The call that makes the operand."""
    return next((node for node in nodes if isinstance(node, Apply) and node.result is operand), None)


def _relisted(operand: Value) -> Callable[..., Any]:
    """The function that makes a list of what stands for it."""
    type_ = operand.type
    if not isinstance(type_, Tuple):
        return as_list
    return as_arrays if isinstance(type_.items[-1], Tuple) else as_tuples


def _type_of(type_: Type | None) -> Type | None:
    """The type of the list that this stands for; None where types are not known yet."""
    match type_:
        case Array():
            return List(Scalar(type_.dtype))
        case Tuple(items=(Array() as entries, Tuple(items=extents))):
            return List(Array(entries.dtype, len(extents)))
        case Tuple(items=items):
            return List(Tuple(tuple(Scalar(each.dtype) for each in items if isinstance(each, Array))))
        case _:
            return None
