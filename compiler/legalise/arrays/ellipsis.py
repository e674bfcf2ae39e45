"""Write out `...` beside other items of an index as the axes that it stands for, so that later passes meet one spelling of each part.

Where it stands for none, an index that has an integer for every axis means one element. Numba types `a[..., 0]` of a vector as the element, which it reads at once. NumPy makes an array without axes of it, a view
that later writes to `a` change. Where a program could see the difference it is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.diagnostics import Problem, Problems, UnsupportedError
from backsweep.ir.nodes import (
    Apply,
    Block,
    Callee,
    Const,
    Dots,
    For,
    Function,
    Index,
    Load,
    NewAxis,
    Node,
    Slice,
    Store,
    Tap,
    Value,
    View,
    While,
)
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar, Tuple
from backsweep.ir.walk import blocks, index_operands, leaving, operands, rewrite, walk


def write_out_ellipsis(function: Function) -> Function:
    """The typed program, in which indices of an element have an integer for each axis, and those of parts a slice for each that is whole."""
    nodes = list(walk(function.body))
    if any(isinstance(node, Load | Store) and _is_element(node) for node in nodes):
        _refuse_views(function)
    return rewrite(function, _written_out)


def _written_out(node: Node) -> list[Node]:
    """The node with whole slices in place of `...`, or without it, if the integers beside it select one element."""
    if isinstance(node, Load | Store) and _is_element(node):
        return [dataclasses.replace(node, index=_integers(node.index))]
    if isinstance(node, Load | Store | View) and len(node.index) > 1 and (count := _axes_of_dots(node)):
        index: list[Any] = []
        for item in node.index:
            index += [Slice()] * count if isinstance(item, Dots) else [item]
        return [dataclasses.replace(node, index=tuple(index))]
    return [node]


def _integers(index: Index) -> Index:
    return tuple(item for item in index if not isinstance(item, Dots))


def _axes_of_dots(node: Load | Store | View) -> int:
    """How many axes the `...` in an index stands for; 0 if there is none, or if a mask beside it may stand for several."""
    type_ = type_of(node.buffer)
    if not isinstance(type_, Array) or not any(isinstance(item, Dots) for item in node.index):
        return 0
    beside = [each for item in index_operands(node.index) if isinstance(each := type_of(item), Array)]
    if any(each.dtype == "bool" for each in beside):
        return 0
    return type_.ndim - sum(not isinstance(item, NewAxis | Dots) for item in node.index)


def _is_element(node: Load | Store) -> bool:
    """Whether the index has `...` that stand for no axis, and an integer for each axis."""
    type_ = type_of(node.buffer)
    if not isinstance(type_, Array) or not any(isinstance(item, Dots) for item in node.index):
        return False
    items = _integers(node.index)
    return len(items) == type_.ndim and all(
        isinstance(item, Value | Const) and isinstance(type_of(item), Scalar) for item in items
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Step:
    """A node of the program, its position in program order, and the loops around it."""

    node: Node
    position: int
    loops: frozenset[Node]


def _refuse_views(function: Function) -> None:
    """Raise UnsupportedError for what is read with `...` and used after the array may have been written."""
    steps = [_Step(node, position, loops) for position, (node, loops) in enumerate(_ordered(function.body))]
    aliases = find_aliases(function)
    problems = Problems()
    for step in steps:
        if isinstance(step.node, Load) and _is_element(step.node) and _seen(step, steps, function, aliases):
            message = "this is a view in NumPy, which later writes change, but a number in Numba"
            remedy = "write it without `...`, as in x[0] instead of x[..., 0]."
            problems.add(UnsupportedError, Problem("BS131", message, step.node.loc, remedy))
    problems.report()


def _ordered(block: Block, loops: frozenset[Node] = frozenset()) -> Iterator[tuple[Node, frozenset[Node]]]:
    """The nodes in program order, each with the loops around it."""
    for node in block.nodes:
        yield node, loops
        inside = loops | {node} if isinstance(node, For | While) else loops
        for each in blocks(node):
            yield from _ordered(each, inside)


def _seen(load: _Step, steps: list[_Step], function: Function, aliases: Aliases) -> bool:
    """Whether the program could give another result with a view of the element than with its value."""
    assert isinstance(load.node, Load)
    value, buffer = load.node.result, load.node.buffer
    assert isinstance(buffer, Value)
    writes = [step for step in steps if _writes(step.node, buffer, aliases)]
    later = [write for write in writes if write.position > load.position or write.loops & load.loops]
    if not later:
        return False
    if any(_hands_on(step.node, value) for step in steps):
        return True
    uses = [step for step in steps if value in operands(step.node)]
    return any(
        load.position < write.position < use.position or (use.loops & write.loops) - load.loops
        for write in later
        for use in uses
    ) or (value in function.body.yields and any(write.position > load.position for write in later))


def _writes(node: Node, buffer: Value, aliases: Aliases) -> bool:
    """Whether the node may write memory of the buffer."""
    if isinstance(node, Store):
        return aliases.same(node.buffer, buffer)
    if isinstance(node, Apply) and isinstance(node.function, Callee):
        return any(isinstance(operand, Value) and aliases.same(operand, buffer) for operand in node.operands)
    return False


def _hands_on(node: Node, value: Value) -> bool:
    """Whether the node gives the value another name."""
    if isinstance(node, Apply) and (isinstance(node.function, Tap) or isinstance(node.result.type, Tuple)):
        return value in node.operands
    return value in leaving(node) or (isinstance(node, For | While) and value in node.inits)
