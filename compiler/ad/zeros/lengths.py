"""Recognise lengths that are written out: roots of sums of squares, `np.sqrt(dx * dx + dy * dy)` or `np.sqrt(np.sum(d**2, axis=1))`.

By the chain rule the derivative of such a root is infinite at zero, and that of the sum is zero there, whatever moves. The
derivative of the length along each part that is squared (`along`, decision 41) sees whether that part moves, and is shorter.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from backsweep.ad.zeros.ranges import Ranges
from backsweep.analysis.structure import ActiveFacts
from backsweep.ir.effects import written_by
from backsweep.ir.nodes import Apply, Block, Const, Operand, Value
from backsweep.ir.operations import canonical
from backsweep.ir.typed import dtype_of, type_of
from backsweep.ir.types import Scalar
from backsweep.ir.walk import walk
from backsweep.runtime.special import norm_along, norm_along_kept, root_mean_square

Scale = tuple[Callable[..., Any], Operand]
"""What the square is multiplied with or divided by: the operator and the other operand."""


@dataclasses.dataclass(frozen=True)
class Part:
    """One square under a root: `call` is the length if it were the only one, of the root's result."""

    call: Apply
    scales: tuple[Scale, ...]

    @property
    def side(self) -> Value:
        """What is squared."""
        side = self.call.operands[0]
        assert isinstance(side, Value)
        return side


def parts_of_length(node: Apply, facts: ActiveFacts, ranges: Ranges) -> list[Part] | None:
    """What is squared under the root that the node takes, as far as it varies; None if the node takes no such root."""
    match canonical(node.function), node.operands:
        case ((np.sqrt | math.sqrt), (Value() as below,)):
            pass
        case operator.pow, (Value() as below, Const(value=float() as power)) if power == 0.5:
            pass
        case _:
            return None
    if node.keywords or not _is_real(below) or below not in facts.active:
        return None
    if ranges.at(below, facts.where[node.result]).is_positive:
        return None  # the chain rule divides once for each root
    parts = list(_Squares(node, facts, ranges).under(below, ()))
    return None if None in parts else [part for part in parts if part is not None]


def parts_of_lengths(facts: ActiveFacts, ranges: Ranges) -> dict[Value, list[Part]]:
    """What is squared under each such root of the program."""
    calls = [node for node in facts.definitions.values() if isinstance(node, Apply)]
    found = ((node.result, parts_of_length(node, facts, ranges)) for node in calls)
    return {root: parts for root, parts in found if parts is not None}


class _Squares:
    """Takes a sum apart; None stands for what is no square."""

    def __init__(self, root: Apply, facts: ActiveFacts, ranges: Ranges) -> None:
        self.root = root
        self.alike = ranges.alike
        self.facts = facts

    def under(self, below: Operand, scales: tuple[Scale, ...]) -> Iterator[Part | None]:
        """The parts of one term of the sum."""
        if not isinstance(below, Value) or not self.varies(below):
            return
        node = self.facts.definitions.get(below)
        named = dict(node.keywords) if isinstance(node, Apply) else {}
        if not isinstance(node, Apply) or named.keys() - {"axis"} or not self.is_term(below):
            yield None
            return
        match canonical(node.function), (*node.operands, *named.values()):
            case operator.add, (one, other):
                yield from self.under(one, scales)
                yield from self.under(other, scales)
            case operator.mul, (one, other) if not self.varies(one):
                yield from self.under(other, (*scales, (operator.mul, one)))
            case (operator.mul | operator.truediv) as by, (one, other) if not self.varies(other):
                yield from self.under(one, (*scales, (by, other)))
            case np.sum, (Value() as squares, *_) if isinstance(type_of(below), Scalar):
                yield self.part(self.squared(squares), np.linalg.norm, (), scales)
            case np.sum, (Value() as squares, Const(value=int()) as axis) if self.is_whole(below):
                yield self.part(self.squared(squares), norm_along, (axis,), scales)
            case np.expand_dims, (Value() as sums, Const() as axis) if self.is_whole(below):
                yield self.kept(sums, axis, scales)
            case np.mean, (Value() as squares,):
                yield self.part(self.squared(squares), root_mean_square, (), scales)
            case ((operator.matmul | np.dot | np.vdot), (one, other)) if one is other:
                yield self.part(one, np.linalg.norm, (), scales)
            case _:
                yield self.part(self.squared(below), np.hypot, (Const(0.0),), scales)

    def is_term(self, below: Value) -> bool:
        """Whether the operand has as many axes as the sum, and keeps its entries."""
        return type_of(below) == type_of(self.root.operands[0]) and not self.facts.aliases.in_memory(below)

    def is_whole(self, below: Value) -> bool:
        """Whether the term has an entry for each of the sum, not one for several."""
        return self.facts.shapes.same(below, self.root.result)

    def varies(self, operand: Operand) -> bool:
        return isinstance(operand, Value) and operand in self.facts.active

    def kept(self, sums: Value, axis: Const, scales: tuple[Scale, ...]) -> Part | None:
        """The part of a sum along an axis that stays, with one entry."""
        node = self.facts.definitions.get(sums)
        if not isinstance(node, Apply) or canonical(node.function) is not np.sum:
            return None
        operands = [*node.operands, *dict(node.keywords).values()]
        is_same = len(operands) == 2 and self.alike(operands[1], axis)
        side = self.squared(operands[0]) if isinstance(operands[0], Value) and is_same else None
        return self.part(side, norm_along_kept, (axis,), scales)

    def squared(self, value: Value) -> Operand | None:
        """What the value is the square of."""
        node = self.facts.definitions.get(value)
        if not isinstance(node, Apply) or node.keywords or self.facts.aliases.in_memory(value):
            return None
        match canonical(node.function), node.operands:
            case operator.mul, (one, other) if self.alike(one, other):
                return one
            case operator.pow, (one, Const(value=int() | float() as power)) if power == 2:
                return one
            case np.square, (one,):
                return one
            case _:
                return None

    def part(
        self, side: Operand | None, function: Any, more: tuple[Operand, ...], scales: tuple[Scale, ...]
    ) -> Part | None:
        """The part whose square this is, if nothing writes to it before the root is taken."""
        if not isinstance(side, Value) or not _is_real(side) or not self.is_settled(side):
            return None
        return Part(Apply(self.root.result, function, (side, *more), self.root.loc), scales)

    def is_settled(self, side: Value) -> bool:
        """Whether nothing writes memory of the value from where it is squared first until the root is taken."""
        aliases = self.facts.aliases
        if not aliases.in_memory(side):
            return True
        nodes = self.facts.where[self.root.result].nodes
        squared = next(
            (at for at, node in enumerate(nodes) if isinstance(node, Apply) and side in node.operands), None
        )
        if squared is None or aliases.is_listed(side):
            return False
        until_root = itertools.takewhile(lambda node: node is not self.root, nodes[squared:])
        written = [value for node in walk(Block((), tuple(until_root), ())) for value in written_by(node)]
        return not any(aliases.same(side, value) for value in written)


def _is_real(operand: Operand) -> bool:
    return dtype_of(operand) in ("float64", "float32")
