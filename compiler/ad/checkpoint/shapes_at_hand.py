"""Find an array that has the shape of another and is there in the reverse sweep: for adjoints, only the shape counts."""

from __future__ import annotations

from backsweep.ad.checkpoint.records.recorder import Recorder
from backsweep.analysis.hoisting import extent_before
from backsweep.analysis.structure import Facts
from backsweep.ir.nodes import (
    Block,
    If,
    Node,
    Operand,
    Value,
)
from backsweep.ir.typed import dtype_of
from backsweep.ir.types import Array


class ShapesAtHand:
    """Finds such an array among those of the primal, or has `recorder` make one before the loops."""

    def __init__(self, facts: Facts, recorder: Recorder) -> None:
        self.facts = facts
        self.recorder = recorder

    def of(self, value: Value) -> Value:
        """An array of the shape and dtype of `value`, preferably one that is at hand in the reverse sweep."""
        block = self.facts.where.get(value)
        if block is None or block is self.facts.function.body:  # made in the reverse sweep, or there in it
            return value
        for other in self.facts.where:
            if self.facts.where[other] is self.facts.function.body and isinstance(other.type, Array):
                if other not in self.facts.unassigned and dtype_of(other) == dtype_of(value):
                    if self.facts.shapes.same(other, value):
                        return other
        return self._stand_in(value) or value

    def within(self, value: Value, block: Block) -> Value | None:
        """An array of the shape and dtype of `value` whose shape is known in the reverse sweep of the branch; None if there is none."""
        for other, where in self.facts.where.items():
            if (
                where in (block, self.facts.function.body)
                and isinstance(other.type, Array)
                and other is not value
            ):
                if self.facts.is_there(other, block) and dtype_of(other) == dtype_of(value):
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

    def of_operand(self, operand: Operand) -> Operand:
        """An array of the shape of the operand, if that is an array of the primal; any other operand is returned as it is."""
        if isinstance(operand, Value) and isinstance(operand.type, Array) and operand in self.facts.where:
            return self.of(operand)
        return operand
