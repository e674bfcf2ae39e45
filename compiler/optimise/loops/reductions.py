"""Privatise reductions: a loop of the reverse sweep that adds to one element sums in a scalar, and adds the sum once.

LLVM cannot do this itself, because it cannot exclude that the loop writes the element through another array.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Set as AbstractSet

from backsweep.analysis.integers.affine import at_least, infeasible, literal
from backsweep.analysis.integers.domains import Places
from backsweep.analysis.order.iterations import MOST_PAIRS, order_of, reads_memory, spelled
from backsweep.analysis.trip_counts import arithmetic, is_short
from backsweep.ir.build import Builder
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Const,
    For,
    Function,
    Grow,
    If,
    Node,
    Store,
    Value,
    While,
)
from backsweep.ir.operations import Kind, kind
from backsweep.ir.sweeps import rebuild_reverse_sweep
from backsweep.ir.typed import is_element
from backsweep.ir.types import INT, Array, Scalar
from backsweep.ir.walk import blocks, index_operands, map_blocks, operands, results, walk, with_nodes


def privatise_reductions(function: Function) -> Function:
    """The program, in whose reverse sweep a loop adds a sum to an element once, instead of a term in each iteration."""
    return rebuild_reverse_sweep(function, _Sums(function).node)


class _Sums:
    """Rebuilds blocks, inner loops first: what an inner loop adds once may be summed by the outer one, too."""

    def __init__(self, function: Function) -> None:
        self.order = order_of(function)
        self.aliases = self.order.aliases

    @property
    def places(self) -> Places:
        """What is known of the integers of the program."""
        return self.order.subscripts.places

    def node(self, node: Node) -> list[Node]:
        changed = map_blocks(node, self.block)
        if not isinstance(changed, For) or changed.exit is not None or is_short(changed):
            return [changed]
        if literal(changed.step) not in (1, -1):
            return [changed]
        assert isinstance(node, For)
        return self.loop(changed, node)

    def block(self, block: Block) -> Block:
        return with_nodes(block, [each for node in block.nodes for each in self.node(node)])

    def loop(self, loop: For, original: For) -> list[Node]:
        """The loop with a number for each element that it adds to, and the additions after it."""
        elements: dict[tuple[object, ...], list[Store]] = {}
        moved = _fixed_indices(loop)
        for store in self.candidates(loop, original, {node.result for node in moved}):
            elements.setdefault((store.buffer, *map(spelled, store.index)), []).append(store)
        if not elements:
            return [loop]
        nodes: list[Node] = [node for node in loop.body.nodes if node not in moved]
        parameters, yields, ends = [], [], []
        additions: list[Node] = []
        for stores in elements.values():
            parameter, *sums = (
                Value(_name(stores[0]), _entry(stores[0]), loop.loc) for _ in range(len(stores) + 2)
            )
            before: Value = parameter
            for store, after in zip(stores, sums, strict=False):
                nodes[nodes.index(store)] = Apply(after, operator.add, (before, store.value), store.loc)
                before = after
            parameters.append(parameter)
            yields.append(before)
            ends.append(sums[-1])
            additions.append(dataclasses.replace(stores[-1], value=sums[-1]))
        body = Block((*loop.body.parameters, *parameters), tuple(nodes), (*loop.body.yields, *yields))
        inits = (*loop.inits, *(Const(0.0) for _ in ends))
        whole = dataclasses.replace(loop, inits=inits, body=body, results=(*loop.results, *ends))
        return [*moved, whole, *where_it_ran(original, additions, self.places)]

    def candidates(self, loop: For, original: For, fixed: AbstractSet[Value]) -> list[Store]:
        """The additions of each iteration to one element that the loop does nothing else with.

        `fixed` are the indices that the loop computes anew in each iteration.
        """
        inside = list(walk(loop.body))
        own = {*loop.body.parameters, *(result for node in inside for result in results(node))} - fixed
        own |= {parameter for node in inside for block in blocks(node) for parameter in block.parameters}
        found = [
            node
            for node in loop.body.nodes
            if isinstance(node, Store)
            and node.accumulate
            and is_element(node)
            and _entry(node).dtype == "float64"
            and own.isdisjoint((node.buffer, *index_operands(node.index)))
        ]
        if any(
            isinstance(node, Append | Grow | While) or (isinstance(node, Apply) and has_effect(node))
            for node in inside
        ):
            return []
        return [store for store in found if not self.is_used(store, original, inside)]

    def is_used(self, store: Store, loop: For, inside: list[Node]) -> bool:
        """Whether a node in the loop may read the element that `store` adds to, or set it."""
        leader = self.aliases.of(store.buffer)
        others = [
            node
            for node in inside
            if (isinstance(node, Store) and not node.accumulate and self.aliases.of(node.buffer) is leader)
            or reads_memory(node, leader, self.aliases)
        ]
        if others and any(blocks(node) for node in inside):
            return True  # it saves little in an outer loop
        return len(others) > MOST_PAIRS or any(self.order.may_meet(loop, store, node) for node in others)


def where_it_ran(loop: For, nodes: list[Node], places: Places) -> list[Node]:
    """Let nodes next to a loop run only if the loop has an iteration: otherwise their elements need not exist."""
    start, stop = places.affine(loop.start), places.affine(loop.stop)
    runs_up = literal(loop.step) == 1
    first, last = (start, stop) if runs_up else (stop, start)
    empty = [*places.context(loop), at_least(first, last)]
    if infeasible(places.with_facts(empty)):
        return nodes
    builder = Builder(loc=loop.loc)
    if runs_up:
        ran = builder.apply(operator.lt, loop.start, loop.stop, type=Scalar("bool"))
    else:  # range(n - 1, -1, -1) runs if n > 0
        bounds = (arithmetic(builder, operator.add, each, Const(1)) for each in (loop.start, loop.stop))
        ran = builder.apply(operator.gt, *bounds, type=Scalar("bool"))
    builder.add(If(ran, Block((), tuple(nodes), ()), Block((), (), ()), (), loop.loc))
    return builder.current.nodes


def _fixed_indices(loop: For) -> list[Apply]:
    """The nodes of the body that compute indices which are the same in every iteration."""
    found: list[Apply] = []
    varying = {*loop.body.parameters, *(result for node in walk(loop.body) for result in results(node))}
    for node in loop.body.nodes:
        if isinstance(node, Apply) and node.result.type == INT and kind(node.function) is Kind.ARITHMETIC:
            if varying.isdisjoint(operands(node)):
                varying.remove(node.result)
                found.append(node)
    return found


def _entry(store: Store) -> Scalar:
    """The type of what is stored."""
    assert isinstance(store.buffer.type, Array)
    return Scalar(store.buffer.type.dtype)


def _name(store: Store) -> str:
    """`x_bar_i` for what is added to `x_bar[i]`."""
    words = [
        item.name if isinstance(item, Value) else str(literal(item)) for item in index_operands(store.index)
    ]
    name = "_".join([store.buffer.name, *words])
    return name if name.isidentifier() and all(words) else store.buffer.name
