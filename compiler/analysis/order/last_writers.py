"""Decide which write a load finds: what the array was made of, or which store, in which iteration.

This is the question of exact dataflow analysis (Feautrier, "Dataflow analysis of array and scalar references", 1991). It is
answered where no store reaches the load, and for arrays that one store fills, in loops over their indices that run to the
end before the load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backsweep.analysis.integers.affine import Affine, at_least, infeasible, literal
from backsweep.analysis.structure import facts_of
from backsweep.ir.effects import effect
from backsweep.ir.nodes import For, Function, If, Load, Node, Operand, Store, Value, While, fact
from backsweep.ir.walk import walk


@dataclass(frozen=True, slots=True)
class Writer:
    """A store that wrote what a load finds.

    `nest` are the loops around the store that ran to their ends before the load, outermost first; `iteration` is, for the
    index of each of them, its value when the store wrote the element. No other iteration of the nest wrote it.
    """

    store: Store
    nest: tuple[For, ...]
    iteration: dict[Value, Operand]


@fact
def last_writers_of(function: Function) -> LastWriters:
    """Which writes the loads of a program find."""
    return LastWriters(function)


class LastWriters:
    """Answers about the loads of one program."""

    def __init__(self, function: Function) -> None:
        self.facts = facts_of(function)
        self.places = self.facts.subscripts.places
        self.writers: dict[Value, list[Node]] = {}
        """The nodes that write to each class of arrays."""
        for node in walk(function.body):
            for value in () if isinstance(node, If | For | While) else effect(node).writes:
                self.writers.setdefault(self.facts.aliases.of(value), []).append(node)

    def finds_what_it_was_made_of(self, load: Load) -> bool:
        """Whether the load surely finds what the array held when it was made."""
        assert isinstance(load.buffer, Value)
        return all(
            isinstance(writer, Store) and not self.facts.subscripts.may_reach(writer, load)
            for writer in self.writers.get(self.facts.aliases.of(load.buffer), ())
        )

    def writer(self, load: Load) -> Writer | None:
        """The store that surely wrote what the load finds; None if that is not proved.

        It is looked for where one store alone writes to the memory, element by element.
        """
        assert isinstance(load.buffer, Value)
        match self.writers.get(self.facts.aliases.of(load.buffer)):
            case [Store() as store] if len(store.index) == len(load.index):
                nest = self._filled_before(store, load)
                iteration = self._iteration(store, load, nest) if nest else None
                return None if nest is None or iteration is None else Writer(store, nest, iteration)
            case _:
                return None

    def _filled_before(self, store: Store, load: Load) -> tuple[For, ...] | None:
        """The loops around the store that run to their ends before the load does, in the same iteration of all others."""
        parents = self.facts.parents
        around, block = [self.facts.holder[load]], self.facts.holder[load]
        while block in parents:
            _, block = parents[block]
            around.append(block)
        nest: list[For] = []
        block = self.facts.holder[store]
        while block not in around:
            region, block = parents[block]
            if not isinstance(region, For) or region.exit is not None or region.checkpoint is not None:
                return None
            nest.insert(0, region)
        return tuple(nest) if self.facts.position[store] < self.facts.position[load] else None

    def _iteration(self, store: Store, load: Load, nest: Sequence[For]) -> dict[Value, Operand] | None:
        """For each index of the nest, its value in the iteration that wrote what the load finds; None if not proved."""
        loops = {each.body.parameters[0]: each for each in nest}
        found: dict[Value, Operand] = {}
        for written, read in zip(store.index, load.index, strict=True):
            if not isinstance(written, Operand) or not isinstance(read, Operand):
                return None
            if isinstance(written, Value) and written in loops:
                if written in found or not self._is_reached(load, read, loops[written]):
                    return None
                found[written] = read
            elif self._varies(written, nest[0]) or self.places.affine(written) != self.places.affine(read):
                return None
        return found if found.keys() == loops.keys() else None

    def _is_reached(self, load: Load, place: Operand, loop: For) -> bool:
        """Whether the index of the loop surely takes this value, which is not negative."""
        first = literal(loop.start)
        if first is None or first < 0 or literal(loop.step) != 1:
            return False
        read, context = self.places.affine(place), self.places.context(load)
        outside = (at_least(Affine(first), read + 1), at_least(read, self.places.affine(loop.stop)))
        return all(infeasible(self.places.with_facts([*context, each])) for each in outside)

    def _varies(self, operand: Operand, loop: For) -> bool:
        """Whether the operand is computed in the loop."""
        return isinstance(operand, Value) and self.facts.is_within(operand, loop)
