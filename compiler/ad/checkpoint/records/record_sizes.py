"""Compute, at the top of the reverse sweep, how many entries a value has over all iterations of the loops around it.

Where a count is not known before the loops run, the forward sweep takes the largest that it meets.
"""

from __future__ import annotations

import dataclasses

from backsweep.ad.checkpoint.records.recorder import Recorder
from backsweep.analysis.hoisting import Hoisted, extent_before
from backsweep.analysis.structure import Facts
from backsweep.analysis.trip_counts import trip_count, trips_here
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, For, If, Node, Operand, Value, While
from backsweep.ir.types import INT, Array


@dataclasses.dataclass(frozen=True, slots=True)
class Extents:
    """Writes extents with `builder` at the top of the reverse sweep; has `recorder` count those that only the forward sweep knows."""

    facts: Facts
    recorder: Recorder
    builder: Builder

    def of(self, node: Apply) -> list[Operand]:
        """The trips of each loop around the node, outermost first, then the extents of its result."""
        regions = self.facts.path(self.facts.holder[node])
        loops = [region for region in regions if isinstance(region, For | While)]
        found = [self._here(self._trips(loop)) or self._longest(loop) for loop in reversed(loops)]
        if isinstance(node.result.type, Array):
            for axis, extent in enumerate(self.facts.shapes.of(node.result)):
                known = extent_before(extent, regions[-1], self.facts) if regions else None
                found.append(self._here(known) or self._largest(node.result, axis))
        return found

    def _here(self, known: Hoisted | None) -> Operand | None:
        """The operand, computed at the top of the reverse sweep; None if that cannot be."""
        if known is None:
            return None
        self.builder.add(*known[0])
        return known[1]

    def _trips(self, loop: For | While) -> Hoisted | None:
        if not isinstance(loop, For) or loop.exit is not None:
            return None
        path = self.facts.path(self.facts.holder[loop])
        return trip_count(loop, path[-1] if path else loop, self.facts)

    def _longest(self, loop: For | While) -> Operand:
        """The most iterations that the loop ran."""
        home = self.facts.holder[loop]
        counting = Builder(loc=loop.loc)
        if isinstance(loop, For) and loop.exit is None:
            trips = trips_here(loop, counting, self.facts, loop.start, loop.stop, loop.step)
        else:
            trips = self.recorder.trips(loop)
        self.recorder.after.setdefault(loop, []).extend(counting.current.nodes)
        return self._most(trips, home, "most_trips", self.recorder.after[loop])

    def _largest(self, array: Value, axis: int) -> Operand:
        """The largest extent of the array."""
        home = self.facts.where[array]
        counting = Builder(loc=array.loc)
        extent = counting.extent(array, axis)
        site = self.recorder.site(array, home)
        site.extend(counting.current.nodes)
        return self._most(extent, home, "largest", site)

    def _most(self, number: Operand, home: Block, name: str, site: list[Node]) -> Operand:
        """The largest value that a number of the block `home` takes; the nodes that find it are appended to `site`."""
        thread = self.recorder.thread(home, name, INT, Const(0))
        block = home
        if thread.carries:
            counting = Builder(loc=thread.carries[0][0].loc)
            larger = counting.apply(max, thread.here, number, name=name, type=INT)
            site.extend(counting.current.nodes)
            thread.finish(self.recorder, larger)
            number = thread.end
            block = self.facts.holder[thread.carries[-1][0]]
        return self._at_top(number, block)

    def _at_top(self, number: Operand, block: Block) -> Operand:
        """A number handed out of the branches around its block, which is in no loop; zero where they are not taken."""
        while isinstance(number, Value) and block in self.facts.parents:
            region, parent = self.facts.parents[block]
            assert isinstance(region, If)
            result = dataclasses.replace(number)
            sides = (number, Const(0)) if block is region.then else (Const(0), number)
            self.recorder.results.setdefault(region, []).append((result, *sides))
            self.recorder.define(result, region)
            number, block = result, parent
        return number


def is_known_before(array: Value, facts: Facts) -> bool:
    """Whether the shape of an array is known before the loops and branches around it."""
    regions = facts.path(facts.where[array])
    return all(extent_before(extent, regions[-1], facts) is not None for extent in facts.shapes.of(array))
