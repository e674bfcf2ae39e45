"""The number of the iteration that is being reversed, for each loop, counted from 0."""

from __future__ import annotations

from backsweep.analysis.structure import Facts
from backsweep.analysis.trip_counts import counter_of, iteration
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    For,
    Operand,
    Value,
    While,
)
from backsweep.ir.types import INT


class IterationNumbers:
    """Finds or makes the number of the iteration that is being reversed, as an operand of the reverse sweep."""

    def __init__(self, facts: Facts, builder: Builder) -> None:
        self.facts = facts
        self.builder = builder
        self.trips: dict[For | While, Value] = {}

    def of(self, loop: For | While) -> Operand:
        """The number of the loop's iteration: computed from the index, or counted where the loop may end early."""
        if isinstance(loop, For) and loop.exit is None:
            return iteration(loop, self.builder)
        return self.of_early_end(loop)

    def of_early_end(self, loop: For | While) -> Value:
        """The value that counts the reversed iterations of a loop that may end early; it is the same at each call."""
        if loop not in self.trips:
            counter = counter_of(loop, self.facts)
            name = counter[0].name if counter is not None else ""
            self.trips[loop] = Value(name if name not in ("", "trips") else "trip", INT, loop.loc)
        return self.trips[loop]
