"""Write the loop that reverses a loop: it runs the reversed body for the iterations, last to first."""

from __future__ import annotations

import dataclasses
import functools
import operator

import numpy as np

from backsweep.ad.checkpoint.extremes import Extreme, extremes
from backsweep.ad.checkpoint.inverse import undoing
from backsweep.ad.checkpoint.restarts import Restart
from backsweep.ad.checkpoint.storage import Storage
from backsweep.analysis.trip_counts import counter_of, place, reversed_range
from backsweep.diagnostics import Loc
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    Block,
    Const,
    Dots,
    For,
    If,
    Node,
    Operand,
    Store,
    Value,
    While,
)
from backsweep.ir.types import INT
from backsweep.ir.walk import free_values, substitute


class ReversedLoops:
    """Writes reversed loops; `storage` provides the values of the primal that they read."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.facts = storage.facts
        self.builder = storage.builder
        self.recorder = storage.recorder

    def reverse(
        self,
        node: For | While,
        entering: tuple[Value, ...],
        inits: tuple[Operand, ...],
        nodes: list[Node],
        leaving: tuple[Operand, ...],
        results: tuple[Value, ...],
    ) -> list[Node]:
        """The loop that runs `nodes` for the iterations of `node`, last to first."""
        if not nodes and leaving == entering:
            return [_identity(results, inits, node.loc)] if results else []
        if node.checkpoint is not None:
            return self._reverse_checkpointed(node, entering, inits, nodes, leaving, results)
        back = undoing(node, self.facts, self.storage.duals)
        with self.builder.block() as before:
            if isinstance(node, For) and node.exit is None:
                index = dataclasses.replace(node.body.parameters[0])
                start, stop, step = reversed_range(node, self.builder)
                known: dict[Value, Operand] = {node.body.parameters[0]: index}
                head: list[Node] = []
            else:
                index = self.storage.numbers.of_early_end(node)
                trips = self.recorder.trips(node)
                start = self.builder.apply(operator.sub, trips, Const(1), type=INT)
                stop = step = Const(-1)
                with self.builder.block() as opening:
                    known = self._index_of_trip(node, index)
                head = opening.nodes
            last = [self._last_replaced(each, node, known) for each in extremes(node, self.facts)]
            known = back.known | {each.read: value for each, value, _ in last} | known
            resolved = self.storage.resolve(node.body, nodes, known, held=[each.read for each, _, _ in last])
        leaving_block = substitute(Block((), (), leaving), known)
        read = free_values(Block((), tuple(resolved), leaving_block.yields))
        used = back.used(read)
        for each, value, written in last:
            if value in read:
                head += written
                each.note(node, functools.partial(self._number_here, node), self.recorder)
        body = Block(
            (index, *entering, *(each.carried for each in used)),
            (*head, *back.steps_of(used, known), *resolved),
            (*leaving_block.yields, *(each.start for each in used)),
        )
        inits = (*inits, *(each.init for each in used))
        results = (*results, *(dataclasses.replace(each.carried) for each in used))
        parallel = isinstance(node, For) and node.parallel
        return [*before.nodes, For(start, stop, step, inits, body, results, node.loc, parallel=parallel)]

    def _last_replaced(
        self, extreme: Extreme, loop: For | While, known: dict[Value, Operand]
    ) -> tuple[Extreme, Value, list[Node]]:
        """The running maximum or minimum, what stands for it in a reversed iteration, and the nodes that compute that."""
        with self.builder.block() as written:
            if isinstance(loop, For) and loop.exit is None:
                number = place(loop, self.builder)
            else:
                number = self.storage.numbers.of_early_end(loop)
            value = extreme.stand_in(self.builder, number)
        return extreme, value, list(substitute(written.finish(), known).nodes)

    def _number_here(self, loop: For | While, builder: Builder) -> Operand:
        """The number of the iteration as an operand of the forward sweep."""
        if isinstance(loop, For) and loop.exit is None:
            return place(loop, builder)
        return self.recorder.trip_count(loop)[0]

    def _reverse_checkpointed(
        self,
        node: For | While,
        entering: tuple[Value, ...],
        inits: tuple[Operand, ...],
        nodes: list[Node],
        leaving: tuple[Operand, ...],
        results: tuple[Value, ...],
    ) -> list[Node]:
        """The loop that runs `nodes` for the blocks of a checkpointed loop, last to first, each from its state."""
        restart = Restart(node, self.recorder, self.storage.choices, self.storage.origin)
        with self.builder.block() as before:
            start = self.builder.apply(operator.sub, restart.blocks, Const(1), type=INT)
            ends = [
                self.builder.apply(np.copy, each.value, name=f"{each.value.name}_end", type=each.value.type)
                for each in restart.written
            ]
        index = Value("b", INT, node.loc)
        again, known = restart.again(index, self.storage.copies.before_loops.get(node, {}))
        if isinstance(node, For):
            known[node.body.parameters[0]] = index
        resolved = self.storage.resolve(node.body, nodes, known)
        yields = substitute(Block((), (), leaving), known).yields
        body = Block((index, *entering), (*again, *resolved), yields)
        loop = For(start, Const(-1), Const(-1), inits, body, results, node.loc)
        pairs = zip(restart.written, ends, strict=True)
        after = [Store(each.value, (Dots(),), end, node.loc) for each, end in pairs]
        return [*before.nodes, loop, *after]

    def _index_of_trip(self, node: For | While, trip: Value) -> dict[Value, Operand]:
        """The loop index of a loop that may end early, and its own counter, from the number of the iteration."""
        own = counter_of(node, self.facts)
        known: dict[Value, Operand] = {} if own is None else {own[0]: trip}
        if isinstance(node, While):
            return known
        index = node.body.parameters[0]
        is_plain = isinstance(node.start, Const) and node.start.value == 0
        if is_plain and isinstance(node.step, Const) and node.step.value == 1:
            return {**known, index: trip}
        along = trip if _is_one(node.step) else self.builder.apply(operator.mul, trip, node.step, type=INT)
        return {
            **known,
            index: self.builder.apply(operator.add, node.start, along, type=INT, name=index.name),
        }


def _identity(results: tuple[Value, ...], inits: tuple[Operand, ...], loc: Loc) -> Node:
    """Results that are the inits unchanged (a loop that does nothing)."""
    block = Block((), (), inits)
    return If(Const(True), block, block, results, loc)


def _is_one(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value == 1
