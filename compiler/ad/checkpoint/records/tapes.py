"""Record a value, so that the reverse sweep can read it: on a tape, in a list, or as a result of its branch.

A value of a branch is handed out of it. In loops, a number is written to an array that the iteration numbers index, if all trip
counts are known before the outermost loop, and else to an array that grows; an array is copied to such a tape, or a reference to
it appended to a list.
"""

from __future__ import annotations

import dataclasses
import operator

from backsweep.ad.checkpoint.records.choices import How, Record
from backsweep.ad.checkpoint.records.iteration_numbers import IterationNumbers
from backsweep.ad.checkpoint.records.recorder import Recorder
from backsweep.analysis.hoisting import extent_before
from backsweep.analysis.structure import Facts
from backsweep.analysis.trip_counts import iteration, trip_count
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Const,
    For,
    If,
    Node,
    Operand,
    Store,
    Value,
    While,
)
from backsweep.ir.types import INT, Array, Scalar
from backsweep.ir.walk import rename_operands


class Tapes:
    """Has the forward sweep record values, by `recorder`; writes with `builder` what the reverse sweep reads instead.

    `references` are values that hold references to written arrays, which is what is recorded of them.
    """

    def __init__(
        self,
        facts: Facts,
        recorder: Recorder,
        builder: Builder,
        numbers: IterationNumbers,
        references: set[Value],
    ) -> None:
        self.facts = facts
        self.recorder = recorder
        self.builder = builder
        self.numbers = numbers
        self.references = references

    def record(self, value: Value, block: Block) -> Record:
        """Record a value of the block, in the way that fits the block and the value's type."""
        body = self.facts.loop_body(block)
        if body is None:
            return self._handed_out(value, block)
        if not isinstance(value.type, Scalar):
            return self._recorded_array(value, block, body)
        rectangular = self._rectangle(body)
        if rectangular is not None:
            return self._on_array_tape(value, block, rectangular, ())
        return self._on_growing_tape(value, block, body)

    def _handed_out(self, value: Value, block: Block) -> Record:
        """A value of one side of a branch, as a result of the branch."""
        region, _ = self.facts.parents[block]
        assert isinstance(region, If)
        yields = zip(region.results, region.then.yields, region.orelse.yields, strict=True)
        for result, *sides in (*yields, *self.recorder.results.get(region, ())):
            here, there = sides if block is region.then else reversed(sides)
            if here is value and (isinstance(value.type, Scalar) or there is not UNDEFINED):
                return Record(result, How.BRANCH, result)
        result = dataclasses.replace(value)
        other = region.orelse if block is region.then else region.then
        stand_in = (
            self.recorder.placeholder(value, other) if self.facts.loop_body(block) is not None else UNDEFINED
        )
        pair = (value, stand_in) if block is region.then else (stand_in, value)
        self.recorder.results.setdefault(region, []).append((result, *pair))
        self.recorder.define(result, region)
        if value in self.references:
            self.references.add(result)
        return Record(result, How.BRANCH, result)

    def _on_growing_tape(self, value: Value, block: Block, body: Block) -> Record:
        """A number on a tape that grows, because some trip count is not known before the loops."""
        counter = self.recorder.counter(body)
        tape = self.recorder.growing_tape(value, block, body, counter)
        entry = self.builder.load(tape, (self._position(body),), name=value.name, type=value.type)
        return Record(entry, How.TAPE, tape)

    def _recorded_array(self, value: Value, block: Block, body: Block) -> Record:
        """An array on a tape: a copy where its shape is known before the loops, else a reference in a list."""
        is_value = not self.facts.aliases.in_memory(value) and value not in self.references
        rectangular = self._rectangle(body)
        if is_value and rectangular is not None and isinstance(value.type, Array):
            extents = self._extents(value, rectangular[-1][0])
            if extents is not None:
                return self._on_array_tape(value, block, rectangular, extents)
        if block is not body:  # a list must grow in every iteration, so the branch hands the array out first
            return self._handed_out(value, block)
        self.recorder.counter(body)
        tape = self.recorder.list_tape(value, body)
        if value in self.references:
            self.references.add(tape)
        entry = self.builder.load(tape, (self._position(body),), name=value.name, type=value.type)
        return Record(entry, How.LIST, tape)

    def _rectangle(self, block: Block) -> list[tuple[For, list[Node], Operand]] | None:
        """The loops around the block, innermost first, with each trip count as computed before the outermost."""
        loops = [region for region in self.facts.path(block) if not isinstance(region, If)]
        found: list[tuple[For, list[Node], Operand]] = []
        for loop in loops:
            if not isinstance(loop, For) or loop.exit is not None:
                return None
            counted = trip_count(loop, loops[-1], self.facts)
            if counted is None:
                return None
            found.append((loop, *counted))
        return found

    def _extents(self, value: Value, outermost: For) -> tuple[tuple[list[Node], Operand], ...] | None:
        """The extents of an array as computed before the outermost loop; None if one is not known there."""
        found: list[tuple[list[Node], Operand]] = []
        for extent in self.facts.shapes.of(value):
            known = extent_before(extent, outermost, self.facts)
            if known is None:
                return None
            found.append(known)
        return tuple(found)

    def _on_array_tape(
        self,
        value: Value,
        block: Block,
        loops: list[tuple[For, list[Node], Operand]],
        extents: tuple[tuple[list[Node], Operand], ...],
    ) -> Record:
        """A tape with an axis per loop, then the value's own axes; written in `block`, read in its mirror."""
        assert isinstance(value.type, Scalar | Array)
        outermost = loops[-1][0]
        before: list[Node] = []
        lengths: list[Operand] = []
        for nodes, length in (*((nodes, length) for _, nodes, length in reversed(loops)), *extents):
            before += nodes
            lengths.append(length)
        tape = self.recorder.array_tape(value, outermost, before, lengths)
        index: list[Operand] = []
        with self.builder.block() as written:
            for loop, _, _ in reversed(loops):
                index.append(iteration(loop, self.builder))
        place = tuple(index)
        self.recorder.store_where_assigned(
            value, block, lambda each: [*written.nodes, Store(tape, place, each, value.loc)]
        )
        renew = {
            node.result: dataclasses.replace(node.result) for node in written.nodes if isinstance(node, Apply)
        }
        for node in written.nodes:
            assert isinstance(node, Apply)
            renamed = rename_operands(node, lambda operand: renew.get(operand, operand))  # type: ignore[arg-type]
            assert isinstance(renamed, Apply)
            self.builder.add(dataclasses.replace(renamed, result=renew[node.result]))
        there = tuple(
            renew.get(operand, operand) if isinstance(operand, Value) else operand for operand in index
        )
        if isinstance(value.type, Array):
            type_ = Array(value.type.dtype, value.type.ndim)
            entry = self.builder.view(tape, there, name=value.name, type=type_)
        else:
            entry = self.builder.load(tape, there, name=value.name, type=value.type)
        return Record(entry, How.TAPE, tape, tuple(lengths))

    def _position(self, body: Block) -> Operand:
        """The place of this iteration's entry on a growing tape: where the loop began plus its own iteration."""
        loop, _ = self.facts.parents[body]
        assert isinstance(loop, For | While)
        start = self.recorder.counter(body).start
        trip = self.numbers.of(loop)
        if isinstance(start, Const) and start.value == 0:
            return trip
        return self.builder.apply(operator.add, start, trip, type=INT)
