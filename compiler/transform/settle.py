"""Arrays that a loop carries and broadcasts against one another, brought to their joint shape before the loop.

`v = v - h * np.sin(x)`, `x = x + h * v`: nobody says that `x` and `v` have one shape, and if they do not, the first
iteration broadcasts them. Done before the loop, it leaves every iteration with the same shapes, so that what is recorded
goes into an array and no iteration has to look. A loop that does not run leaves its arrays as they are.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeGuard

import numpy as np

from backsweep.analysis.alias import find_aliases
from backsweep.analysis.shapes import Shapes
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, For, Function, If, Node, Operand, Value
from backsweep.ir.types import BOOL, Array
from backsweep.ir.walk import blocks, free_values, leaving, map_blocks, operands, rename_operands, walk
from backsweep.runtime.broadcasting import aligned
from backsweep.transform.matching import is_elementwise
from backsweep.transform.trips import unit

LIKE = {np.zeros_like, np.ones_like, np.empty_like, np.full_like}
"""Functions whose result is broadcast by broadcasting their first operand, as an elementwise function's is."""


def settled(function: Function) -> Function:
    """The typed program with such loops behind the alignment of their arrays, where that keeps all shapes."""
    loops = [node for node in walk(function.body) if isinstance(node, For) and _may_settle(node)]
    if not loops:
        return function
    shapes, aliases = Shapes(function, is_elementwise), find_aliases(function)
    for loop in loops:
        members = _members(loop, shapes)
        # Broadcast once, an array would not see what is written to it later.
        if members is None or any(map(aliases.is_buffer, members)):
            continue
        inner, whole = _settled(loop, members)
        changed = dataclasses.replace(function, body=_replaced(function.body, loop, whole))
        after = Shapes(changed, is_elementwise)
        if all(
            after.same(parameter, init) for parameter, init in _carried_arrays(inner) if parameter in members
        ):
            function, shapes = changed, after
    return function


def _may_settle(loop: For) -> bool:
    """Whether it may be worth looking at the loop: it carries arrays, goes by a known step and has no way out."""
    return loop.exit is None and unit(loop.step) is not None and any(True for _ in _carried_arrays(loop))


def _carried_arrays(loop: For) -> Iterator[tuple[Value, Value]]:
    """The arrays that the loop carries, and what they begin as."""
    for parameter, init in zip(loop.body.parameters[1:], loop.inits, strict=True):
        if isinstance(init, Value) and isinstance(init.type, Array) and isinstance(parameter.type, Array):
            yield parameter, init


def _members(loop: For, shapes: Shapes) -> list[Value] | None:
    """The arrays, carried and from outside, that the loop broadcasts against one another; None if it had better not.

    All of them go into all that is carried, so that one iteration gives that their joint shape; and until they do,
    what is computed of them is only computed with entry by entry.
    """
    lost = [parameter for parameter, init in _carried_arrays(loop) if not shapes.same(parameter, init)]
    if not lost:
        return None
    parts = _connected(loop)
    members = [value for value in parts if parts[value] in {parts.get(each) for each in lost}]
    own = dict(zip(loop.body.parameters[1:], loop.body.yields, strict=True))
    outside = free_values(loop.body)
    members = [value for value in members if value in own or value in outside]
    ranks = {value.type for value in members}
    if len(members) < 2 or not set(lost) <= set(members) or len(ranks) > 1:
        return None
    held = _held(loop, members)
    everything = frozenset(members)
    if held is None or any(
        held.get(own[value], frozenset()) < everything for value in members if value in own
    ):
        return None
    return members


def _connected(loop: For) -> dict[Value, int]:
    """The arrays that meet in the loop's elementwise functions, by the number of the group that they are in."""
    group: dict[Value, int] = {}
    for number, node in enumerate(loop.body.nodes):
        if not isinstance(node, Apply) or not _is_broadcast(node):
            continue
        arrays = [each for each in (node.result, *node.operands) if _is_array(each)]
        joined = {group[each] for each in arrays if each in group}
        group.update(dict.fromkeys(arrays, number))
        group.update({each: number for each, other in group.items() if other in joined})
    return group


def _held(loop: For, members: Iterable[Value]) -> Mapping[Operand, frozenset[Value]] | None:
    """Which members go into each array of the body; None where one that not all go into is looked at as a whole."""
    everything = frozenset(members)
    held: dict[Operand, frozenset[Value]] = {each: frozenset((each,)) for each in members}
    outside = free_values(loop.body)
    for node in loop.body.nodes:
        if isinstance(node, Apply) and _is_broadcast(node):
            held[node.result] = frozenset().union(*(held.get(each, frozenset()) for each in node.operands))
            continue
        read = [*operands(node), *leaving(node)]
        read += [
            each
            for block in blocks(node)
            for inner in walk(block)
            for each in (*operands(inner), *leaving(inner))
        ]
        if any(held.get(each, everything) < everything for each in read if each not in outside):
            return None
    ends = [end for end in loop.body.yields if held.get(end, everything) < everything]
    carried = {
        end
        for parameter, end in zip(loop.body.parameters[1:], loop.body.yields, strict=True)
        if parameter in everything
    }
    return None if any(end not in carried for end in ends) else held


def _is_broadcast(node: Apply) -> bool:
    """Whether the result is broadcast where an operand is, and nothing else changes."""
    if not isinstance(node.result.type, Array):
        return False
    return is_elementwise(node) or (node.function in LIKE and not node.keywords)


def _is_array(operand: Operand) -> TypeGuard[Value]:
    return isinstance(operand, Value) and isinstance(operand.type, Array)


def _settled(loop: For, members: Iterable[Value]) -> tuple[For, list[Node]]:
    """The loop with these arrays in their joint shape, and what stands where the loop stood."""
    begins: dict[Operand, Operand] = dict(zip(loop.body.parameters[1:], loop.inits, strict=True))
    builder = Builder(loc=loop.loc)
    with builder.block() as then:
        joint = _aligned_all(builder, {member: begins.get(member, member) for member in members})
        body = dataclasses.replace(
            loop.body, nodes=tuple(_with_joint(node, joint, begins) for node in loop.body.nodes)
        )
        inits = tuple(joint.get(parameter, init) for parameter, init in begins.items())
        inner = dataclasses.replace(
            loop, inits=inits, body=body, results=tuple(map(dataclasses.replace, loop.results))
        )
        builder.add(inner)
        then.yields = inner.results
    runs = operator.lt if unit(loop.step) == 1 else operator.gt
    condition = builder.apply(runs, loop.start, loop.stop, type=BOOL)
    orelse = Block((), (), loop.inits)
    builder.add(If(condition, then.finish(), orelse, loop.results, loop.loc))
    return inner, builder.current.nodes


def _aligned_all(builder: Builder, arrays: Mapping[Value, Operand]) -> dict[Operand, Operand]:
    """The arrays broadcast against one another, by the member that each stands for."""
    (first, whole), *others = arrays.items()
    for _, array in others:
        whole = _aligned(builder, whole, array)
    found: dict[Operand, Operand] = {first: whole}
    for member, array in others:
        found[member] = _aligned(builder, array, whole)
    return found


def _aligned(builder: Builder, array: Operand, like: Operand) -> Value:
    assert isinstance(array, Value)
    return builder.apply(aligned, array, like, name=array.name, type=array.type)


def _with_joint(node: Node, joint: Mapping[Operand, Operand], carried: Mapping[Operand, Operand]) -> Node:
    """The node with arrays from outside in their joint shape, if it computes entry by entry."""
    if not isinstance(node, Apply) or not _is_broadcast(node):
        return node
    return rename_operands(node, lambda each: each if each in carried else joint.get(each, each))


def _replaced(block: Block, loop: For, instead: list[Node]) -> Block:
    """The block with other nodes where the loop stood."""
    nodes: list[Node] = []
    for node in block.nodes:
        if node is loop:
            nodes += instead
        else:
            nodes.append(
                map_blocks(node, lambda inner: _replaced(inner, loop, instead), lambda operand: operand)
            )
    return dataclasses.replace(block, nodes=tuple(nodes))
