"""Broadcast arrays that a loop carries to their joint shape before the loop.

In `v = v - h * np.sin(x)`, `x = x + h * v`, the shapes of `x` and `v` may differ; then the first iteration broadcasts
them. A broadcast before the loop gives every iteration the same shapes, so that records fit into an array and no
iteration checks shapes. A loop that does not run leaves its arrays as they are.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Literal, TypeGuard

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.integers.affine import literal
from backsweep.analysis.integers.extents import Shapes, shapes_of
from backsweep.analysis.trip_counts import unit
from backsweep.ir.build import Builder
from backsweep.ir.effects import effect, has_effect
from backsweep.ir.nodes import Apply, Block, For, Function, If, Node, Operand, Value, While
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import BOOL, Array
from backsweep.ir.walk import (
    blocks,
    carried_parameters,
    free_values,
    leaving,
    operands,
    rename_operands,
    renewed,
    results,
    rewrite,
    substitute,
    walk,
)
from backsweep.rules.declare import is_elementwise
from backsweep.runtime.broadcasting import aligned


def hoist_broadcasts(function: Function) -> Function:
    """The typed program, with carried arrays aligned before a loop where each iteration then keeps their shapes."""
    names = [node.results for node in walk(function.body) if _may_settle(node)]
    if not names:
        return function
    shapes, aliases = shapes_of(function), find_aliases(function)
    for made in reversed(names):  # inner loops first
        (loop,) = (node for node in walk(function.body) if _may_settle(node) and node.results == made)
        members = _members(loop, shapes)
        if members is None or _writes(loop, {aliases.of(member) for member in members}, aliases):
            continue
        inner, whole = _settled(loop, members)
        changed = _replaced(function, loop, whole)
        after = shapes_of(changed)
        if all(
            after.same(parameter, init) for parameter, init in _carried_arrays(inner) if parameter in members
        ):
            function, shapes = changed, after
    return function


def _may_settle(node: Node) -> TypeGuard[For | While]:
    """Whether the node is a loop without exits that carries arrays, and a test before it can tell whether it runs."""
    match node:
        case For(exit=None, step=step):
            return unit(step) is not None and any(True for _ in _carried_arrays(node))
        case While(exit=None, condition=condition):
            return not any(map(has_effect, condition.nodes)) and any(True for _ in _carried_arrays(node))
        case _:
            return False


def _carried(loop: For | While) -> dict[Operand, Operand]:
    """The parameters that the loop carries, with their initial values."""
    parameters = carried_parameters(loop)
    return dict(zip(parameters, loop.inits, strict=True))


def _carried_arrays(loop: For | While) -> Iterator[tuple[Value, Value]]:
    """The arrays that the loop carries, with their initial values."""
    for parameter, init in _carried(loop).items():
        assert isinstance(parameter, Value)
        if isinstance(init, Value) and isinstance(init.type, Array) and isinstance(parameter.type, Array):
            yield parameter, init


def _members(loop: For | While, shapes: Shapes) -> dict[Value, frozenset[Value]] | None:
    """The arrays, carried and from outside, that the loop broadcasts against one another; None if the pass must not align them.

    Each comes with the arrays that its shape has been broadcast to before (`_reach`). After one iteration, each carried
    array depends on all of them and has their joint shape; other results are only used entry by entry until then.
    """
    lost = [parameter for parameter, init in _carried_arrays(loop) if not shapes.same(parameter, init)]
    if not lost:
        return None
    parts = _connected(loop)
    members = [value for value in parts if parts[value] in {parts.get(each) for each in lost}]
    own = dict(zip(_carried(loop), loop.body.yields, strict=True))
    outside = free_values(loop.body)
    members = [value for value in members if value in own or value in outside]
    ranks = {value.type for value in members}
    if len(members) < 2 or not set(lost) <= set(members) or len(ranks) > 1 or _decides(loop, members):
        return None
    reach = _reach(loop, members, shapes)
    held, everything = _held(loop, reach, shapes), frozenset().union(*reach.values())
    if held is None or any(
        held.get(own[value], frozenset()) < everything for value in members if value in own
    ):
        return None
    return reach


def _writes(loop: For | While, classes: AbstractSet[Value], aliases: Aliases) -> bool:
    """Whether the loop writes to memory of these classes: an array that was broadcast before the loop would not see the writes."""
    for node in walk(loop.body):
        match node:
            case If() | For() | While():
                continue
            case _:
                if any(aliases.of(each) in classes for each in effect(node).writes):
                    return True
    return False


def _decides(loop: For | While, members: Iterable[Value]) -> bool:
    """Whether the condition of the loop depends on one of the arrays."""
    if isinstance(loop, For):
        return False
    read = free_values(dataclasses.replace(loop.condition, parameters=()))
    tested = dict(zip(loop.body.parameters, loop.condition.parameters, strict=True))
    return any(tested.get(member) in read for member in members)


def _connected(loop: For | While) -> dict[Value, int]:
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


def _reach(loop: For | While, members: Iterable[Value], shapes: Shapes) -> dict[Value, frozenset[Value]]:
    """For each member: the members whose shapes its own includes when the loop begins, itself among them.

    A member that is computed entry by entry from other members alone has their joint shape, and is left out.
    """
    carried = _carried(loop)
    begins = {member: carried.get(member, member) for member in members}

    def computed_from(array: Operand) -> list[Operand]:
        made = shapes.definitions.get(array) if isinstance(array, Value) else None
        if not isinstance(made, Apply) or not _is_broadcast(made):
            return []
        return [each for each in made.operands if _is_array(each)]

    def is_derived(array: Operand) -> bool:
        sources = computed_from(array)
        return bool(sources) and all(each in begins.values() or is_derived(each) for each in sources)

    found: dict[Value, frozenset[Value]] = {}
    for member, begin in begins.items():
        seen: set[Operand] = set()
        waiting = [begin]
        while waiting:
            seen.add(waiting[-1])
            waiting += [each for each in computed_from(waiting.pop()) if each not in seen]
        found[member] = frozenset(
            each for each in begins if begins[each] in seen and not is_derived(begins[each])
        )
    return found


def _held(
    loop: For | While, reach: Mapping[Value, frozenset[Value]], shapes: Shapes
) -> Mapping[Operand, frozenset[Value]] | None:
    """For each array of the body: the members that it depends on. None if one depends on some members only, and is not used entry by entry."""
    everything = frozenset().union(*reach.values())
    held: dict[Operand, frozenset[Value]] = dict(reach.items())
    outside = free_values(loop.body)
    for node in loop.body.nodes:
        if isinstance(node, Apply) and (_is_broadcast(node) or node.function is aligned):
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
        for result in filter(_is_array, results(node)):
            alike = (members for array, members in held.items() if shapes.same(array, result))
            held[result] = next(alike, frozenset())
    ends = [end for end in loop.body.yields if held.get(end, everything) < everything]
    carried = {
        end for parameter, end in zip(_carried(loop), loop.body.yields, strict=True) if parameter in reach
    }
    return None if any(end not in carried for end in ends) else held


def _is_broadcast(node: Apply) -> bool:
    """Whether a call with operands in a larger shape gives its result in that shape, and is the same otherwise."""
    if not isinstance(node.result.type, Array):
        return False
    return is_elementwise(node) or (kind(node.function) is Kind.ALIKE and not node.keywords)


def _is_array(operand: Operand) -> TypeGuard[Value]:
    return isinstance(operand, Value) and isinstance(operand.type, Array)


def _settled(loop: For | While, reach: Mapping[Value, frozenset[Value]]) -> tuple[For | While, list[Node]]:
    """The loop with these arrays in their joint shape, and the nodes that replace the original loop."""
    begins = _carried(loop)
    builder = Builder(loc=loop.loc)
    condition = _runs(builder, loop)
    with builder.block() as then:
        joint = _aligned_all(builder, begins, reach)
        body = dataclasses.replace(
            loop.body, nodes=tuple(_with_joint(node, joint, begins) for node in loop.body.nodes)
        )
        inits = tuple(joint.get(parameter, init) for parameter, init in begins.items())
        inner = dataclasses.replace(loop, inits=inits, body=body)
    if condition is True:
        return inner, [*then.nodes, inner]
    inner = dataclasses.replace(inner, results=tuple(map(dataclasses.replace, loop.results)))
    then.nodes.append(inner)
    then.yields = inner.results
    orelse = Block((), (), loop.inits)
    builder.add(If(condition, then.finish(), orelse, loop.results, loop.loc))
    return inner, builder.current.nodes


def _runs(builder: Builder, loop: For | While) -> Operand | Literal[True]:
    """Whether the loop runs at all."""
    if isinstance(loop, While):
        begins: dict[Value, Operand] = dict(zip(loop.condition.parameters, loop.inits, strict=True))
        test = renewed(substitute(dataclasses.replace(loop.condition, parameters=()), begins))
        builder.current.nodes += test.nodes
        return test.yields[0]
    runs = operator.lt if unit(loop.step) == 1 else operator.gt
    start, stop = literal(loop.start), literal(loop.stop)
    if start is not None and stop is not None and runs(start, stop):
        return True
    return builder.apply(runs, loop.start, loop.stop, type=BOOL)


def _aligned_all(
    builder: Builder, begins: Mapping[Operand, Operand], reach: Mapping[Value, frozenset[Value]]
) -> dict[Operand, Operand]:
    """The arrays broadcast against one another, by the member that each stands for."""
    first = max(reach, key=lambda member: len(reach[member]))
    whole, others = begins.get(first, first), [member for member in reach if member is not first]
    for member in others:
        if not reach[member] <= reach[first]:
            whole = _aligned(builder, whole, begins.get(member, member))
    found: dict[Operand, Operand] = {first: whole}
    for member in others:
        found[member] = _aligned(builder, begins.get(member, member), whole)
    return found


def _aligned(builder: Builder, array: Operand, like: Operand) -> Value:
    assert isinstance(array, Value)
    return builder.apply(aligned, array, like, name=array.name, type=array.type)


def _with_joint(node: Node, joint: Mapping[Operand, Operand], carried: Mapping[Operand, Operand]) -> Node:
    """The node with arrays from outside in their joint shape, if it computes entry by entry."""
    if not isinstance(node, Apply) or not _is_broadcast(node):
        return node
    return rename_operands(node, lambda each: each if each in carried else joint.get(each, each))


def _replaced(function: Function, loop: For | While, instead: list[Node]) -> Function:
    """The program with other nodes where the loop stood."""
    return rewrite(function, lambda node: instead if node is loop else [node])
