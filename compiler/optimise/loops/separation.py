"""Split loops of the forward sweep whose expensive numbers wait for one another, or for what iterations hand on: one loop for each record.

A call that takes the result of another call has to wait for it, and in a recurrence so does all that an iteration computes. In separate loops, the
calls of different iterations overlap, and several are computed at once. The values passed from one loop to the next are on a tape anyway; inexpensive ones are computed again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np

from backsweep.analysis.integers.affine import literal
from backsweep.analysis.order.iterations import order_of, reads_memory, sums_in
from backsweep.analysis.trip_counts import is_short
from backsweep.ir.nodes import Apply, Block, Comment, Const, For, Function, Load, Node, Operand, Store, Value
from backsweep.ir.operations import NUMBERS, Kind, kind, operation
from backsweep.ir.sweeps import rebuild_forward_sweep
from backsweep.ir.typed import is_element
from backsweep.ir.types import INT, Array, Scalar
from backsweep.ir.walk import (
    index_operands,
    operands,
    renewed,
    rewrite_node,
    walk,
)
from backsweep.optimise.loops.inner_loops import FLOAT, Innermost, is_innermost, kind_of


def separate_calls(function: Function) -> Function:
    """The program, in whose forward sweep no innermost loop computes an expensive number from another one of the same iteration."""
    within = _Within(function)

    def separated(node: Node) -> Sequence[Node]:
        return _Loop(node, within).parts() if isinstance(node, For) and is_innermost(node) else [node]

    return rebuild_forward_sweep(function, lambda node: rewrite_node(node, separated))


class _Within:
    """The function around the loops: the order of its accesses, and the arrays that it makes."""

    def __init__(self, function: Function) -> None:
        self.order = order_of(function)
        every = walk(function.body)
        self.made = {node.result for node in every if isinstance(node, Apply) and node.function is np.empty}


class _Loop(Innermost):
    """An innermost loop: `records` are its records of expensive numbers, in the order in which these are computed."""

    def __init__(self, loop: For, within: _Within) -> None:
        super().__init__(loop)
        self.order = within.order
        self.made = within.made
        self.records: dict[Value, Store] = {}

    def parts(self) -> list[For]:
        """The loops that replace it; the loop itself, if no expensive number is computed from a recorded one."""
        loop = self.loop
        if loop.exit is not None or literal(loop.step) is None or is_short(loop):
            return [loop]
        self.find_records()
        if not self.records or not (self.waits() or self.is_serial()):
            return [loop]
        own = [self.loop_of(store) for store in self.records.values()]
        return [*own, self.rest()] if self.remaining or loop.results else own

    # What may be computed apart ----------------------------------------------------------------

    def find_records(self) -> None:
        """Collect all records of expensive numbers, then drop records until every one left is `can_run_before`."""
        found = {store.value: store for store in self.stores if self.is_record(store)}
        for value, node in self.definitions.items():
            if value in found and any(kind_of(each) is Kind.ELEMENTARY for each in self.computed([node])):
                self.records[node.result] = found[value]
        while lost := [value for value in self.records if not self.can_run_before(value)]:
            for value in lost:
                del self.records[value]

    def is_record(self, store: Store) -> bool:
        """Whether the store puts a number of each iteration into an element of its own, which nothing here reads."""
        buffer, aliases = store.buffer, self.order.aliases
        leader = aliases.of(buffer)
        return (
            not store.accumulate
            and is_element(store)
            and buffer in self.made
            and store.value in self.definitions
            and isinstance(store.value, Value)
            and store.value.type == FLOAT
            and buffer.type == Array("float64", len(store.index))
            and sum(aliases.of(each.buffer) is leader for each in self.stores) == 1
            and not any(reads_memory(node, leader, aliases) for node in self.loop.body.nodes)
            and all(isinstance(node, Apply) for node in self.indexing(store))
            and self.order.writes_once(self.loop, store)
        )

    def can_run_before(self, value: Value) -> bool:
        """Whether the number can be computed for all iterations before the other loops, and in one of them alone."""
        nodes = self.computed([self.definitions[value]])
        if not all(map(self.is_as_before, nodes)):
            return False
        expensive = {node for node in nodes if isinstance(node, Apply) and not is_repeatable(node)}
        others = [self.computed([self.definitions[other]]) for other in self.records if other is not value]
        return all(
            expensive.isdisjoint(other)
            for other in (*others, self.computed(self.remaining, self.loop.body.yields))
        )

    def waits(self) -> bool:
        """Whether an expensive number is computed from a number with a loop of its own."""
        expensive = [node for node in self.definitions.values() if kind_of(node) is Kind.ELEMENTARY]
        return any(
            operand in self.records
            for each in expensive
            for node in self.computed([each])
            for operand in operands(node)
        )

    def is_serial(self) -> bool:
        """Whether an iteration computes from what the one before it computed, but for sums: then the machine takes them one by one."""
        sums = sums_in(self.loop)
        return any(value.type == FLOAT and k not in sums for k, value in enumerate(self.loop.results))

    def is_as_before(self, node: Node) -> bool:
        """Whether the node computes the same values in a separate loop before this one."""
        carried = self.loop.body.parameters[1:]
        if any(operand in carried for operand in operands(node)):
            return False
        if isinstance(node, Apply):
            scalars = all(isinstance(each, Const) or isinstance(each.type, Scalar) for each in node.operands)
            known = operation(node.function)
            return known.is_pure and known.kind in NUMBERS and scalars and not node.keywords
        assert isinstance(node, Load)
        if not isinstance(node.buffer, Value) or any(isinstance(each, Load) for each in self.indexing(node)):
            return False
        return self.order.reads_as_before((self.loop,), self.loop.body.nodes, node, self.remaining)

    # The loops ---------------------------------------------------------------------------------

    @property
    def remaining(self) -> list[Store]:
        """The stores that stay in the last loop; the sums that the loop carries do so, too."""
        kept = self.records.values()
        return [store for store in self.stores if store not in kept]

    def computed(self, sinks: Iterable[Node], more: Iterable[Operand] = ()) -> set[Node]:
        """These nodes, and all nodes that compute what they and `more` read, back to recorded numbers, which are on tapes."""
        return self.needed(sinks, more, self.records.__contains__)

    def indexing(self, access: Load | Store) -> list[Node]:
        """The nodes that compute the index, in order."""
        nodes = self.computed((), index_operands(access.index))
        return sorted(nodes, key=self.place.__getitem__)

    def loop_of(self, store: Store) -> For:
        """The loop that makes one record."""
        nodes = {self.definitions[store.value], *self.computed([self.definitions[store.value], store])}
        body = self.body(nodes, (self.index,), ())
        return dataclasses.replace(self.loop, inits=(), body=body, results=())

    def rest(self) -> For:
        """The last loop, with the remaining stores and the carried sums."""
        body = self.loop.body
        comments = [node for node in body.nodes if isinstance(node, Comment)]
        nodes = self.computed([*self.remaining, *comments], body.yields)
        return dataclasses.replace(self.loop, body=self.body(nodes, body.parameters, body.yields))

    def body(self, nodes: set[Node], parameters: tuple[Value, ...], yields: tuple[Operand, ...]) -> Block:
        """The body of a loop of these nodes, which reads their other operands from the tapes."""
        read = {*yields, *(operand for node in nodes for operand in operands(node))}
        made: dict[Node, None] = {}
        for node in self.loop.body.nodes:
            if node in nodes:
                made[node] = None
            elif isinstance(node, Apply | Load) and node.result in read:
                store = self.records[node.result]
                made |= dict.fromkeys(self.indexing(store))
                made[Load(node.result, store.buffer, store.index, node.loc)] = None
        return renewed(Block(parameters, tuple(made), yields))


def is_repeatable(node: Apply) -> bool:
    """Whether the node computes an index, or costs next to nothing."""
    return kind(node.function) is Kind.ARITHMETIC or node.result.type == INT
