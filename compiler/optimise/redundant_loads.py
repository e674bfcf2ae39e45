"""Eliminate loads of elements whose values are at hand: they were read or stored before, and not written since.

Two reads of one element are two values, which the reverse sweep might both record. The pass treats only memory that
is written: other elements need no record, because the reverse sweep can read them again.
"""

from __future__ import annotations

from collections.abc import Hashable

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.ir.build import christen
from backsweep.ir.effects import effect
from backsweep.ir.nodes import (
    Block,
    Const,
    For,
    Function,
    If,
    Index,
    Load,
    Node,
    Operand,
    Store,
    Value,
    While,
)
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import map_blocks, rename_operands, walk, with_body, with_nodes

Element = tuple[Value, *tuple[Hashable, ...]]


def eliminate_redundant_loads(function: Function) -> Function:
    """The same program, in which each element of a buffer is read once between two writes of the buffer."""
    return with_elements_read_once(function)


def with_elements_read_once(function: Function) -> Function:
    """The same rewriting, for passes that have brought loads of one element together."""
    return with_body(function, _Reuse(find_aliases(function)).block(function.body, {}))


class _Reuse:
    """Rebuilds blocks in program order; `known` holds the elements whose values are at hand."""

    def __init__(self, aliases: Aliases) -> None:
        self.aliases = aliases
        self.replaced: dict[Value, Operand] = {}

    def rename(self, operand: Operand) -> Operand:
        return self.replaced.get(operand, operand) if isinstance(operand, Value) else operand

    def block(self, block: Block, known: dict[Element, Value]) -> Block:
        nodes: list[Node] = []
        for node in block.nodes:
            node = rename_operands(node, self.rename)
            match node:
                case Load(buffer=Value() as buffer) if self.aliases.is_buffer(buffer):
                    element = _element(buffer, node.index)
                    if element in known:
                        christen(known[element], node.result.name)
                        self.replaced[node.result] = known[element]
                        continue
                    if element is not None:
                        known[element] = node.result
                case Store():
                    self.forget(node, known)
                    element = _element(node.buffer, node.index)
                    if element is not None and not node.accumulate and _keeps(node):
                        assert isinstance(node.value, Value)
                        known[element] = node.value
                case If() | For() | While():
                    for inner in walk(Block((), (node,), ())):
                        self.forget(inner, known)
                    node = map_blocks(node, lambda inner: self.block(inner, dict(known)), self.rename)
                case _:
                    self.forget(node, known)
            nodes.append(node)
        return with_nodes(block, nodes, [*map(self.rename, block.yields)])

    def forget(self, node: Node, known: dict[Element, Value]) -> None:
        """Drop the elements that the node itself may change."""
        done = effect(node)
        if done.keeps_place:
            known.clear()
        for buffer in done.writes:
            for element in [each for each in known if self.aliases.same(each[0], buffer)]:
                del known[element]


def _element(buffer: Value, index: Index) -> Element | None:
    """A key for one element; None if the index selects more than one element."""
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
    return (buffer, *places)


def _keeps(store: Store) -> bool:
    """Whether the element holds exactly the value after the store: storing rounds nothing."""
    buffer, value = store.buffer.type, store.value
    return (
        isinstance(buffer, Array)
        and isinstance(value, Value)
        and isinstance(value.type, Scalar)
        and value.type.dtype == buffer.dtype
    )
