"""Split a reversed loop that adds to neighbouring elements of one array: the machine vectorises one loop for each.

The adjoint of a stencil adds to `x_bar[i - 1]`, `x_bar[i]` and `x_bar[i + 1]`, which iterations share. What is added
is computed again in each of the loops, so it has to be inexpensive.
"""

from __future__ import annotations

import dataclasses
import operator
from itertools import zip_longest

from backsweep.analysis.order.iterations import IterationOrder, order_of, reads_memory, spelled
from backsweep.analysis.trip_counts import unit
from backsweep.ir.nodes import Apply, Comment, Const, For, Function, Load, Node, Operand, Store, Value
from backsweep.ir.operations import Kind, kind
from backsweep.ir.sweeps import rebuild_reverse_sweep
from backsweep.ir.typed import is_element
from backsweep.ir.types import Array
from backsweep.ir.walk import changed, index_operands, rewrite_node, with_nodes
from backsweep.optimise.loops.inner_loops import Innermost, is_index, is_innermost

MOST_EXPENSIVE = 6
"""The most loads and operations that one place may take to be computed again."""


def split_neighbouring_stores(function: Function) -> Function:
    """The program, in whose reverse sweep innermost loops that add to neighbouring elements are split, if possible."""
    order = order_of(function)

    def split(node: Node) -> list[Node]:
        if not isinstance(node, For) or node.results or node.exit is not None or unit(node.step) is None:
            return [node]
        return _Loop(node, order).parts() if is_innermost(node) else [node]

    return rebuild_reverse_sweep(function, lambda node: rewrite_node(node, split))


class _Loop(Innermost):
    """One innermost loop that carries nothing."""

    def __init__(self, loop: For, order: IterationOrder) -> None:
        super().__init__(loop)
        self.order = order
        self.aliases = order.within(loop)

    def parts(self) -> list[Node]:
        """The loops it is split into, the last with all that stays together."""
        places: dict[Value, dict[tuple[object, ...], list[Store]]] = {}
        for node in self.loop.body.nodes:
            if isinstance(node, Store) and self.can_run_before(node):
                place = (node.buffer, *map(self.spelled, node.index))
                places.setdefault(self.aliases.of(node.buffer), {}).setdefault(place, []).append(node)
        # Each round takes one place of each array; an array's last place stays with the rest.
        queues = [list(found.values())[:-1] for found in places.values()]
        rounds = [[store for stores in each for store in stores or ()] for each in zip_longest(*queues)]
        gone: set[Node] = {store for stores in rounds for store in stores}
        body = self.loop.body
        headings = {node for node in body.nodes if isinstance(node, Comment)}
        if rounds and len(headings) == 1:  # the first loop has the comment
            gone |= headings
        rest = [node for node in body.nodes if node not in gone]
        last = changed(self.loop, body=with_nodes(body, rest))
        return [*(self.loop_of(stores, with_heading=not k) for k, stores in enumerate(rounds)), last]

    def loop_of(self, stores: list[Store], *, with_heading: bool) -> For:
        """A loop of these stores alone and what they need."""
        needed = self.needed(stores)
        nodes = self.loop.body.nodes
        own = (node for node in nodes if node in needed or (with_heading and isinstance(node, Comment)))
        return dataclasses.replace(self.loop, body=self.part(own))

    # What may be split off ---------------------------------------------------------------------

    def can_run_before(self, store: Store) -> bool:
        """Whether the store can run, for all iterations, before everything else."""
        if not store.accumulate or not is_element(store) or not self.is_along(store, self.is_neighbouring):
            return False
        leader = self.aliases.of(store.buffer)
        for node in self.loop.body.nodes:
            if isinstance(node, Store) and not node.accumulate and self.aliases.of(node.buffer) is leader:
                return False
            if reads_memory(node, leader, self.aliases):
                return False
        made_of = [node for node in self.needed([store]) - {store} if not is_index(node)]
        return len(made_of) <= MOST_EXPENSIVE and all(map(self.is_repeatable, made_of))

    def is_repeatable(self, node: Node) -> bool:
        """Whether the node computes the same values in a separate loop before this one."""
        if isinstance(node, Apply):
            return kind(node.function) is Kind.ARITHMETIC and not isinstance(node.result.type, Array)
        assert isinstance(node, Load)
        if not isinstance(node.buffer, Value) or not (
            self.is_along(node, self.is_neighbouring)
            or all(map(self.is_fixed, (node.buffer, *index_operands(node.index))))
        ):
            return False
        return self.order.reads_as_before((self.loop,), self.loop.body.nodes, node, self.stores)

    def spelled(self, item: object) -> object:
        """A key that tells one index item from another, by the arithmetic that computes it."""
        node = self.definitions.get(item) if isinstance(item, Value) else None
        return (
            (node.function, *map(self.spelled, node.operands)) if isinstance(node, Apply) else spelled(item)
        )

    def is_neighbouring(self, item: Operand) -> bool:
        """Whether an index is the loop's, plus or minus a literal."""
        node = self.definitions.get(item)
        if not isinstance(node, Apply) or node.function not in (operator.add, operator.sub):
            return False
        left, right = node.operands
        return left is self.index and isinstance(right, Const)
