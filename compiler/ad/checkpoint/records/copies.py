"""Copy an array in the forward sweep if the reverse sweep reads contents that the program overwrites later."""

from __future__ import annotations

import numpy as np

from backsweep.ad.checkpoint.records.choices import Choice, How
from backsweep.ad.checkpoint.records.recorder import Recorder
from backsweep.analysis.snapshots import Snapshot
from backsweep.analysis.structure import Facts
from backsweep.ir.nodes import Apply, Block, For, Node, Operand, Slice, Value, View, While
from backsweep.ir.types import Array


class Copies:
    """Has the forward sweep make copies, each once, and notes them in `choices` and `origin`."""

    def __init__(
        self, facts: Facts, recorder: Recorder, choices: list[Choice], origin: dict[Value, Value]
    ) -> None:
        self.facts = facts
        self.recorder = recorder
        self.choices = choices
        self.origin = origin
        self.made: dict[tuple[Value, Node | None], Value] = {}
        self.before_loops: dict[Node, dict[Value, Value]] = {}
        """For checkpointed loops: the arrays of which there is a copy from before the loop."""

    def contents(self, operand: Operand, node: Node) -> Operand:
        """The operand as `node` saw it: an array that is written afterwards is copied."""
        if not isinstance(operand, Value) or not isinstance(operand.type, Array):
            return operand
        if not self.facts.overwritten_after(operand, node):
            return operand
        own = operand is getattr(node, "result", None)
        key = (operand, None if own else node)
        if key not in self.made:
            self.made[key] = Value(operand.name, Array(operand.type.dtype, operand.type.ndim), node.loc)
            place = (self.recorder.after if own else self.recorder.before).setdefault(node, [])
            self._copy(self.made[key], operand, place, self.facts.holder[node], operand)
        return self.made[key]

    def before(self, operand: Operand, call: Node, loop: For | While) -> Operand:
        """The operand as a call in a checkpointed loop saw it; an array that is written after the loop is copied before the loop."""
        if not isinstance(operand, Value) or not isinstance(operand.type, Array):
            return operand
        assert isinstance(call, Apply)
        changed = [call.operands[k] for k in call.function.changed]
        if operand in changed or not self.facts.overwritten_after(operand, call):
            return operand
        known = self.before_loops.setdefault(loop, {})
        if operand not in known:
            known[operand] = Value(operand.name, Array(operand.type.dtype, operand.type.ndim), loop.loc)
            place = self.recorder.before.setdefault(loop, [])
            self._copy(known[operand], operand, place, self.facts.holder[loop], operand)
        return known[operand]

    def take(self, snapshot: Snapshot) -> None:
        """Have the forward sweep make the copy from which the reverse sweep reads again what a nest has read."""
        source, block = snapshot.buffer, snapshot.block
        if snapshot.after is None:
            place = self.recorder.at_start.setdefault(block, [])
        else:
            place = self.recorder.after.setdefault(snapshot.after, [])
        if not all(isinstance(item, Slice) and item.start is None for item in snapshot.part):
            source = Value("", snapshot.copy.type, snapshot.copy.loc)
            self._add(View(source, snapshot.buffer, snapshot.part, source.loc), place, block)
        self._copy(snapshot.copy, source, place, block, snapshot.buffer)

    def _copy(self, copy: Value, source: Value, place: list[Node], block: Block, origin: Value) -> None:
        """Copy `source`, which is `origin` or a part of it, at a place of the block."""
        self._add(Apply(copy, np.copy, (source,), copy.loc), place, block)
        self.recorder.sites[copy] = place
        self.origin[copy] = origin
        self.choices.append(Choice(copy, How.COPY, readers=(copy.loc,), memory=copy))

    def _add(self, node: Apply | View, place: list[Node], block: Block) -> None:
        """Add a node to the forward sweep, and what it defines to the facts."""
        place.append(node)
        self.facts.where[node.result] = block
        self.facts.definitions[node.result] = node
        self.facts.shapes.definitions[node.result] = node
