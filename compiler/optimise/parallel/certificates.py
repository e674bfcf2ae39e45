"""Show that the iterations of a loop may run side by side: the certificate that there is no race, or the reason why there is none.

The user's `prange` only asks. What decides is the loop as it will run, with all that differentiation has added: each value
that it carries is a sum, and each array that it writes is made by the iteration itself, or touched by one iteration at an
element that no other touches, or only added to. Of what is added to, each core gets a copy of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from backsweep.analysis.alias import Aliases
from backsweep.analysis.order.iterations import IterationOrder, order_of, own_index_alone, reads_memory
from backsweep.ir.effects import has_effect, written_by
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Callee,
    For,
    Function,
    Grow,
    If,
    Node,
    Role,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.operations import Need, is_random, operation
from backsweep.ir.sweeps import start_of_reverse_sweep
from backsweep.ir.types import Array, List, Other, Scalar, Tuple, Type
from backsweep.ir.walk import blocks, free_values, leaving, operands, walk


@dataclass(frozen=True, slots=True)
class Certificate:
    """How a loop's iterations stay apart.

    Each core gets its own copies of the arrays that are `added` to, and its own `records`. Iterations that are `reach` or more apart touch
    no element in common of other arrays; where it is above 1, neighbouring blocks take turns. `near` are the arrays with which they do, and
    `takes_turns` says that iterations do more than add to these.
    """

    added: tuple[Value, ...] = ()
    records: tuple[Apply, ...] = ()
    reach: int = 1
    near: tuple[Value, ...] = ()
    takes_turns: bool = False


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a loop runs on one core, in words."""

    reason: str


@dataclass(frozen=True, slots=True)
class OfGpu:
    """What became of a loop that is asked to run on a GPU: a kernel, or a loop of the host; how, or why, in words."""

    loop: For
    is_reverse: bool
    is_kernel: bool
    reason: str


def certificate(function: Function, loop: For) -> Certificate | Obstacle:
    """The certificate for a loop of the program, or what is in its way."""
    if loop.exit is not None:
        return Obstacle("an iteration may end the loop")
    order = order_of(function)
    if not order.carries_sums(loop) or not all(_is_number(value.type) for value in loop.results):
        names = ", ".join(f"`{value.name}`" for value in loop.body.parameters[1:] if value.name)
        return Obstacle(f"an iteration needs what the one before it left in {names or 'a variable'}")
    free = list(free_values(loop.body))
    for value in free:
        if not _may_be_shared(value.type):
            return Obstacle(f"it reads `{value.name}`, which is no number or array")
    return _of_memory(order, loop, free)


def certificates(function: Function) -> Iterator[tuple[For, bool, Certificate | Obstacle]]:
    """The marked loops that are in no other marked loop, each with whether it is of the reverse sweep, and what is found of it.

    Of a loop with an obstacle, the marked loops in it follow.
    """
    start = start_of_reverse_sweep(function.body.nodes)

    def within(block: Block, *, is_reverse: bool) -> Iterator[tuple[For, bool, Certificate | Obstacle]]:
        for node in block.nodes:
            found: Certificate | Obstacle | None = None
            if isinstance(node, For) and node.parallel:
                found = certificate(function, node)
                yield node, is_reverse, found
            if not isinstance(found, Certificate):
                for inner in blocks(node):
                    yield from within(inner, is_reverse=is_reverse)

    forward, reverse = function.body.nodes[:start], function.body.nodes[start:]
    yield from within(Block((), forward, ()), is_reverse=False)
    yield from within(Block((), reverse, ()), is_reverse=True)


def _of_memory(order: IterationOrder, loop: For, free: list[Value]) -> Certificate | Obstacle:
    """The certificate for what the loop writes to memory."""
    inside, aliases = list(walk(loop.body)), order.within(loop)
    made = {node.result for node in inside if isinstance(node, Apply | View)}
    written: dict[Value, list[Node]] = {}
    for node in inside:
        if isinstance(node, Append | Grow):
            return Obstacle(f"`{node.buffer.name}` grows by as much as the run decides")
        if isinstance(node, Apply) and _keeps_order(node):
            name = getattr(node.function, "__name__", "a function")
            return Obstacle(f"it calls `{name}`, whose calls keep their order")
        if isinstance(node, If | For | While):
            continue
        for array in written_by(node):
            written.setdefault(aliases.of(array), []).append(node)
    added: list[Value] = []
    records: list[Apply] = []
    near_arrays: list[Value] = []
    reach, takes_turns = 1, False
    for leader, nodes in written.items():
        record = _record(order, leader, inside)
        if record is not None:
            records.append(record)
            continue
        if _is_own(leader, nodes, made, aliases) or _is_apart(order, loop, leader, nodes, inside, aliases):
            continue
        only_added = _is_only_added(leader, nodes, inside, aliases)
        arrays = [value for value in free if aliases.of(value) is leader]
        near = _reach(order, loop, leader, nodes, inside, aliases, only_added=only_added)
        if near is not None:
            reach, takes_turns = max(reach, near), takes_turns or not only_added
            near_arrays += arrays
            continue
        if not only_added or not all(isinstance(value.type, Array) for value in arrays):
            name = next((value.name for value in arrays if value.name), leader.name)
            return Obstacle(f"iterations may touch the same elements of `{name}`")
        added += arrays
    return Certificate(tuple(added), tuple(records), reach, tuple(near_arrays), takes_turns)


def _reach(
    order: IterationOrder,
    loop: For,
    leader: Value,
    nodes: Sequence[Node],
    inside: list[Node],
    aliases: Aliases,
    *,
    only_added: bool,
) -> int | None:
    """How far apart iterations have to be to touch no element of the memory in common; None if no distance is known to do.

    It is that of neighbours, as in a stencil, all of which add to the memory; what is read or stored there otherwise is apart.
    """
    if not only_added and (
        leader in order.argument_memory or not order.touches_distinct_elements(loop, inside, leader, aliases)
    ):
        return None
    known: list[dict[tuple[Value, int], int]] = []
    for node in nodes:
        if not isinstance(node, Store):
            return None
        if node.accumulate:
            known.append(order.subscripts.offsets(loop, node))
    axes = set(known[0]).intersection(*known) if known else set()
    reaches = [1 + max(each[axis] for each in known) - min(each[axis] for each in known) for axis in axes]
    return min(reaches, default=None)


def _record(order: IterationOrder, leader: Value, inside: Collection[Node]) -> Apply | None:
    """The node that makes the memory, if it is a record that no node outside the loop touches or hands on, nor another loop's.

    Then both sweeps of an iteration are in the loop, and an iteration reads no record but what it wrote itself.
    """
    aliases, found = order.aliases, None
    if leader.role is not Role.RECORD or aliases.is_merged(leader):
        return None
    for node in walk(order.function.body):
        if isinstance(node, Apply) and node.result is leader:
            found = node if node.function in (np.empty, np.empty_like) and node not in inside else None
        elif node not in inside and any(
            isinstance(each, Value) and aliases.same(each, leader)
            for each in (*operands(node), *leaving(node))
        ):
            return None
    handed = order.function.body.yields
    return None if any(isinstance(each, Value) and aliases.same(each, leader) for each in handed) else found


def _keeps_order(node: Apply) -> bool:
    """Whether calls keep their order for another reason than the memory of operands: they draw numbers, print, or nobody knows."""
    facts = operation(node.function)
    writes = facts.writes or facts.in_place
    return has_effect(node) and (
        is_random(node.function) or facts.need is Need.UNKNOWN or (facts.need is Need.ASKED and not writes)
    )


def _is_only_added(leader: Value, nodes: Sequence[Node], inside: list[Node], aliases: Aliases) -> bool:
    """Whether the nodes that write the memory only add to it, and no other reads it."""
    return all(
        _only_adds(node, leader, aliases) if node in nodes else not reads_memory(node, leader, aliases)
        for node in inside
    )


def _only_adds(node: Node, leader: Value, aliases: Aliases) -> bool:
    """Whether a node that writes the memory only adds to it: a sum, or a call of an adjoint for an array that its primal reads."""
    if isinstance(node, Store):
        is_read = isinstance(node.value, Value) and aliases.of(node.value) is leader
        return node.accumulate and not is_read
    if not isinstance(node, Apply) or not isinstance(node.function, Callee):
        return False
    shadows = _shadows_of_what_is_read(node.function)
    return all(
        number in shadows
        for number, each in enumerate(node.operands)
        if isinstance(each, Value) and aliases.of(each) is leader
    )


def _shadows_of_what_is_read(adjoint: Callee) -> set[int]:
    """The positions of an adjoint's shadows of arrays that its primal does not change: it only adds to these."""
    if adjoint.origin is None or adjoint not in adjoint.origin[0].adjoints.values():
        return set()
    primal, wrt = adjoint.origin
    arrays = [k for k in wrt if isinstance(primal.parameters[k], Array)]
    first = len(primal.parameters)
    return {first + number for number, k in enumerate(arrays) if k not in primal.changed}


def _is_own(leader: Value, nodes: Iterable[Node], made: set[Value], aliases: Aliases) -> bool:
    """Whether the memory is made by the iteration that writes it."""
    roots = [aliases.root(array) for node in nodes for array in written_by(node)]
    return all(root in made for root in roots) and not aliases.is_merged(leader)


def _is_apart(
    order: IterationOrder,
    loop: For,
    leader: Value,
    nodes: Iterable[Node],
    inside: list[Node],
    aliases: Aliases,
) -> bool:
    """Whether no two iterations touch one element of the memory."""
    if not all(isinstance(node, Store) for node in nodes):
        return False
    if own_index_alone(loop, leader, aliases) and order.subscripts.places.is_from_front(loop):
        return True
    if leader in order.argument_memory:
        return False
    return order.touches_distinct_elements(loop, inside, leader, aliases, adding_too=True)


def _is_number(type_: Type | None) -> bool:
    return isinstance(type_, Scalar) and type_.dtype != "bool"


def _may_be_shared(type_: Type | None) -> bool:
    """Whether cores may read a value side by side: it is a number or an array, or a tuple of these."""
    if isinstance(type_, Tuple):
        return all(map(_may_be_shared, type_.items))
    return not isinstance(type_, List | Other)
