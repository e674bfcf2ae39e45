"""The structure of a typed program and all that analyses find of it, in one object that transformations ask."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import cached_property

from backsweep.analysis.alias import find_aliases
from backsweep.analysis.assigned import perhaps_unassigned
from backsweep.analysis.integers.dependence import subscripts_of
from backsweep.analysis.integers.extents import shapes_of
from backsweep.ir.effects import effect
from backsweep.ir.nodes import (
    UNDEFINED,
    Append,
    Apply,
    Block,
    Const,
    For,
    Function,
    If,
    Load,
    Node,
    Operand,
    Store,
    Tap,
    Value,
    View,
    While,
    fact,
)
from backsweep.ir.operations import EXPENSIVE, Kind, kind
from backsweep.ir.types import Array, List, Scalar, Tuple
from backsweep.ir.walk import blocks, free_values, results, walk

Region = If | For | While


@fact
def facts_of(function: Function) -> Facts:
    """The structure of a program, and what the analyses find of it."""
    return Facts(function)


class Facts:
    """Where each value is defined and each node stands, and the answers of the analyses."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.aliases = find_aliases(function)
        self.shapes = shapes_of(function)
        self.subscripts = subscripts_of(function)
        self.definitions: dict[Value, Node] = {}
        self.where: dict[Value, Block] = {}
        self.parents: dict[Block, tuple[Region, Block]] = {}
        self.holder: dict[Node, Block] = {}
        self.position: dict[Node, int] = {}
        self._read(function.body)

    def _read(self, block: Block) -> None:
        for parameter in block.parameters:
            self.where[parameter] = block
        for node in block.nodes:
            self.holder[node] = block
            self.position[node] = len(self.position)
            for inner in blocks(node):
                assert isinstance(node, Region)
                self.parents[inner] = (node, block)
                self._read(inner)
            for value in results(node):
                self.where[value] = block
                self.definitions[value] = node

    @cached_property
    def stores(self) -> tuple[Store, ...]:
        """Every store of the program."""
        return tuple(node for node in walk(self.function.body) if isinstance(node, Store))

    @cached_property
    def appends(self) -> tuple[Append, ...]:
        """Every append of the program."""
        return tuple(node for node in walk(self.function.body) if isinstance(node, Append))

    @cached_property
    def taps(self) -> dict[Operand, Apply]:
        """The tap that each phantom belongs to."""
        taps = (
            node
            for node in walk(self.function.body)
            if isinstance(node, Apply) and isinstance(node.function, Tap)
        )
        return {operand: node for node in taps for operand in node.operands[1:] if isinstance(operand, Value)}

    @cached_property
    def parts(self) -> dict[Value, dict[int, Value]]:
        """The items of the tuples that calls return, by position."""
        found: dict[Value, dict[int, Value]] = {}
        for node in walk(self.function.body):
            if isinstance(node, Apply) and node.function is operator.getitem:
                source, position = node.operands
                if isinstance(source, Value) and isinstance(position, Const):
                    found.setdefault(source, {})[position.value] = node.result
        return found

    @cached_property
    def _dear(self) -> dict[tuple[object, ...], Value]:
        """The results of expensive scalar calls, by block, function and operands."""
        return {
            (self.holder[node], node.function, *node.operands): node.result
            for node in self.definitions.values()
            if isinstance(node, Apply)
            and kind(node.function) in EXPENSIVE
            and isinstance(node.result.type, Scalar)
        }

    def computed(self, function: object, operands: tuple[Operand, ...], block: Block) -> Value | None:
        """The result of the same expensive scalar call, if the primal makes it in the block or in a block around it."""
        if kind(function) not in EXPENSIVE:
            return None
        around = (block, *(self.holder[region] for region in self.path(block)))
        return next(
            (self._dear[key] for each in around if (key := (each, function, *operands)) in self._dear), None
        )

    @cached_property
    def unassigned(self) -> set[Value]:
        """The values that some path leaves unassigned."""
        return perhaps_unassigned(self.function.body)

    def loop_body(self, block: Block) -> Block | None:
        """The body of the innermost loop around the block, the block itself included."""
        while block in self.parents:
            region, parent = self.parents[block]
            if not isinstance(region, If):
                return block
            block = parent
        return None

    def is_there(self, value: Value, block: Block) -> bool:
        """Whether the value is surely assigned where the block runs, given the branches around the block."""
        made = self.definitions.get(value)
        if value not in self.unassigned:
            return True
        if not isinstance(made, If):
            return False
        place = made.results.index(value)
        while block in self.parents:
            region, outer = self.parents[block]
            if isinstance(region, If) and region.condition is made.condition:
                end = (made.then if block is region.then else made.orelse).yields[place]
                return end is not UNDEFINED and end not in self.unassigned
            block = outer
        return False

    def path(self, block: Block) -> tuple[Region, ...]:
        """The regions around a block, innermost first."""
        found: list[Region] = []
        while block in self.parents:
            region, block = self.parents[block]
            found.append(region)
        return tuple(found)

    def is_within(self, value: Value, region: Node) -> bool:
        """Whether the value is defined inside the region."""
        block = self.where.get(value)
        return block is not None and region in self.path(block)

    def is_inside(self, value: Value, block: Block) -> bool:
        """Whether the value is defined inside the block."""
        inner = self.where.get(value)
        while inner is not None and inner is not block:
            inner = self.parents[inner][1] if inner in self.parents else None
        return inner is block

    def loops(self, node: Node) -> tuple[For | While, ...]:
        """The loops around a node, innermost first."""
        return tuple(region for region in self.path(self.holder[node]) if isinstance(region, For | While))

    def stores_to(self, value: Value) -> tuple[Store, ...]:
        """The stores that may write the memory of an array."""
        return tuple(store for store in self.stores if self.aliases.same(store.buffer, value))

    def overwritten_after(self, value: Value, node: Node) -> bool:
        """Whether a store to the memory of the array may run after `node` has read it."""
        if not self._stored_after(value, node):
            return False
        made = self.definitions.get(value)
        if not isinstance(made, View) or made not in self.subscripts.places.places:
            return True
        # a part of an array: other parts may be written
        return any(self.subscripts.may_overwrite_later(made, store) for store in self.stores_to(value))

    def _stored_after(self, value: Value, node: Node) -> bool:
        """Whether a store to the array, or to an array that it is a part of, may run after `node`."""
        if not self.aliases.is_buffer(value):
            return False
        root = self.aliases.root(value)
        for store in self.stores_to(value):
            if self.position[store] > self.position[node]:
                return True
            shared = [loop for loop in self.loops(store) if loop in self.loops(node)]
            if shared and self.aliases.is_merged(value):
                return True  # another iteration may hold the same memory under another name
            if any(not self.is_within(root, loop) for loop in shared):
                return True
            if shared and root not in self.definitions:
                return True
        return False

    def overwriters(self, access: Load | Store) -> Iterator[Store]:
        """The stores that may later write the element that was read or written."""
        buffer = access.buffer
        if isinstance(buffer, Value) and isinstance(buffer.type, Array) and self.aliases.is_buffer(buffer):
            yield from (
                store
                for store in self.stores_to(buffer)
                if self.subscripts.may_overwrite_later(access, store)
            )

    def is_stable(self, access: Load | Store) -> bool:
        """Whether the element that was read or written is never written again: it can be read back any time."""
        if isinstance(access.buffer, Value) and isinstance(access.buffer.type, List):
            return not self._grows_after(access.buffer, access)
        return next(self.overwriters(access), None) is None

    def _grows_after(self, buffer: Value, access: Load | Store) -> bool:
        """Whether a list may be appended to after `access`, so that an index from its end means another entry."""
        return any(
            self.aliases.same(node.buffer, buffer) and self._may_precede(access, node)
            for node in self.appends
        )

    def _may_precede(self, node: Node, later: Node) -> bool:
        """Whether `node` may run, and `later` run after it."""
        if self.position[node] < self.position[later]:
            return True
        return any(loop in self.loops(later) for loop in self.loops(node))

    def read_from_outside(self, block: Block) -> list[Value]:
        """What the block reads and does not define, the items of tuples included."""
        found: dict[Value, None] = {}
        todo = list(free_values(block))[::-1]
        while todo:
            value = todo.pop()
            definition = self.definitions.get(value)
            if isinstance(definition, Apply) and isinstance(value.type, Tuple):
                todo += [operand for operand in definition.operands if isinstance(operand, Value)]
            found[value] = None
        return list(found)


class ActiveFacts(Facts):
    """The facts that a derivative is written from: some values are active, and the forward sweep gets values of its own."""

    def __init__(self, function: Function, active: frozenset[Value]) -> None:
        super().__init__(function)
        self.active = active
        self.shapes = self.shapes.draft()

    @cached_property
    def tuples(self) -> frozenset[Value]:
        """Tuple values that hold active values."""
        found: set[Value] = set()
        for node in walk(self.function.body):
            if isinstance(node, Apply) and isinstance(node.result.type, Tuple):
                if any(operand in self.active or operand in found for operand in node.operands):
                    found.add(node.result)
        return frozenset(found)

    def must_clear(self, store: Store) -> bool:
        """Whether the reverse sweep, after it reverses the store, may still use the shadow of the stored elements."""
        definition = self.definitions.get(self.aliases.root(store.buffer))
        if not isinstance(definition, Apply) or self.aliases.is_merged(store.buffer):
            return True
        if any(operand in self.active for operand in definition.operands if isinstance(operand, Value)):
            return True
        return self._touched_before(store)

    def _touched_before(self, store: Store) -> bool:
        """Whether another access may touch, before `store`, the elements that `store` writes."""
        if self.subscripts.may_write_twice(store):
            return True
        for node in walk(self.function.body):
            match node:
                case Load() | Store() if node is not store:
                    buffer = node.buffer
                    if isinstance(buffer, Value) and self.aliases.same(buffer, store.buffer):
                        if self.subscripts.may_overwrite_later(node, store):
                            return True
                case Apply():
                    read = effect(node).touched
                    if kind(node.function) is Kind.MARK:
                        read = (*read, node.result)  # its reversal hands the shadow on to a phantom or a hook
                    touched = any(self.aliases.same(each, store.buffer) for each in read)
                    if touched and self._may_precede(node, store):
                        return True
                case View():
                    pass
                case _:
                    pass
        return False
