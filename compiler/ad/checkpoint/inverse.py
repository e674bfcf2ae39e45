"""Restore carried values in the reverse sweep by undoing the loop's step, instead of recording them.

`a, b = b, a` is undone by another swap, `k += 1` by `k -= 1`: the reversed loop carries what the forward loop ended
with, and each reversed iteration steps back to what its iteration began with.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backsweep.analysis.structure import Facts
from backsweep.ir.nodes import Apply, Const, For, Operand, Value, While
from backsweep.ir.types import INT
from backsweep.ir.walk import carried_parameters

OPPOSITE = {operator.add: operator.sub, operator.sub: operator.add}


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
    steps: dict[Value, Apply] = field(default_factory=dict)

    @property
    def known(self) -> dict[Value, Operand]:
        """The parameters of the forward loop, with their values in a reversed iteration."""
        return {each.parameter: each.start for found in self.by_position.values() for each in found}

    def steps_of(self, used: Sequence[Undone]) -> list[Apply]:
        """The nodes that step back."""
        return [self.steps[each.start] for each in used if each.start in self.steps]

    def used(self, read: Mapping[Value, None]) -> list[Undone]:
        """The carried values that the reversed body reads, and those that these need."""
        positions = {p for p, found in self.by_position.items() if any(each.start in read for each in found)}
        while more := {self.by_position[p][0].source for p in positions} - positions:
            positions |= more
        return [each for p in sorted(positions) for each in self.by_position[p]]


def undoing(loop: For | While, facts: Facts, duals: Mapping[Value, Value]) -> Undoing:
    """The carried values of the loop that can be undone; references come with the shadows in `duals`."""
    parameters = carried_parameters(loop)
    sources = _sources(loop, parameters, facts)
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
        step = _step(loop, parameters, p, facts)
        entries = []
        for (parameter, carry, result), (_, before, _) in zip(carried[p], carried[source], strict=True):
            start = before
            if step is not None:
                start = Value(parameter.name, INT, loop.loc)
                found.steps[start] = Apply(start, OPPOSITE[step[0]], (before, step[1]), loop.loc)
            entries.append(Undone(parameter, carry, result, start, source))
        found.by_position[p] = entries
    return found


def _sources(loop: For | While, parameters: Sequence[Value], facts: Facts) -> dict[int, int]:
    """For each position that can be undone, the position that holds its value after an iteration."""
    candidates: dict[int, list[int]] = {}
    for position, operand in enumerate(loop.body.yields):
        if isinstance(operand, Value) and operand in parameters:
            candidates.setdefault(parameters.index(operand), []).append(position)
        elif _step(loop, parameters, position, facts) is not None:
            candidates.setdefault(position, []).append(position)
    changed = True
    while changed:
        kept = {p: [q for q in found if q in candidates] for p, found in candidates.items()}
        kept = {p: found for p, found in kept.items() if found}
        changed, candidates = kept != candidates, kept
    return {p: found[0] for p, found in candidates.items()}


def _step(
    loop: For | While, parameters: Sequence[Value], position: int, facts: Facts
) -> tuple[Any, Operand] | None:
    """The operator and the operand of `k += c`, where `c` does not change in the loop; None for any other update."""
    operand = loop.body.yields[position]
    node = facts.definitions.get(operand) if isinstance(operand, Value) else None
    if not isinstance(node, Apply) or node.function not in OPPOSITE or node.result.type != INT:
        return None
    left, right = node.operands
    if node.function is operator.add and right is parameters[position]:
        left, right = right, left
    fixed = isinstance(right, Const) or (right.type == INT and not facts.is_within(right, loop))
    return (node.function, right) if left is parameters[position] and left.type == INT and fixed else None


def _with_dual(parameter: Value, result: Value, duals: Mapping[Value, Value]) -> list[tuple[Value, Value]]:
    """A carried value with its result, and the shadows of both where it is a reference."""
    found = [(parameter, result)]
    if parameter in duals and result in duals:
        found.append((duals[parameter], duals[result]))
    return found
