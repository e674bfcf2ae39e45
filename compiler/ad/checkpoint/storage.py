"""Provide the values of the primal that the reverse sweep reads: at hand, computed again, read back or recorded.

When a reversed block is complete, `resolve` looks at the primal values of the mirrored block that it
reads. A minimum cut chooses which of them to record and which to compute again from those. In a
branch, recording means handing the value out as a result of the branch; in a loop body it means a
tape: an array indexed by the iterations where all trip counts are known beforehand, else one that grows.
The edits of the forward sweep that this asks for are collected in a `Recorder`.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from backsweep.ad.checkpoint.choices import Choice, How, Record, read_by, repeated
from backsweep.ad.checkpoint.copies import Copies
from backsweep.ad.checkpoint.extremes import Extreme, extremes
from backsweep.ad.checkpoint.inverse import undoing
from backsweep.ad.checkpoint.policy import Plan
from backsweep.ad.checkpoint.recorder import Recorder
from backsweep.ad.checkpoint.restarts import Restart
from backsweep.analysis.hoisting import extent_before
from backsweep.analysis.structure import ActiveFacts
from backsweep.analysis.trip_counts import counter_of, iteration, place, reversed_range, trip_count
from backsweep.diagnostics import Loc
from backsweep.ir.build import Builder, christen
from backsweep.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Const,
    Dots,
    For,
    Function,
    If,
    Load,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT, Array, Scalar, names_memory
from backsweep.ir.walk import free_values, map_blocks, operands, rename_operands, renewed, substitute


class Storage:
    """Answers the reverse sweep's requests for primal values and collects what the forward sweep must record."""

    def __init__(self, function: Function, facts: ActiveFacts, builder: Builder, new_list: Any) -> None:
        self.function = function
        self.facts = facts
        self.builder = builder
        self.recorder = Recorder(facts, new_list)
        self.references: set[Value] = set()
        self.plan = Plan(facts, self.references)
        self.trips: dict[For | While, Value] = {}
        self.choices: list[Choice] = []
        self.origin: dict[Value, Value] = {}
        self.copies = Copies(facts, self.recorder, self.choices, self.origin)
        self.duals: dict[Value, Value] = {}

    # What rules ask for

    def contents(self, operand: Operand, node: Node) -> Operand:
        """The operand as `node` saw it: an array that is written afterwards is copied in the forward sweep."""
        holder = self.facts.holder.get(node)
        region = None if holder not in self.facts.parents else self.facts.parents[holder][0]
        if isinstance(region, For | While) and region.checkpoint is not None:
            return self.copies.before(operand, node, region)
        return self.copies.contents(operand, node)

    def shape_of(self, value: Value) -> Value:
        """An array of the shape and dtype of `value`, preferably one that is at hand in the reverse sweep."""
        block = self.facts.where.get(value)
        if block is None or block is self.function.body:  # made in the reverse sweep, or there in it
            return value
        for other in self.facts.where:
            if self.facts.where[other] is self.function.body and isinstance(other.type, Array):
                if other not in self.facts.unassigned and _dtype(other) == _dtype(value):
                    if self.facts.shapes.same(other, value):
                        return other
        return self._stand_in(value) or value

    def shape_within(self, value: Value, block: Block) -> Value | None:
        """An array of the shape and dtype of `value` whose shape is known in the reverse sweep of the branch; None if there is none."""
        for other, where in self.facts.where.items():
            if where in (block, self.function.body) and isinstance(other.type, Array) and other is not value:
                if self.facts.is_there(other, block) and _dtype(other) == _dtype(value):
                    if self.facts.shapes.same(other, value):
                        return other
        return None

    def _stand_in(self, value: Value) -> Value | None:
        """An array of the same shape, never looked into, made before the loops; None if the shape is not known there."""
        loops = [region for region in self.facts.path(self.facts.where[value]) if not isinstance(region, If)]
        if not loops or not isinstance(value.type, Array):
            return None
        before: list[Node] = []
        lengths: list[Operand] = []
        for extent in self.facts.shapes.of(value):
            known = extent_before(extent, loops[-1], self.facts)
            if known is None:
                return None
            before += known[0]
            lengths.append(known[1])
        stand_in = self.recorder.array_tape(value, loops[-1], before, lengths)
        self.facts.shapes.found[stand_in] = self.facts.shapes.of(value)
        return stand_in

    def shape_operand(self, operand: Operand) -> Operand:
        """`shape_of` for whatever operand."""
        if isinstance(operand, Value) and isinstance(operand.type, Array) and operand in self.facts.where:
            return self.shape_of(operand)
        return operand

    def add_duals(self) -> dict[Value, Value]:
        """Shadows made in the forward sweep, for the buffers that branches, loops and lists choose from."""
        duals = self.duals
        aliases = self.facts.aliases
        for value in list(self.facts.where):
            if names_memory(value.type) and value in self.facts.active:
                if aliases.in_memory(value) and aliases.is_merged(value):
                    name = f"{value.name}_bar" if value.name else ""
                    duals[value] = Value(name, value.type, value.loc)
                    self.facts.where[duals[value]] = self.facts.where[value]
        self.references.update(duals.values())
        self.origin.update((shadow, value) for value, shadow in duals.items())
        self.recorder.add_duals(duals)
        return duals

    # Blocks of the reverse sweep

    def resolve(
        self,
        block: Block,
        nodes: list[Node],
        known: dict[Value, Operand] | None = None,
        held: Sequence[Value] = (),
    ) -> list[Node]:
        """The reversed block with every value of the mirrored `block` that it reads made available.

        `known` holds values that need no storage (the loop's index); of those, `held` are told by what the loop ended with.
        """
        known = known or {}
        free = free_values(Block((), tuple(nodes), ()))
        needed = [value for value in free if self.facts.where.get(value) is block and value not in known]
        recorded, snapshots, inputs = self.plan.choose(needed, block, known)
        readers = read_by(nodes)
        for snapshot in snapshots:
            self.copies.take(snapshot)
        replacement: dict[Value, Operand] = dict(known)
        with self.builder.block() as head:
            for value in recorded:
                replacement[value] = self._recorded(value, block, tuple(readers.get(value, ())))
        again = self._computed_again(needed, [*recorded, *(each.copy for each in snapshots)], inputs)
        stored = {value: store for value in again if (store := self.plan.read_back(value, block))}
        self.choices += (
            Choice(value, How.STORED, (store.buffer,), tuple(readers.get(value, ())))
            for value, store in stored.items()
        )
        self.choices += repeated([value for value in again if value not in stored], inputs, readers)
        self.choices += (
            Choice(value, How.HELD if value in held else How.UNDONE, readers=tuple(readers[value]))
            for value in known
            if value in readers
        )
        clones = [self._clone(value, stored.get(value), replacement) for value in again]
        opening = substitute(Block((), tuple(head.nodes), ()), known)
        body = substitute(Block((), tuple(nodes), ()), replacement)
        return [*opening.nodes, *(node for each in clones for node in each), *body.nodes]

    def _computed_again(
        self, needed: Sequence[Value], recorded: Sequence[Value], inputs: dict[Value, Sequence[Value] | None]
    ) -> list[Value]:
        """The values to compute again, each after what it is computed from."""
        order: dict[Value, None] = {}
        done = set(recorded)

        def visit(value: Value) -> None:
            if value in done or value in order:
                return
            for source in inputs[value] or ():
                visit(source)
            order[value] = None

        for value in sorted(needed, key=self._place):
            visit(value)
        return list(order)

    def _place(self, value: Value) -> int:
        node = self.facts.definitions.get(value)
        return -1 if node is None else self.facts.position.get(node, -1)

    def _clone(self, value: Value, stored: Store | None, replacement: dict[Value, Operand]) -> list[Node]:
        """The nodes that compute `value` again in the reverse sweep, or read what the program stored."""

        def rename(operand: Operand) -> Operand:
            return replacement.get(operand, operand) if isinstance(operand, Value) else operand

        if value in replacement:
            return []
        node = self.facts.definitions.get(value)
        if stored is not None:
            new = dataclasses.replace(value)
            replacement[value] = new
            if not any(isinstance(item, Slice) for item in stored.index):
                read = View if isinstance(value.type, Array) else Load
                return [rename_operands(read(new, stored.buffer, stored.index, value.loc), rename)]
            # not a row: as the value was, in rows
            assert isinstance(value.type, Array)
            part = Value("", dataclasses.replace(value.type, layout="A"), value.loc)
            view = rename_operands(View(part, stored.buffer, stored.index, value.loc), rename)
            return [view, Apply(new, np.copy, (part,), value.loc)]
        assert node is not None
        if isinstance(node, Load) and (snapshot := self.plan.snapshots.of(node)) is not None:
            node = dataclasses.replace(node, buffer=snapshot.copy, index=snapshot.index(node))
        renamed = rename_operands(node, rename)
        if isinstance(renamed, If):
            renamed = map_blocks(renamed, lambda inner: renewed(substitute(inner, replacement)), rename)
            assert isinstance(renamed, If)
            results = tuple(dataclasses.replace(result) for result in renamed.results)
            assert isinstance(node, If)
            replacement.update(zip(node.results, results, strict=True))
            return [dataclasses.replace(renamed, results=results)]
        assert isinstance(renamed, Apply | Load | View)
        same = map(type_of, operands(node)), map(type_of, operands(renamed))
        kept = not isinstance(value.type, Array) or all(map(operator.eq, *same))
        new = dataclasses.replace(
            value, type=value.type if kept else None
        )  # a record is in rows, whatever it is of
        replacement[value] = new
        return [dataclasses.replace(renamed, result=new)]

    # Records

    def _recorded(self, value: Value, block: Block, readers: tuple[Loc, ...]) -> Operand:
        """The operand that holds a recorded value in the reverse sweep; asks the forward sweep to record it."""
        named = bool(value.name)
        christen(value, self._suggested(value))
        body = self.plan.loop_body(block)
        if body is None:
            record = self._handed_out(value, block)
        elif not isinstance(value.type, Scalar):
            record = self._recorded_array(value, block, body)
        elif (rectangular := self._rectangle(body)) is not None:
            record = self._on_array_tape(value, block, rectangular, ())
        else:
            record = self._on_growing_tape(value, block, body)
        self.choices.append(Choice(value, record.how, (), readers, record.memory, record.lengths, named))
        self.origin[record.memory] = value
        return record.operand

    def _suggested(self, value: Value) -> str:
        """A name for an unnamed value that is recorded: `y_i` for `y[i]`, `exp_d` for `exp(d)`."""
        node = self.facts.definitions.get(value)
        match node:
            case Load(buffer=Value(name=name)) if name:
                words = [
                    item.name if isinstance(item, Value) else str(item.value)
                    for item in node.index
                    if isinstance(item, Value | Const)
                ]
                return (
                    "_".join([name, *words])
                    if all(word.isidentifier() or word.isdigit() for word in words)
                    else name
                )
            case Apply(operands=(first, *_)):
                called = getattr(node.function, "__name__", "")
                if getattr(node.function, "__module__", "") in ("_operator", "builtins"):
                    return ""
                word = first.name if isinstance(first, Value) else ""
                return "_".join(part for part in (called, word) if part) if called.isidentifier() else ""
            case _:
                return ""

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
        blank = self.recorder.blank(value, other) if self.plan.loop_body(block) is not None else UNDEFINED
        pair = (value, blank) if block is region.then else (blank, value)
        self.recorder.results.setdefault(region, []).append((result, *pair))
        self.recorder.define(result, region)
        if value in self.references:
            self.references.add(result)
        return Record(result, How.BRANCH, result)

    def _on_growing_tape(self, value: Value, block: Block, body: Block) -> Record:
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
        trip = self.number_of(loop)
        if isinstance(start, Const) and start.value == 0:
            return trip
        return self.builder.apply(operator.add, start, trip, type=INT)

    def number_of(self, loop: For | While) -> Operand:
        """The number of the iteration of a loop that is being reversed."""
        if isinstance(loop, For) and loop.exit is None:
            return iteration(loop, self.builder)
        return self._trip(loop)

    def _trip(self, loop: For | While) -> Value:
        """The number of the iteration that is being reversed, of a loop that may end early."""
        if loop not in self.trips:
            counter = counter_of(loop, self.facts)
            name = counter[0].name if counter is not None else ""
            self.trips[loop] = Value(name if name not in ("", "trips") else "trip", INT, loop.loc)
        return self.trips[loop]

    # Loops

    def reverse_loop(
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
            return self._reverse_blocks(node, entering, inits, nodes, leaving, results)
        back = undoing(node, self.facts, self.duals)
        with self.builder.block() as before:
            if isinstance(node, For) and node.exit is None:
                index = dataclasses.replace(node.body.parameters[0])
                start, stop, step = reversed_range(node, self.builder)
                known: dict[Value, Operand] = {node.body.parameters[0]: index}
                head: list[Node] = []
            else:
                index = self._trip(node)
                trips = self.recorder.trips(node)
                start = self.builder.apply(operator.sub, trips, Const(1), type=INT)
                stop = step = Const(-1)
                with self.builder.block() as opening:
                    known = self._index_of_trip(node, index)
                head = opening.nodes
            last = [self._last_replaced(each, node, known) for each in extremes(node, self.facts)]
            known = back.known | {each.read: value for each, value, _ in last} | known
            resolved = self.resolve(node.body, nodes, known, held=[each.read for each, _, _ in last])
        leaving_block = substitute(Block((), (), leaving), known)
        read = free_values(Block((), tuple(resolved), leaving_block.yields))
        used = back.used(read)
        for each, value, written in last:
            if value in read:
                head += written
                each.note(node, functools.partial(self._number_here, node), self.recorder)
        body = Block(
            (index, *entering, *(each.carried for each in used)),
            (*head, *back.steps_of(used), *resolved),
            (*leaving_block.yields, *(each.start for each in used)),
        )
        inits = (*inits, *(each.init for each in used))
        results = (*results, *(dataclasses.replace(each.carried) for each in used))
        return [*before.nodes, For(start, stop, step, inits, body, results, node.loc)]

    def _last_replaced(
        self, extreme: Extreme, loop: For | While, known: dict[Value, Operand]
    ) -> tuple[Extreme, Value, list[Node]]:
        """The running maximum or minimum, what stands for it in a reversed iteration, and the nodes that compute that."""
        with self.builder.block() as written:
            if isinstance(loop, For) and loop.exit is None:
                number = place(loop, self.builder)
            else:
                number = self._trip(loop)
            value = extreme.stand_in(self.builder, number)
        return extreme, value, list(substitute(written.finish(), known).nodes)

    def _number_here(self, loop: For | While, builder: Builder) -> Operand:
        """The same number in the forward sweep."""
        if isinstance(loop, For) and loop.exit is None:
            return place(loop, builder)
        return self.recorder.trip_count(loop)[0]

    def _reverse_blocks(
        self,
        node: For | While,
        entering: tuple[Value, ...],
        inits: tuple[Operand, ...],
        nodes: list[Node],
        leaving: tuple[Operand, ...],
        results: tuple[Value, ...],
    ) -> list[Node]:
        """The loop that runs `nodes` for the blocks of a checkpointed loop, last to first, each from its state."""
        restart = Restart(node, self.recorder, self.choices, self.origin)
        with self.builder.block() as before:
            start = self.builder.apply(operator.sub, restart.blocks, Const(1), type=INT)
            ends = [
                self.builder.apply(np.copy, each.value, name=f"{each.value.name}_end", type=each.value.type)
                for each in restart.written
            ]
        index = Value("b", INT, node.loc)
        again, known = restart.again(index, self.copies.before_loops.get(node, {}))
        if isinstance(node, For):
            known[node.body.parameters[0]] = index
        resolved = self.resolve(node.body, nodes, known)
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

    def forward(self) -> tuple[Node, ...]:
        """The forward sweep: the primal with everything that was asked for recorded."""
        return self.recorder.forward(self.function.body).nodes


def _identity(results: tuple[Value, ...], inits: tuple[Operand, ...], loc: Loc) -> Node:
    """Results that are the inits unchanged (a loop that does nothing)."""
    block = Block((), (), inits)
    return If(Const(True), block, block, results, loc)


def _dtype(value: Value) -> str:
    assert isinstance(value.type, Array)
    return value.type.dtype


def _is_one(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value == 1
