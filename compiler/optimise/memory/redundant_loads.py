"""Eliminate loads of elements whose values are at hand: they were read or stored before, and not written since.

Two reads of one element are two values, which the reverse sweep might both record. The pass treats only memory that
is written: other elements need no record, because the reverse sweep can read them again.
"""

from __future__ import annotations

from collections.abc import Hashable

from backsweep.ir.nodes import Const, Function, Index, Load, Node, Store, Value
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import with_body
from backsweep.optimise.memory.value_numbering import ValueNumbering


def eliminate_redundant_loads(function: Function) -> Function:
    """The same program, in which each element of a buffer is read once between two writes of the buffer."""
    return with_elements_read_once(function)


def with_elements_read_once(function: Function) -> Function:
    """The same rewriting, for passes that have brought loads of one element together."""
    return with_body(function, _Elements(function).block(function.body))


class _Elements(ValueNumbering):
    """Numbers the elements of buffers; what a store writes is the number's value afterwards."""

    def number(self, node: Node) -> Hashable | None:
        if isinstance(node, Load) and isinstance(node.buffer, Value) and self.aliases.is_buffer(node.buffer):
            return self.element(node.buffer, node.index)
        return None

    def element(self, buffer: Value, index: Index) -> Hashable | None:
        """A key for one element and what it holds now; None if the index selects more than one element."""
        places = _places(buffer, index)
        return None if places is None else (buffer, self.version(buffer), *places)

    def rebuilt(self, node: Node) -> list[Node]:
        kept = super().rebuilt(node)
        if isinstance(node, Store) and not node.accumulate and _keeps(node):
            element = self.element(node.buffer, node.index)
            if element is not None:
                assert isinstance(node.value, Value)
                self.known[element] = node.value
        return kept


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
    """Whether the element holds exactly the value after the store: storing rounds nothing."""
    buffer, value = store.buffer.type, store.value
    return (
        isinstance(buffer, Array)
        and isinstance(value, Value)
        and isinstance(value.type, Scalar)
        and value.type.dtype == buffer.dtype
    )
