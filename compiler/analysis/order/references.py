"""Prove that two references of one alias class are never the same memory, as two grids that change places in each iteration.

`old, new = new, old` makes one class of both. At any time they are two arrays all the same. What a branch or a loop
merges side by side is apart if all that it merges is apart; this is assumed until something contradicts it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from backsweep.analysis.alias import Aliases
from backsweep.ir.classes import Classes
from backsweep.ir.nodes import UNDEFINED, Apply, Block, For, Function, If, Node, Operand, Value, While
from backsweep.ir.types import Array
from backsweep.ir.walk import blocks, carried_parameters, operands, results, walk

MOST_REFERENCES = 8
"""So many references of a class are compared in one loop."""


@dataclass(frozen=True, slots=True)
class _Merge:
    """A value that a branch or a loop merges: the node, the group of its values, and the operands that it may be."""

    node: Node
    side: str
    sources: tuple[Operand, ...]


class References:
    """The references to arrays in a program, and which of them are apart."""

    def __init__(self, function: Function, aliases: Aliases) -> None:
        self.aliases = aliases
        self.made: dict[Value, Apply] = {}
        self.merged: dict[Value, _Merge] = {}
        self.around: dict[Value, tuple[Node, ...]] = {}
        """For each value the loops around its definition."""
        self.position: dict[Value, int] = {}
        self._read(function.body, ())

    def _read(self, block: Block, loops: tuple[Node, ...]) -> None:
        for parameter in block.parameters:
            self._note(parameter, loops)
        for node in block.nodes:
            for result in results(node):
                self._note(result, loops)
            if isinstance(node, Apply) and node.result not in self.aliases.bases:
                self.made[node.result] = node
            self._merges(node)
            inner = (*loops, node) if isinstance(node, For | While) else loops
            for each in blocks(node):
                self._read(each, inner)

    def _note(self, value: Value, loops: tuple[Node, ...]) -> None:
        self.around[value] = loops
        self.position[value] = len(self.position)

    def _merges(self, node: Node) -> None:
        """Note what the node merges."""
        match node:
            case If():
                for result, then, orelse in zip(
                    node.results, node.then.yields, node.orelse.yields, strict=True
                ):
                    self.merged[result] = _Merge(node, "result", (then, orelse))
            case For() | While():
                groups = {"result": node.results, "carried": carried_parameters(node)}
                if isinstance(node, While):
                    groups["condition"] = node.condition.parameters
                for side, values in groups.items():
                    for value, init, last in zip(values, node.inits, node.body.yields, strict=True):
                        self.merged[value] = _Merge(node, side, (init, last))
            case _:
                pass

    def are_distinct(self, one: Value, other: Value) -> bool:
        """Whether two arrays that a program has at hand at one place are never the same memory there."""
        todo: list[tuple[Operand, Operand]] = [(one, other)]
        seen: set[frozenset[Operand]] = {frozenset(todo[0])}
        while todo:
            further = self._further(*todo.pop())
            if further is None:
                return False
            for pair in further:
                if UNDEFINED not in pair and frozenset(pair) not in seen:
                    seen.add(frozenset(pair))
                    todo.append(pair)
        return True

    def _further(self, one: Operand, other: Operand) -> list[tuple[Operand, Operand]] | None:
        """The pairs that must be distinct for these two to be distinct; None if these two may be the same."""
        if not isinstance(one, Value) or not isinstance(other, Value):
            return None
        first, second = sorted(
            (self.aliases.root(one), self.aliases.root(other)), key=self.position.__getitem__
        )
        if first is second:
            return None
        here, there = self.merged.get(first), self.merged.get(second)
        if here is None and there is None:
            return [] if first in self.made and second in self.made else None
        if here is not None and there is not None and here.node is there.node and here.side == there.side:
            return list(zip(here.sources, there.sources, strict=True))
        if second in self.made and here is not None and here.node in self.around[second]:
            return []  # a new array in an iteration that the other came into
        for value, merge, fixed in ((second, there, first), (first, here, second)):
            if merge is not None and self._is_fixed(fixed, merge.node) and value is not fixed:
                return [(source, fixed) for source in merge.sources]
        return None

    def _is_fixed(self, value: Value, merging: Node) -> bool:
        """Whether the value is the same throughout the merging, so that it can be compared with all that is merged."""
        merge = self.merged.get(value)
        own = merge is not None and merge.node is merging
        return isinstance(merging, If) or (merging not in self.around[value] and not own)

    def within(self, loop: For, unsplit: AbstractSet[Value] = frozenset()) -> Aliases:
        """The classes for the loop alone, in which references from outside that are apart are in classes of their own.

        `unsplit` are classes that stay whole.
        """
        inside = list(walk(loop.body))
        own = {*loop.body.parameters, *(each for node in inside for each in results(node))}
        own |= {each for node in inside for block in blocks(node) for each in block.parameters}
        used = {
            each: self.aliases.root(each)
            for node in inside
            for each in (*operands(node), *results(node))
            if isinstance(each, Value) and isinstance(each.type, Array)
        }
        by_class: dict[Value, dict[Value, None]] = {}
        for each, root in used.items():
            by_class.setdefault(self.aliases.of(each), {})[root] = None
        classes = Classes()
        for leader, roots in by_class.items():
            whole = leader in unsplit or not own.isdisjoint(roots) or not self.position.keys() >= roots.keys()
            found = list(roots)
            for number, root in enumerate(found):
                for before in found[:number]:
                    if whole or len(found) > MOST_REFERENCES or not self.are_distinct(root, before):
                        classes.join(root, before)
        leaders = {each: classes.find(root) for each, root in used.items()}
        return dataclasses.replace(self.aliases, leader={**self.aliases.leader, **leaders})
