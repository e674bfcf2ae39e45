"""Loops of the forward sweep that record expensive numbers and compute others from them become several, one for each record.

Where one call takes what another returns, the machine waits; calls of different iterations are under way at once if
nothing between them has to wait. What one loop hands to the next is on a tape anyway; what is cheap each computes again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from backsweep.analysis.alias import find_aliases, given_memory
from backsweep.analysis.integers.affine import literal
from backsweep.analysis.integers.dependence import Subscripts
from backsweep.analysis.trip_counts import is_short
from backsweep.ir.nodes import Apply, Block, Comment, Const, For, Function, Load, Node, Operand, Store, Value
from backsweep.ir.operations import NUMBERS, Kind, kind, operation
from backsweep.ir.sweeps import rebuild_forward_sweep
from backsweep.ir.typed import is_element
from backsweep.ir.types import INT, Array, Scalar
from backsweep.ir.walk import index_operands, map_blocks, operands, rename_operands, walk
from backsweep.optimise.loops.inner_loops import FLOAT, is_innermost
from backsweep.optimise.loops.reversal import reads_memory


def separate_calls(function: Function) -> Function:
    """The same program, in whose forward sweep no innermost loop waits for an expensive number to compute another of it."""
    return rebuild_forward_sweep(function, _Separation(function).node)


class _Separation:
    """Rebuilds blocks; answers what is asked of memory."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.aliases = find_aliases(function)
        every = list(walk(function.body))
        self.made = {node.result for node in every if isinstance(node, Apply) and node.function is np.empty}
        self.given = given_memory(function, self.aliases)

    @cached_property
    def subscripts(self) -> Subscripts:
        return Subscripts(self.function)

    def node(self, node: Node) -> list[Node]:
        """The node, or the loops that it becomes, with the loops in it separated."""
        if isinstance(node, For) and is_innermost(node):
            return list(_Loop(node, self).parts())
        return [map_blocks(node, self.block)]

    def block(self, block: Block) -> Block:
        nodes = tuple(each for node in block.nodes for each in self.node(node))
        return Block(block.parameters, nodes, block.yields)


class _Loop:
    """An innermost loop: `records` are its records of expensive numbers, in the order in which these are computed."""

    def __init__(self, loop: For, around: _Separation) -> None:
        self.loop = loop
        self.around = around
        self.index = loop.body.parameters[0]
        self.place = {node: number for number, node in enumerate(loop.body.nodes)}
        self.definitions: dict[Operand, Apply | Load] = {
            node.result: node for node in loop.body.nodes if isinstance(node, Apply | Load)
        }
        self.stores = [node for node in loop.body.nodes if isinstance(node, Store)]
        self.records: dict[Value, Store] = {}

    def parts(self) -> list[For]:
        """The loops it becomes: itself, where no expensive number is computed from a recorded one."""
        loop = self.loop
        if loop.exit is not None or literal(loop.step) is None or is_short(loop):
            return [loop]
        self.find_records()
        if not self.waits():
            return [loop]
        own = [self.loop_of(store) for store in self.records.values()]
        return [*own, self.rest()] if self.remaining or loop.results else own

    # What may be computed apart ----------------------------------------------------------------

    def find_records(self) -> None:
        """Take all records of expensive numbers, and give up those that are not `is_apart` until all are."""
        found = {store.value: store for store in self.stores if self.is_record(store)}
        for value, node in self.definitions.items():
            if value in found and any(_kind(each) is Kind.ELEMENTARY for each in self.needed([node])):
                self.records[node.result] = found[value]
        while lost := [value for value in self.records if not self.is_apart(value)]:
            for value in lost:
                del self.records[value]

    def is_record(self, store: Store) -> bool:
        """Whether the store puts a number of each iteration into an element of its own, which nothing here reads."""
        buffer, aliases = store.buffer, self.around.aliases
        leader = aliases.of(buffer)
        return (
            not store.accumulate
            and is_element(store)
            and buffer in self.around.made
            and store.value in self.definitions
            and isinstance(store.value, Value)
            and store.value.type == FLOAT
            and buffer.type == Array("float64", len(store.index))
            and sum(aliases.of(each.buffer) is leader for each in self.stores) == 1
            and not any(reads_memory(node, leader, aliases) for node in self.loop.body.nodes)
            and all(isinstance(node, Apply) for node in self.indexing(store))
            and not self.around.subscripts.may_meet_across(self.loop, store, store)
        )

    def is_apart(self, value: Value) -> bool:
        """Whether the number can be computed for all iterations before the other loops, and in one of them alone."""
        nodes = self.needed([self.definitions[value]])
        if not all(map(self.is_as_before, nodes)):
            return False
        expensive = {node for node in nodes if isinstance(node, Apply) and not is_repeatable(node)}
        others = [self.needed([self.definitions[other]]) for other in self.records if other is not value]
        return all(
            expensive.isdisjoint(other)
            for other in (*others, self.needed(self.remaining, self.loop.body.yields))
        )

    def waits(self) -> bool:
        """Whether an expensive number is computed from one that is recorded apart."""
        expensive = [node for node in self.definitions.values() if _kind(node) is Kind.ELEMENTARY]
        return any(
            operand in self.records
            for each in expensive
            for node in self.needed([each])
            for operand in operands(node)
        )

    def is_as_before(self, node: Node) -> bool:
        """Whether the node gives in a loop before this one what it gives here."""
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
        aliases, kept = self.around.aliases, self.records.values()
        for store in self.stores:
            leader = aliases.of(store.buffer)
            if store in kept or (leader is not aliases.of(node.buffer) and leader not in self.around.given):
                continue
            before = leader in self.around.given or self.place[store] < self.place[node]
            if before or self.around.subscripts.may_meet_across(self.loop, store, node):
                return False
        return True

    # The loops ---------------------------------------------------------------------------------

    @property
    def remaining(self) -> list[Node]:
        """The stores that stay in the last loop; the sums that the loop carries do so, too."""
        kept = self.records.values()
        return [store for store in self.stores if store not in kept]

    def needed(self, sinks: Iterable[Node], more: Iterable[Operand] = ()) -> set[Node]:
        """These nodes and what they and `more` are computed from; a number that is recorded is read instead."""
        found = set(sinks)
        todo = [*more, *(operand for node in found for operand in operands(node))]
        while todo:
            operand = todo.pop()
            node = self.definitions.get(operand)
            if node is not None and node not in found and operand not in self.records:
                found.add(node)
                todo += operands(node)
        return found

    def indexing(self, access: Load | Store) -> list[Node]:
        """The nodes that compute the index, in order."""
        nodes = self.needed((), index_operands(access.index))
        return sorted(nodes, key=self.place.__getitem__)

    def loop_of(self, store: Store) -> For:
        """The loop that makes one record."""
        nodes = {self.definitions[store.value], *self.needed([self.definitions[store.value], store])}
        body = self.body(nodes, (dataclasses.replace(self.index),), ())
        return dataclasses.replace(self.loop, inits=(), body=body, results=())

    def rest(self) -> For:
        """The loop that does all else."""
        body = self.loop.body
        comments = [node for node in body.nodes if isinstance(node, Comment)]
        nodes = self.needed([*self.remaining, *comments], body.yields)
        return dataclasses.replace(self.loop, body=self.body(nodes, body.parameters, body.yields))

    def body(self, nodes: set[Node], parameters: tuple[Value, ...], yields: tuple[Operand, ...]) -> Block:
        """The body of a loop of these nodes, which reads what else they take from the tapes."""
        renewed: dict[Operand, Operand] = dict(zip(self.loop.body.parameters, parameters, strict=False))
        made: list[Node] = []
        read = {*yields, *(operand for node in nodes for operand in operands(node))}

        def renamed(operand: Operand) -> Operand:
            return renewed.get(operand, operand)

        def add(node: Node) -> None:
            copy = rename_operands(node, renamed)
            if isinstance(node, Apply | Load) and isinstance(copy, Apply | Load):
                if node.result in renewed:
                    return
                copy = dataclasses.replace(copy, result=dataclasses.replace(node.result))
                renewed[node.result] = copy.result
            made.append(copy)

        for node in self.loop.body.nodes:
            if node in nodes:
                add(node)
            elif isinstance(node, Apply | Load) and node.result in read:
                store = self.records[node.result]
                for each in self.indexing(store):
                    add(each)
                add(Load(node.result, store.buffer, store.index, node.loc))
        return Block(parameters, tuple(made), tuple(map(renamed, yields)))


def is_repeatable(node: Apply) -> bool:
    """Whether the node computes an index, or costs next to nothing."""
    return kind(node.function) is Kind.ARITHMETIC or node.result.type == INT


def _kind(node: Node) -> Kind | None:
    return kind(node.function) if isinstance(node, Apply) else None
