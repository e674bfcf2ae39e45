"""Restore carried values in the reverse sweep by undoing the loop's step, instead of recording them.

`a, b = b, a` is undone by another swap, `k += 1` by `k -= 1`, `if k % 2 == 0: sign = -sign` by itself: the reversed loop carries
what the forward loop ended with, and each reversed iteration steps back to what its iteration began with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from backsweep.ad.checkpoint.ways_back import WaysBack
from backsweep.analysis.structure import Facts
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Block, For, Node, Operand, Value, While
from backsweep.ir.walk import carried_parameters, substitute


@dataclass(frozen=True, slots=True)
class Undone:
    """One carried value: what the reversed loop carries for it from `init` on, and what it was at the iteration's start."""

    parameter: Value
    carried: Value
    init: Operand
    start: Value
    source: int


@dataclass(slots=True)
class Undoing:
    """The carried values of one loop that can be undone; `steps` are the nodes that step back."""

    by_position: dict[int, list[Undone]] = field(default_factory=dict)
    steps: dict[Value, tuple[Node, ...]] = field(default_factory=dict)

    @property
    def known(self) -> dict[Value, Operand]:
        """The parameters of the forward loop, with their values in a reversed iteration."""
        return {each.parameter: each.start for found in self.by_position.values() for each in found}

    def steps_of(self, used: Sequence[Undone], known: dict[Value, Operand]) -> tuple[Node, ...]:
        """The nodes that step back; `known` is what the index of the forward loop is in a reversed iteration."""
        nodes = [node for each in used for node in self.steps.get(each.start, ())]
        return substitute(Block((), tuple(nodes), ()), known).nodes

    def used(self, read: Mapping[Value, None]) -> list[Undone]:
        """The carried values that the reversed body reads, and those that these need."""
        positions = {p for p, found in self.by_position.items() if any(each.start in read for each in found)}
        while more := {self.by_position[p][0].source for p in positions} - positions:
            positions |= more
        return [each for p in sorted(positions) for each in self.by_position[p]]


def undoing(loop: For | While, facts: Facts, duals: Mapping[Value, Value]) -> Undoing:
    """The carried values of the loop that can be undone; references come with the shadows in `duals`."""
    parameters = carried_parameters(loop)
    ways = WaysBack(loop, facts)
    sources = _sources(loop, parameters, ways)
    found = Undoing()
    # Named by what they are in the reversed iteration, so that its statements read like those they reverse.
    names = {source: parameters[p] for p, source in sources.items()}
    carried = {
        p: [
            (parameter, Value(named.name, parameter.type, loop.loc), result)
            for (parameter, result), (named, _) in zip(
                _with_dual(parameters[p], loop.results[p], duals),
                _with_dual(names.get(p, parameters[p]), loop.results[p], duals),
                strict=True,
            )
        ]
        for p in sources
    }
    for p, source in sources.items():
        way = ways.of(p, parameters[p]) if source == p else None
        entries = []
        for (parameter, carry, result), (_, before, _) in zip(carried[p], carried[source], strict=True):
            start: Operand = before
            if way is not None:
                builder = Builder(loc=loop.loc)
                start = way(builder, before)
                if isinstance(start, Value) and start is not before:
                    found.steps[start] = tuple(builder.current.nodes)
            assert isinstance(start, Value)
            entries.append(Undone(parameter, carry, result, start, source))
        found.by_position[p] = entries
    return found


def _sources(loop: For | While, parameters: Sequence[Value], ways: WaysBack) -> dict[int, int]:
    """For each position that can be undone, the position that holds its value after an iteration."""
    candidates: dict[int, list[int]] = {}
    for position, operand in enumerate(loop.body.yields):
        if isinstance(operand, Value) and operand in parameters:
            candidates.setdefault(parameters.index(operand), []).append(position)
        elif ways.of(position, parameters[position]) is not None:
            candidates.setdefault(position, []).append(position)
    changed = True
    while changed:
        kept = {p: [q for q in found if q in candidates] for p, found in candidates.items()}
        kept = {p: found for p, found in kept.items() if found}
        changed, candidates = kept != candidates, kept
    return {p: found[0] for p, found in candidates.items()}


def _with_dual(parameter: Value, result: Value, duals: Mapping[Value, Value]) -> list[tuple[Value, Value]]:
    """A carried value with its result, and the shadows of both where it is a reference."""
    found = [(parameter, result)]
    if parameter in duals and result in duals:
        found.append((duals[parameter], duals[result]))
    return found
