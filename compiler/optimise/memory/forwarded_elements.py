"""Read a scratch array's elements from what they were computed from, if that is cheap: then the array is not needed.

`out[i, j] = a[i, j] + t` in one nest and `out[i, j] ** 2` in a later one are `(a[i, j] + t) ** 2`; so are they if the store
adds to an array of zeros.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from backsweep.analysis.alias import find_aliases
from backsweep.analysis.integers.domains import Counter
from backsweep.analysis.order.last_writers import Writer, last_writers_of
from backsweep.analysis.structure import facts_of
from backsweep.ir.nodes import Apply, Block, Const, For, Function, Load, Node, Operand, Store, Value
from backsweep.ir.operations import Kind, kind, operation
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT, Array, Scalar, is_float
from backsweep.ir.walk import (
    blocks,
    index_operands,
    operands,
    renewed,
    results,
    returned,
    rewrite,
    substitute,
    walk,
)

LONGEST, SHORTEST = 6, 2
"""How many operations and reads may take the place of the only load of an array, and of each of several."""


def forward_elements(function: Function) -> Function:
    """The program without scratch arrays of which every read element can be computed where it is read."""
    uses = _uses(function)
    if not uses:
        return function
    for use in uses.values():
        found = _Scratch(use, function).replacement()
        if found is not None:
            # the next array may be computed from this one
            return forward_elements(_replaced(function, found))
    return function


def _replaced(function: Function, found: Mapping[Node, list[Node]]) -> Function:
    """The program with other nodes in the place of some."""
    return rewrite(function, lambda node: found.get(node, [node]))


@dataclass(frozen=True, slots=True)
class _Uses:
    """A scratch array: the node that makes it, one store and the loads."""

    made: Apply
    store: Store
    loads: tuple[Load, ...]


def _uses(function: Function) -> dict[Value, _Uses]:
    """The arrays made here that one store fills and that are otherwise only read element by element, under one name."""
    aliases = find_aliases(function)
    kept = {each for each in returned(function.body) if isinstance(each, Value)}
    made = {
        node.result: node
        for node in walk(function.body)
        if isinstance(node, Apply)
        and kind(node.function) in (Kind.NEW, Kind.ALIKE)
        and isinstance(node.result.type, Array)
        and aliases.is_buffer(node.result)
        and not aliases.is_merged(node.result)
        and node.result not in kept
    }
    found: dict[Value, list[Load | Store]] = {each: [] for each in made}
    for node in walk(function.body):
        if isinstance(node, Load | Store) and node.buffer in found and _is_element(node):
            assert isinstance(node.buffer, Value)
            found[node.buffer].append(node)
            continue
        for each in _looked_at(node):
            found.pop(each, None)
    uses: dict[Value, _Uses] = {}
    for scratch, accesses in found.items():
        stores = [each for each in accesses if isinstance(each, Store)]
        loads = [each for each in accesses if isinstance(each, Load)]
        if len(stores) == 1 and loads and _keeps(stores[0]):
            uses[scratch] = _Uses(made[scratch], stores[0], tuple(loads))
    return uses


def _looked_at(node: Node) -> list[Value]:
    """The arrays that the node reads, writes or names, other than by their shapes."""
    only_shape = operation(node.function).shape_only if isinstance(node, Apply) else ()
    read = [each for place, each in enumerate(operands(node)) if place not in only_shape]
    read += [each for block in blocks(node) for each in block.yields]
    return [each for each in read if isinstance(each, Value)]


def _is_element(access: Load | Store) -> bool:
    """Whether the access is to one element, at an index of plain integers."""
    assert isinstance(access.buffer, Value)
    assert isinstance(access.buffer.type, Array)
    whole = len(access.index) == access.buffer.type.ndim
    return whole and all(
        isinstance(item, Const) or (isinstance(item, Value) and item.type == INT) for item in access.index
    )


def _keeps(store: Store) -> bool:
    """Whether an element holds exactly the value after the store, or what it held and the value: nothing is rounded."""
    value, made = type_of(store.value), store.buffer.type
    return isinstance(made, Array) and isinstance(value, Scalar) and value.dtype == made.dtype


class _Scratch:
    """Finds, for one array, what can be computed in the place of each load."""

    def __init__(self, uses: _Uses, function: Function) -> None:
        self.uses, self.facts, self.writers = uses, facts_of(function), last_writers_of(function)

    def replacement(self) -> dict[Node, list[Node]] | None:
        """The nodes that replace the store and each load; None if the array has to stay."""
        found: dict[Node, list[Node]] = {self.uses.store: []}
        for load in self.uses.loads:
            writer = self.writers.writer(load)
            if writer is None or not self.stores_once(writer) or not self.is_read_seldom(load, writer.nest):
                return None
            work = self.work(writer.nest)
            if work is None or not self.is_cheap(work):
                return None
            found[load] = _written(work, writer.iteration, load)
        return found

    def stores_once(self, writer: Writer) -> bool:
        """Whether an element holds the value alone: the store adds nothing, or adds once, and to zero."""
        if not writer.store.accumulate:
            return True
        made, around = self.uses.made, self.facts.loops(writer.nest[0])
        return made.function in (np.zeros, np.zeros_like) and self.facts.loops(made) == around

    def is_read_seldom(self, load: Load, nest: Sequence[For]) -> bool:
        """Whether no more loops than the nest has choose the element, and only loops inside them repeat the load."""
        affine = self.facts.subscripts.places.affine
        atoms = {atom for item in index_operands(load.index) for atom in affine(item).terms}
        outer = self.facts.loops(self.uses.store)
        around = [each for each in self.facts.loops(load)[::-1] if each not in outer]
        choosing = [each for each in around if Counter(each) in atoms]
        return len(choosing) <= len(nest) and around[: len(choosing)] == choosing

    def work(self, nest: Sequence[For]) -> list[Node] | None:
        """What computes the stored number in program order; None if it cannot be computed again."""
        indices = {each.body.parameters[0] for each in nest}
        found: dict[Node, None] = {}

        def add(operand: Operand) -> bool:
            if operand in indices or not isinstance(operand, Value):
                return True
            if not self.facts.is_within(operand, nest[0]):
                return True
            node = self.facts.definitions.get(operand)
            if node is None or not self.is_repeatable(node) or not all(map(add, operands(node))):
                return False
            found.setdefault(node)
            return True

        return [*found] if add(self.uses.store.value) and found else None

    def is_repeatable(self, node: Node) -> bool:
        """Whether the node gives the same wherever it stands."""
        match node:
            case Apply():
                return kind(node.function) is Kind.ARITHMETIC and isinstance(node.result.type, Scalar)
            case Load(buffer=Value(type=Array()) as buffer):
                return not self.facts.aliases.in_memory(buffer)
            case _:
                return False

    def is_cheap(self, work: Sequence[Node]) -> bool:
        """Whether the work may take the place of each load."""
        steps = [node for node in work if any(is_float(each.type) for each in results(node))]
        reads = sum(isinstance(node, Load) for node in steps)
        return len(steps) <= LONGEST if len(self.uses.loads) == 1 else reads <= 1 and len(steps) <= SHORTEST


def _written(work: Sequence[Node], chosen: Mapping[Value, Operand], load: Load) -> list[Node]:
    """The nodes that compute the element in the chosen iteration; the last one defines the result of the load."""
    *others, last = renewed(substitute(Block((), tuple(work), ()), dict(chosen))).nodes
    assert isinstance(last, Apply | Load)
    return [*others, dataclasses.replace(last, result=load.result)]
