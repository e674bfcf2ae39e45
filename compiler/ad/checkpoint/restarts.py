"""Reverse a checkpointed loop: keep snapshots of what it carries and writes, and compute its blocks again from these.

Each iteration of the loop is one call (`backsweep.interprocedural.checkpoints`), whose adjoint records for itself. All
that the reversed iteration needs of the primal is therefore the state before the call.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from backsweep.ad.checkpoint.records.choices import Choice, How
from backsweep.ad.checkpoint.records.recorder import Recorder
from backsweep.ir.build import Builder, dtype_argument
from backsweep.ir.nodes import (
    Apply,
    Block,
    Callee,
    Const,
    Dots,
    For,
    If,
    Node,
    Operand,
    Raise,
    Role,
    Store,
    Value,
    While,
)
from backsweep.ir.types import BOOL, INT, Array, Scalar, contiguous
from backsweep.ir.walk import carried_parameters, free_values, renewed, substitute, walk
from backsweep.runtime import tape

NEWEST, SLOT = Const(0), Const(1)
"""The rows of the notes of snapshots: the blocks, and their slots."""


@dataclass(frozen=True, slots=True)
class Saved:
    """One part of the state, with the array of its snapshots: `value` within the loop, `init` where the loop begins."""

    value: Value
    init: Operand
    snapshots: Value

    def store(self, value: Operand, slot: Operand) -> Store:
        """Take a snapshot."""
        return Store(self.snapshots, (slot,), value, self.value.loc)


def _restored(loop: For | While) -> list[Value]:
    """The arrays that the loop's call changes and that must hold their earlier contents when it runs again."""
    for node in walk(loop.body):
        if isinstance(node, Apply) and isinstance(node.function, Callee) and node.function.is_block:
            callee, arguments = node.function, node.operands
            changed = [arguments[k] for k in callee.changed if k not in callee.settled]
            return [operand for operand in changed if isinstance(operand, Value)]
    return []


class Restart:
    """The snapshots of one loop: the forward sweep takes them, the reverse sweep starts again from them."""

    def __init__(
        self, node: For | While, recorder: Recorder, choices: list[Choice], origin: dict[Value, Value]
    ) -> None:
        self.node = node
        self.recorder = recorder
        self.facts = recorder.facts
        self.choices = choices
        self.origin = origin
        self.is_open = isinstance(node, While) or node.exit is not None
        """Whether the number of blocks is not known before the loop ends."""
        self.blocks = node.stop if isinstance(node, For) and not self.is_open else recorder.trips(node)
        read = free_values(Block((), node.body.nodes, ()))
        self.carried_positions = [k for k, value in enumerate(carried_parameters(node)) if value in read]
        buffers = _restored(node)
        self.carried: list[Saved] = []
        self.written: list[Saved] = []
        if not self.carried_positions and not buffers:
            return  # every block finds what it reads where it was
        before = Builder(loc=node.loc)
        slots = self._slots(before)
        self.kept = before.apply(tape.no_snapshots, slots, name="kept", type=Array("int64", 2))
        parameters = carried_parameters(node)
        self.carried = [
            Saved(parameters[k], node.inits[k], self._made(before, parameters[k], node.inits[k], slots))
            for k in self.carried_positions
        ]
        self.written = [Saved(each, each, self._made(before, each, each, slots)) for each in buffers]
        recorder.before.setdefault(node, []).extend(before.current.nodes)
        self._take()

    def _slots(self, before: Builder) -> Operand:
        """The number of slots: no more than there are blocks."""
        assert self.node.checkpoint is not None
        slots = self.node.checkpoint.slots
        if not self.is_open:
            slots = before.apply(min, slots, self.blocks, type=INT)
        elif isinstance(slots, Const):
            return slots
        return before.apply(max, slots, Const(1), name="slots", type=INT)

    def _made(self, before: Builder, value: Value, init: Operand, slots: Operand) -> Value:
        """The array of the snapshots of a value, made before the loop."""
        assert isinstance(value.type, Scalar | Array)
        extents: list[Operand] = [slots]
        if isinstance(value.type, Array):
            shape = before.apply(np.shape, init)
            extents += (
                before.apply(operator.getitem, shape, Const(k), type=INT) for k in range(value.type.ndim)
            )
        whole = extents[0] if len(extents) == 1 else before.apply(tuple, *extents)
        type_ = Array(value.type.dtype, len(extents))
        name = f"{value.name}_snapshots" if value.name else "snapshots"
        made = Value(name, type_, before.loc, Role.RECORD)
        before.add(Apply(made, np.empty, (whole, *dtype_argument(type_.dtype)), before.loc))
        self.facts.where[made] = self.facts.holder[self.node]
        choice = Choice(value, How.SNAPSHOTS, memory=made, lengths=tuple(extents), readers=(self.node.loc,))
        self.choices.append(choice)
        self.origin[made] = value
        return made

    def _take(self) -> None:
        """Have the forward sweep take snapshots."""
        node, builder = self.node, Builder(loc=self.node.loc)
        for each in self.carried:
            self._check_shape(builder, each)
        if self.is_open:
            number = self.recorder.trip_count(node)[0]
            slot = builder.apply(tape.slot_ahead, self.kept, number, name="slot", type=INT)
        else:
            end = builder.apply(operator.add, self.blocks, Const(1), type=INT)
            number = node.body.parameters[0]
            slot = builder.apply(tape.slot_for, self.kept, number, end, name="slot", type=INT)
        self._store(builder, slot, {})
        self.recorder.at_start.setdefault(node.body, []).extend(builder.current.nodes)

    def _check_shape(self, builder: Builder, each: Saved) -> None:
        """Add a check that the array still has its first shape, since all of its snapshots have that shape."""
        value, init = each.value, each.init
        if not isinstance(value.type, Array) or not isinstance(init, Value):
            return
        if self.facts.shapes.same(value, init):
            return
        shapes = [builder.apply(np.shape, operand) for operand in (value, init)]
        differs = builder.apply(operator.ne, *shapes, type=BOOL)
        text = f"the shape of `{value.name or 'an array'}` changes in a checkpointed loop"
        raising: Node = Raise(Const(ValueError), (Const(text),), self.node.loc)
        builder.add(If(differs, Block((), (raising,), ()), Block((), (), ()), (), self.node.loc))

    def _store(self, builder: Builder, slot: Value, now: dict[Value, Operand]) -> None:
        """Write the test and the store that take a snapshot if a slot is left; `now` are the values of the state at that place."""
        taken = builder.apply(operator.ge, slot, Const(0), type=BOOL)
        stores = tuple(
            each.store(now.get(each.value, each.value), slot) for each in (*self.carried, *self.written)
        )
        builder.add(If(taken, Block((), stores, ()), Block((), (), ()), (), self.node.loc))

    def again(self, index: Value, copies: Mapping[Value, Value]) -> tuple[list[Node], dict[Value, Operand]]:
        """The nodes that bring back the state before block `index`, and what the loop carries then.

        `copies` are arrays that are written after the loop, with their copies from before it.
        """
        node, builder = self.node, Builder(loc=self.node.loc)
        if not self.carried and not self.written:
            return [], {}
        held = builder.apply(tape.newest, self.kept, index, name="held", type=INT)
        slot = builder.load(self.kept, (SLOT, held), type=INT)
        first = builder.load(self.kept, (NEWEST, held), type=INT)
        begun: list[Operand] = []
        for each in self.carried:
            if isinstance(each.value.type, Array):
                type_ = contiguous(each.value.type)
                begun.append(builder.view(each.snapshots, (slot,), name=each.value.name, type=type_))
            else:
                begun.append(
                    builder.load(each.snapshots, (slot,), name=each.value.name, type=each.value.type)
                )
        for each in self.written:
            part = builder.view(each.snapshots, (slot,), type=contiguous(each.value.type))
            builder.store(each.value, (Dots(),), part)
        number = builder.value("q", INT)
        carried = [dataclasses.replace(each.value) for each in self.carried]
        now: dict[Value, Operand] = dict(zip((each.value for each in self.carried), carried, strict=True))
        with builder.block(number, *carried) as body:
            end = builder.apply(operator.add, index, Const(1), type=INT)
            place = builder.apply(tape.slot_for, self.kept, number, end, name="slot", type=INT)
            self._store(builder, place, now)
            yields = tuple(node.body.yields[k] for k in self.carried_positions)
            inner = Block((), node.body.nodes, yields)
            index_ = {node.body.parameters[0]: number} if isinstance(node, For) else {}
            run = renewed(substitute(inner, {**copies, **now, **index_}))
            builder.add(*run.nodes)
            body.yields = run.yields
        ends = tuple(dataclasses.replace(each.value) for each in self.carried)
        builder.add(For(first, index, Const(1), tuple(begun), body.finish(), ends, node.loc))
        return builder.current.nodes, dict(zip((each.value for each in self.carried), ends, strict=True))
