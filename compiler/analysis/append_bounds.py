"""Bound the number of entries that a part of the program appends to a list, before that part runs."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping

from backsweep.analysis.trip_counts import arithmetic, unit
from backsweep.ir.build import Builder
from backsweep.ir.effects import may_fail
from backsweep.ir.nodes import Append, Apply, Block, Const, For, Function, If, Node, Operand, Value
from backsweep.ir.operations import OF_INTEGERS, Kind, kind
from backsweep.ir.types import INT, List
from backsweep.ir.walk import Rename, blocks, definitions_of, rename_operands, results, walk
from backsweep.runtime.lists import sequences
from backsweep.runtime.lists.sequences import shortened


class AppendBound:
    """Bounds of the number of appended entries, for the nodes of one program."""

    def __init__(self, function: Function) -> None:
        self.definitions = definitions_of(function)
        self.appended = {node.buffer for node in walk(function.body) if isinstance(node, Append)}
        self.shortened = {
            node.operands[0]
            for node in walk(function.body)
            if isinstance(node, Apply) and node.function is shortened
        }

    def bound(self, node: Node, buffer: Value, builder: Builder, rename: Rename) -> Operand | None:
        """An upper bound of the number of entries that `node` appends, computed before `node`; None if none is known there."""
        inside = {value for inner in walk(Block((), (node,), ())) for value in _bound_in(inner)}
        with builder.block() as trial:
            total = self._total((node,), buffer, builder, _Hoist(self.definitions, inside, rename, builder))
        if total is not None:
            builder.add(*trial.nodes)
        return total

    def _total(
        self, nodes: tuple[Node, ...], buffer: Value, builder: Builder, hoist: _Hoist
    ) -> Operand | None:
        """A bound of the appends of consecutive nodes."""
        total: Operand = Const(0)
        for node in nodes:
            more = self._appends(node, buffer, builder, hoist)
            if more is None:
                return None
            total = more if _is(total, 0) else arithmetic(builder, operator.add, total, more)
        return total

    def _appends(self, node: Node, buffer: Value, builder: Builder, hoist: _Hoist) -> Operand | None:
        """A bound of the appends of one node: of a branch the appends of both sides, of a loop those of all iterations."""
        match node:
            case Append():
                return Const(1 if node.buffer is buffer else 0)
            case If():
                return self._total((*node.then.nodes, *node.orelse.nodes), buffer, builder, hoist)
            case For():
                each = self._total(node.body.nodes, buffer, builder, hoist)
                if each is None or _is(each, 0):
                    return each
                bounds = [hoist(operand) for operand in (node.start, node.stop, node.step)]
                if any(bound is None for bound in bounds):
                    return None
                trips = self._trips(node, builder, *(bound for bound in bounds if bound is not None))
                return trips if _is(each, 1) else arithmetic(builder, operator.mul, trips, each)
            case _ if any(isinstance(inner, Append) and inner.buffer is buffer for inner in _within(node)):
                return None
            case _:
                return Const(0)

    def once(self, node: Node, buffer: Value) -> bool:
        """Whether every iteration of the loop appends to the list exactly once, and none leaves it early."""
        appends = [inner for inner in _within(node) if isinstance(inner, Append) and inner.buffer is buffer]
        return (
            isinstance(node, For)
            and node.exit is None
            and buffer not in self.shortened
            and len(appends) == 1
            and appends[0] in node.body.nodes
        )

    def trips(self, node: For, builder: Builder, rename: Rename) -> Operand:
        """The loop's trip count."""
        return self._trips(node, builder, rename(node.start), rename(node.stop), rename(node.step))

    def _trips(self, node: For, builder: Builder, start: Operand, stop: Operand, step: Operand) -> Operand:
        match unit(node.step):
            case 1:
                count = arithmetic(builder, operator.sub, stop, start)
            case -1:
                count = arithmetic(builder, operator.sub, start, stop)
            case _:
                return builder.apply(sequences.trip_count, start, stop, step, type=INT)
        if isinstance(count, Const) and not count.name:
            return Const(max(count.value, 0))
        if count is stop and isinstance(node.stop, Value) and self._is_extent(node.stop):
            return count
        return builder.apply(max, count, Const(0), type=INT)

    def _is_extent(self, value: Value) -> bool:
        """Whether the value is the length of something, so that it is not negative."""
        node = self.definitions.get(value)
        return isinstance(node, Apply) and kind(node.function) is Kind.EXTENT


@dataclasses.dataclass(frozen=True, slots=True)
class _Hoist:
    """Computes operands before a node; `inside` are the values that this node defines, which are not there yet."""

    definitions: Mapping[Value, Node]
    inside: set[Value]
    rename: Rename
    builder: Builder

    def __call__(self, operand: Operand) -> Operand | None:
        if not isinstance(operand, Value) or operand not in self.inside:
            return self.rename(operand)
        node = self.definitions.get(operand)
        if not isinstance(node, Apply) or kind(node.function) not in OF_INTEGERS or may_fail(node):
            return None
        if any(isinstance(part, Value) and isinstance(part.type, List) for part in node.operands):
            return None  # its length changes
        moved = {part: self(part) for part in node.operands}
        if any(part is None for part in moved.values()):
            return None
        copy = dataclasses.replace(operand)
        renamed = rename_operands(node, lambda part: moved.get(part) or part)
        assert isinstance(renamed, Apply)
        self.builder.add(dataclasses.replace(renamed, result=copy))
        return copy


def _within(node: Node) -> list[Node]:
    return list(walk(Block((), (node,), ())))


def _bound_in(node: Node) -> tuple[Value, ...]:
    return (*results(node), *(parameter for block in blocks(node) for parameter in block.parameters))


def _is(operand: Operand, number: int) -> bool:
    return isinstance(operand, Const) and not operand.name and bool(operand.value == number)
