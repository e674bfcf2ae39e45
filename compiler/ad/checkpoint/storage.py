"""Provide the values of the primal that the reverse sweep reads: at hand, computed again, read back or recorded.

When a reversed block is complete, `resolve` looks at the primal values of the mirrored block that it reads. A minimum cut
(`policy.py`) chooses which of them to record (`records/`) and which to compute again from those (`recompute.py`). What this asks
of the forward sweep is collected in a `Recorder`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backsweep.ad.checkpoint.policy import Plan
from backsweep.ad.checkpoint.recompute import clone, in_order
from backsweep.ad.checkpoint.records.choices import Choice, How, read_by, repeated
from backsweep.ad.checkpoint.records.copies import Copies
from backsweep.ad.checkpoint.records.duals import add_duals
from backsweep.ad.checkpoint.records.iteration_numbers import IterationNumbers
from backsweep.ad.checkpoint.records.names import name_of_record
from backsweep.ad.checkpoint.records.recorder import Recorder
from backsweep.ad.checkpoint.records.tapes import Tapes
from backsweep.ad.checkpoint.shapes_at_hand import ShapesAtHand
from backsweep.analysis.structure import ActiveFacts
from backsweep.diagnostics import Loc
from backsweep.ir.build import Builder, christen
from backsweep.ir.nodes import Block, For, Function, Node, Operand, Value, While
from backsweep.ir.walk import free_values, substitute


class Storage:
    """Answers the reverse sweep's requests for primal values and collects what the forward sweep must record."""

    def __init__(self, function: Function, facts: ActiveFacts, builder: Builder, new_list: Any) -> None:
        self.function = function
        self.facts = facts
        self.builder = builder
        self.recorder = Recorder(facts, new_list)
        self.references: set[Value] = set()
        self.plan = Plan(facts, self.references)
        self.choices: list[Choice] = []
        self.origin: dict[Value, Value] = {}
        self.copies = Copies(facts, self.recorder, self.choices, self.origin)
        self.shapes = ShapesAtHand(facts, self.recorder)
        self.numbers = IterationNumbers(facts, builder)
        self.tapes = Tapes(facts, self.recorder, builder, self.numbers, self.references)
        self.duals = add_duals(facts, self.recorder)
        self.references.update(self.duals.values())
        self.origin.update((shadow, value) for value, shadow in self.duals.items())

    def contents(self, operand: Operand, node: Node) -> Operand:
        """The operand as `node` saw it: an array that is written afterwards is copied in the forward sweep."""
        holder = self.facts.holder.get(node)
        region = None if holder not in self.facts.parents else self.facts.parents[holder][0]
        if isinstance(region, For | While) and region.checkpoint is not None:
            return self.copies.before(operand, node, region)
        return self.copies.contents(operand, node)

    def resolve(
        self,
        block: Block,
        nodes: list[Node],
        known: dict[Value, Operand] | None = None,
        held: Sequence[Value] = (),
    ) -> list[Node]:
        """The reversed block with every value of the mirrored `block` that it reads made available.

        `known` holds values that need no storage (the loop's index); `held` are those of them that the loop's result shows.
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
        again = in_order(needed, [*recorded, *(each.copy for each in snapshots)], inputs, self.facts)
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
        clones = [
            clone(value, stored.get(value), replacement, self.facts, self.plan.snapshots) for value in again
        ]
        opening = substitute(Block((), tuple(head.nodes), ()), known)
        body = substitute(Block((), tuple(nodes), ()), replacement)
        return [*opening.nodes, *(node for each in clones for node in each), *body.nodes]

    def _recorded(self, value: Value, block: Block, readers: tuple[Loc, ...]) -> Operand:
        """The operand that holds a recorded value in the reverse sweep; asks the forward sweep to record it."""
        named = bool(value.name)
        christen(value, name_of_record(self.facts.definitions.get(value)))
        record = self.tapes.record(value, block)
        self.choices.append(Choice(value, record.how, (), readers, record.memory, record.lengths, named))
        self.origin[record.memory] = value
        return record.operand

    def forward(self) -> tuple[Node, ...]:
        """The forward sweep: the primal with everything that was asked for recorded."""
        return self.recorder.forward(self.function.body).nodes
