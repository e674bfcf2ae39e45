"""Eliminate loads of elements whose values are at hand: they were read or stored before, and not written since.

Two reads of one element are two values, which the reverse sweep might both record. The pass treats only memory that
is written: other elements need no record, because the reverse sweep can read them again.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Sequence

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, Function, Index, Load, Node, Operand, Store, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar, is_float
from backsweep.ir.walk import with_body
from backsweep.optimise.memory.value_numbering import ValueNumbering


def eliminate_redundant_loads(function: Function) -> Function:
    """The same program, in which each element of a buffer is read once between two writes of the buffer."""
    return with_elements_read_once(function)


def with_elements_read_once(function: Function) -> Function:
    """The same rewriting, for passes that have brought loads of one element together."""
    return with_body(function, _Elements(function).block(function.body))


LONGEST = 4
"""How many terms may take the place of a load: adding up more takes longer than reading the sum."""


class _Elements(ValueNumbering):
    """Numbers the elements of buffers; an element holds what was stored, and what was added to that."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.sums: dict[Hashable, tuple[Operand, ...]] = {}
        """The terms of which stores made what elements hold, in the block that is rebuilt."""

    def block(self, block: Block) -> Block:
        outer, self.sums = self.sums, {}
        found = super().block(block)
        self.sums = outer
        return found

    def number(self, node: Node) -> Hashable | None:
        if isinstance(node, Load) and isinstance(node.buffer, Value) and self.aliases.is_buffer(node.buffer):
            return self.element(node.buffer, node.index)
        return None

    def element(self, buffer: Value, index: Index) -> Hashable | None:
        """A key for one element and what it holds now; None if the index selects more than one element."""
        places = _places(buffer, index)
        return None if places is None else (buffer, self.version(buffer), *places)

    def rebuilt(self, node: Node) -> list[Node]:
        match node:
            case Load():
                number = self.number(node)
                terms = self.sums.get(number, ())
                if number not in self.known and 1 < len(terms) <= LONGEST:
                    self.known[number] = node.result
                    return _added(terms, node)
                return super().rebuilt(node)
            case Store():
                terms = self.held(self.element(node.buffer, node.index)) if node.accumulate else ()
                kept = super().rebuilt(node)
                self.stored(node, terms)
                return kept
            case _:
                return super().rebuilt(node)

    def held(self, number: Hashable | None) -> tuple[Operand, ...]:
        """The terms of what an element holds; none if that is not known."""
        return (self.known[number],) if number in self.known else self.sums.get(number, ())

    def stored(self, store: Store, terms: tuple[Operand, ...]) -> None:
        """Note what the element holds after a store; if that adds, to these terms."""
        number = self.element(store.buffer, store.index)
        if number is None or not _keeps(store):
            return
        if not store.accumulate and isinstance(store.value, Value):
            self.known[number] = store.value
        elif not store.accumulate or (terms and is_float(store.buffer.type)):
            self.sums[number] = (*terms, store.value)


def _added(terms: Sequence[Operand], load: Load) -> list[Node]:
    """The additions that make the terms what the load reads, in the order of the stores."""
    builder = Builder(loc=load.loc)
    total, *others = terms
    for each in others[:-1]:
        total = builder.apply(operator.add, total, each, type=load.result.type)
    return [*builder.current.nodes, Apply(load.result, operator.add, (total, others[-1]), load.loc)]


def _places(buffer: Value, index: Index) -> tuple[Hashable, ...] | None:
    """The position of one element along each axis; None if the index selects more than one element."""
    if not isinstance(buffer.type, Array) or len(index) != buffer.type.ndim:
        return None
    places: list[Hashable] = []
    for item in index:
        match item:
            case Value(type=Scalar(dtype)) if dtype.startswith(("int", "uint")):
                places.append(item)
            case Const(value=int() as place):
                places.append(place)
            case _:
                return None
    return tuple(places)


def _keeps(store: Store) -> bool:
    """Whether the element holds exactly the value after the store, or adds exactly the value: nothing is rounded."""
    buffer, value = store.buffer.type, type_of(store.value)
    return isinstance(buffer, Array) and isinstance(value, Scalar) and value.dtype == buffer.dtype
