"""Order what a loop adds to neighbouring elements of one array: first to the element that the loop reaches last.

A loop that runs upwards and adds to `x_bar[i]` and then to `x_bar[i + 1]` reads, in its next iteration, the element that
it wrote last: each iteration waits for the memory of the one before. In the other order the machine keeps that element
in a register, and the loop takes a quarter of the time. The elements differ, so that the results stay the same to the
last bit.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

from backsweep.analysis.alias import Aliases
from backsweep.analysis.order.iterations import IterationOrder, order_of, reads_memory
from backsweep.analysis.trip_counts import unit
from backsweep.ir.nodes import Apply, Comment, Const, For, Function, Load, Node, Operand, Store, Value, While
from backsweep.ir.operations import Kind, kind
from backsweep.ir.sweeps import rebuild_reverse_sweep
from backsweep.ir.typed import is_element
from backsweep.ir.types import Scalar
from backsweep.ir.walk import changed, definitions_of, rewrite_node, walk, with_nodes


def order_updates(function: Function) -> Function:
    """The program, in whose reverse sweep innermost loops that run upwards add to the foremost of neighbouring elements first."""
    order, definitions = order_of(function), definitions_of(function)

    def ordered(node: Node) -> list[Node]:
        if not isinstance(node, For) or unit(node.step) != 1 or _holds_loops(node):
            return [node]
        offsets = _Offsets(
            node, {value: made for value, made in definitions.items() if isinstance(made, Apply)}
        )
        nodes = _ordered(node, offsets, order)
        return [changed(node, body=with_nodes(node.body, nodes))]

    return rebuild_reverse_sweep(function, lambda node: rewrite_node(node, ordered))


def _holds_loops(loop: For) -> bool:
    return any(isinstance(node, For | While) for node in walk(loop.body))


class _Offsets:
    """How far from the loop's index the elements lie that its stores add to."""

    def __init__(self, loop: For, definitions: dict[Operand, Apply]) -> None:
        self.index = loop.body.parameters[0]
        self.definitions = definitions

    def of(self, store: Store) -> tuple[Value, tuple[object, ...], int] | None:
        """The array, the items of the index with the loop's index itself, and the offset; None if that does not occur once."""
        offsets = [self.from_index(item) for item in store.index]  # type: ignore[arg-type]  # of an element
        known = [offset for offset in offsets if offset is not None]
        if len(known) != 1:
            return None
        pairs = zip(store.index, offsets, strict=True)
        return store.buffer, tuple(item if offset is None else self.index for item, offset in pairs), known[0]

    def from_index(self, item: Operand) -> int | None:
        """The literal that is added to the loop's index."""
        if item is self.index:
            return 0
        node = self.definitions.get(item)
        match node:
            case Apply(
                function=operator.add | operator.sub as sign, operands=(left, Const(value=int(number)))
            ):
                return None if left is not self.index else number if sign is operator.add else -number
            case _:
                return None


@dataclass
class _Run:
    """Stores to neighbouring elements, with what stands between them and lets them pass."""

    array: Value
    shared: tuple[object, ...]
    nodes: list[Node]
    """All of them, in program order, with the comments that head the stores."""
    stores: list[tuple[int, list[Node]]]
    """Each store behind its comments, with its offset."""

    def ordered(self) -> list[Node]:
        """The nodes, with the stores at the end, the foremost first; as they were if the stores are in order."""
        by_offset = sorted(self.stores, key=lambda each: -each[0])
        if by_offset == self.stores:
            return self.nodes
        last = [node for _, nodes in by_offset for node in nodes]
        moved = set(last)
        return [*(node for node in self.nodes if node not in moved), *last]


def _ordered(loop: For, offsets: _Offsets, order: IterationOrder) -> Sequence[Node]:
    """The nodes of the loop's body, each run of neighbouring stores in order."""
    aliases = order.within(loop)
    found: list[Node] = []
    comments: list[Node] = []
    run: _Run | None = None
    for node in loop.body.nodes:
        if isinstance(node, Comment):
            comments.append(node)
            continue
        place = offsets.of(node) if isinstance(node, Store) and node.accumulate and is_element(node) else None
        if run is not None and place is not None and (run.array, run.shared) == place[:2]:
            run.nodes += [*comments, node]
            run.stores.append((place[2], [*comments, node]))
        elif run is not None and not comments and _lets_pass(node, aliases.of(run.array), aliases):
            run.nodes.append(node)
        else:
            found += [] if run is None else run.ordered()
            headed = [*comments, node]
            run = None if place is None else _Run(place[0], place[1], [*headed], [(place[2], headed)])
            found += headed if run is None else []
        comments = []
    return [*found, *([] if run is None else run.ordered()), *comments]


def _lets_pass(node: Node, leader: Value, aliases: Aliases) -> bool:
    """Whether the stores to this memory may come after the node: arithmetic of numbers, or what is read of other memory."""
    if isinstance(node, Apply):
        return kind(node.function) is Kind.ARITHMETIC and isinstance(node.result.type, Scalar)
    return isinstance(node, Load) and not reads_memory(node, leader, aliases)
