"""Choose which values of the primal a reversed block computes again or reads back, and which are recorded."""

from __future__ import annotations

import math
from collections.abc import Sequence

from backsweep.analysis.alias import is_perhaps_view
from backsweep.analysis.min_cut import INFINITE, cheapest_cut
from backsweep.analysis.snapshots import Snapshot, Snapshots
from backsweep.analysis.structure import Facts
from backsweep.ir.nodes import (
    Apply,
    Block,
    Const,
    Custom,
    If,
    Load,
    Operand,
    Slice,
    Store,
    Tap,
    Value,
    View,
    equals,
)
from backsweep.ir.operations import INEXPENSIVE, Kind, Sharing, operation
from backsweep.ir.typed import is_position
from backsweep.ir.types import Array, Scalar, Tuple
from backsweep.ir.walk import free_values, index_operands, operands
from backsweep.rules.declare import is_elementwise

ARRAY_WEIGHT = 64.0
"""How many entries an axis of unknown extent is taken to have."""


def is_inexpensive(node: Apply) -> bool:
    """Whether the function costs no more than the store and the load of its result: a small power is a product."""
    if isinstance(node.function, Tap | Custom):
        return True
    known = operation(node.function)
    if known.kind is Kind.POWER:
        return equals(node.operands[1], 2, 3)
    return known.kind in INEXPENSIVE or known.sharing is Sharing.ALWAYS


class Plan:
    """Chooses, for one block at a time, the cheapest values to record; `references` are never computed again."""

    def __init__(self, facts: Facts, references: set[Value]) -> None:
        self.facts = facts
        self.references = references
        self.snapshots = Snapshots(facts)

    def choose(
        self, needed: Sequence[Value], block: Block, known: dict[Value, Operand]
    ) -> tuple[list[Value], list[Snapshot], dict[Value, Sequence[Value] | None]]:
        """The values of the block to record, snapshots to take, and for each value at stake what it is computed from."""
        inputs: dict[Value, Sequence[Value] | None] = {}
        self._explain(needed, block, known, inputs)
        loads = [node for value in inputs if isinstance(node := self.facts.definitions.get(value), Load)]
        offered = {
            snapshot.copy: snapshot
            for load in loads
            if (snapshot := self.snapshots.of(load)) is not None and snapshot.copy in inputs
        }
        weight = {
            value: offered[value].weight if value in offered else self._weight(value) for value in inputs
        }
        chosen = cheapest_cut(needed, inputs, weight)
        recorded = [value for value in chosen if value not in offered]
        return recorded, [offered[value] for value in chosen if value in offered], inputs

    def _explain(
        self,
        needed: Sequence[Value],
        block: Block,
        known: dict[Value, Operand],
        inputs: dict[Value, Sequence[Value] | None],
    ) -> None:
        """Fill `inputs`: for each needed value, and each value that it is computed from, the values of this block that it reads."""
        todo = list(needed)
        while todo:
            value = todo.pop()
            if value in inputs:
                continue
            sources = self._sources(value, block)
            if sources is not None:
                # A snapshot that is not taken yet is nowhere.
                sources = [
                    each
                    for each in sources
                    if self.facts.where.get(each, block) is block and each not in known
                ]
                todo += sources
            inputs[value] = sources

    def _sources(self, value: Value, block: Block) -> list[Value] | None:
        """What the value can cheaply be computed from again; None if it must be recorded."""
        stored = self.read_back(value, block)
        if stored is not None:
            return [stored.buffer, *_values(index_operands(stored.index))]
        node = self.facts.definitions.get(value)
        match node:
            case Apply() if self._is_as_made(value) and (is_inexpensive(node) or is_perhaps_view(node)):
                return self._pure_sources(node)
            case Apply() if self._is_invariant(node, block):
                return []
            case Load() if self.facts.is_stable(node):
                return _values(operands(node))
            case Load() if (snapshot := self.snapshots.of(node)) is not None:
                return [snapshot.copy, *_values(index_operands(node.index))]
            case View():
                return _values(operands(node))
            case If() if self._is_cheap(node):
                inner = Block((), (node,), ())
                return list(free_values(inner))
            case _:
                return None

    def _is_as_made(self, value: Value) -> bool:
        """Whether a value is what its definition made: nothing is written to it, and it is no reference to something."""
        aliases = self.facts.aliases
        return value not in self.references and (value in aliases.bases or not aliases.is_buffer(value))

    def _is_invariant(self, node: Apply, block: Block) -> bool:
        """Whether a function of numbers has the same value in every iteration (the machine hoists it)."""
        return (
            isinstance(node.result.type, Scalar)
            and is_elementwise(node)
            and all(
                isinstance(operand, Const) or self._is_outer_scalar(operand, block)
                for operand in operands(node)
            )
        )

    def _is_outer_scalar(self, value: Value, block: Block) -> bool:
        loop = self.facts.loop_body(block)
        if loop is None or not isinstance(value.type, Scalar):
            return False
        return not self.facts.is_within(value, self.facts.parents[loop][0])

    def _pure_sources(self, node: Apply) -> list[Value] | None:
        """The operands of a cheap function, unless it reads memory that changes afterwards."""
        shape_only = operation(node.function).shape_only
        for position, operand in enumerate(node.operands):
            if isinstance(operand, Value) and isinstance(operand.type, Array) and position not in shape_only:
                sharing = node.result in self.facts.aliases.bases and not is_perhaps_view(node)
                if not sharing and self.facts.overwritten_after(operand, node):
                    return None
        return _values(operands(node))

    def _is_cheap(self, node: If) -> bool:
        """Whether a branch only chooses between values that are at hand or cheap."""
        for block in (node.then, node.orelse):
            for inner in block.nodes:
                match inner:
                    case Apply() if is_inexpensive(inner) and not isinstance(inner.result.type, Array):
                        if self._pure_sources(inner) is None:
                            return False
                    case Load() if self.facts.is_stable(inner):
                        pass
                    case If() if self._is_cheap(inner):
                        pass
                    case _:
                        return False
        return all(
            not isinstance(result.type, Array) or result in self.references for result in node.results
        ) or all(not block.nodes for block in (node.then, node.orelse))

    def read_back(self, value: Value, block: Block) -> Store | None:
        """A store of the value to memory that nothing writes afterwards."""
        definition = self.facts.definitions.get(value)
        if isinstance(definition, Load) and self.facts.is_stable(definition):
            return None
        if isinstance(value.type, Array) and not self._is_alone(value):
            return None
        for store in self.facts.stores:
            if store.value is value and not store.accumulate and self.facts.holder[store] is block:
                if self._is_all_of(value, store) and self.facts.is_stable(store):
                    return store
        return None

    def _is_alone(self, value: Value) -> bool:
        """Whether nothing writes to the array after it is made."""
        return value not in self.references and not self.facts.aliases.in_memory(value)

    def _is_all_of(self, value: Value, store: Store) -> bool:
        """Whether the store writes the value as it is: an element, or an array of the shape of that part."""
        if not _same_dtype(store.buffer, value):
            return False
        if isinstance(value.type, Array) and not self.facts.shapes.stores_same(store):
            return False
        assert isinstance(store.buffer.type, Array)
        axes = store.buffer.type.ndim - (value.type.ndim if isinstance(value.type, Array) else 0)
        places = [item for item in store.index if not (isinstance(item, Slice) and item.is_whole)]
        return len(places) == axes and all(map(is_position, places))

    def _weight(self, value: Value) -> float:
        """The cost of recording a value, in stores of a float."""
        match value.type:
            case Scalar("bool"):
                return 0.5
            case Scalar():
                return 1.0
            case Array():
                return self._entries(value)
            case Tuple():
                return INFINITE
            case _:
                return 1.0

    def _entries(self, array: Value) -> float:
        """How many entries an array is taken to have: an extent that is no number counts as a large one."""
        known = [extent.const if not extent.terms else ARRAY_WEIGHT for extent in self.facts.shapes.of(array)]
        return max(math.prod(known), 1.0)


def _values(items: Sequence[Operand]) -> list[Value]:
    return [item for item in items if isinstance(item, Value)]


def _same_dtype(buffer: Value, value: Value) -> bool:
    return (
        isinstance(buffer.type, Array)
        and isinstance(value.type, Scalar | Array)
        and buffer.type.dtype == value.type.dtype
    )
