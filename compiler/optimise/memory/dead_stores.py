"""Eliminate stores to memory that is never read afterwards, such as stores of the primal that the reverse sweep ignores."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from backsweep.analysis.alias import Aliases, find_aliases, memory_of_arguments
from backsweep.ir.effects import effect
from backsweep.ir.nodes import Append, Apply, Block, For, Function, If, Node, Operand, Store, Value, While
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import Tuple, names_memory
from backsweep.ir.walk import blocks, changed, map_blocks, operands, walk, with_body, with_nodes

Classes = frozenset[Value]
"""Memory: the representatives of classes of values that may share it."""


def eliminate_dead_stores(function: Function) -> Function:
    """The program without stores into arrays of its own of which no entry is read afterwards."""
    aliases = find_aliases(function)
    backwards = _Backwards(aliases, set(memory_of_arguments(function)) | _handed_out(function, aliases))
    body, _ = backwards.block(function.body, frozenset())
    return with_body(function, body)


def _handed_out(function: Function, aliases: Aliases) -> set[Value]:
    """The memory that the result, a tuple or a list holds: it may be read under another name."""
    out: list[Operand] = list(function.body.yields)
    for node in walk(function.body):
        if isinstance(node, Append):
            out += (node.buffer, node.value)
        elif (
            isinstance(node, Apply)
            and isinstance(node.result.type, Tuple)
            and kind(node.function) is not Kind.EXTENT
        ):
            out += operands(node)
    return set(_memory(out, aliases))


def _memory(found: Iterable[Operand], aliases: Aliases) -> Classes:
    """The memory of the arrays and lists among the operands."""
    return frozenset(
        aliases.of(each) for each in found if isinstance(each, Value) and names_memory(each.type)
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Backwards:
    """Walks a program from its end; `kept` is memory that may be read outside the program."""

    aliases: Aliases
    kept: set[Value]

    def block(self, block: Block, later: Classes) -> tuple[Block, Classes]:
        """The block without dead stores, if `later` is read after it, and the memory that is read from its beginning on."""
        nodes: list[Node] = []
        for node in reversed(block.nodes):
            if not self.is_unread(node, later):
                kept, later = self.node(node, later)
                nodes.append(kept)
        return with_nodes(block, nodes[::-1]), later

    def is_unread(self, node: Node, later: Classes) -> bool:
        """Whether the node is a store to memory that is never read afterwards."""
        if not isinstance(node, Store):
            return False
        memory = self.aliases.of(node.buffer)
        return memory not in later and memory not in self.kept

    def node(self, node: Node, later: Classes) -> tuple[Node, Classes]:
        """The node without dead stores, and the memory that is read from the node on."""
        match node:
            case If():
                then, read = self.block(node.then, later)
                orelse, read_else = self.block(node.orelse, later)
                return changed(node, then=then, orelse=orelse), read | read_else
            case For() | While():  # each iteration comes before the next one
                later = later.union(*(self.read(inner) for part in blocks(node) for inner in walk(part)))
                return map_blocks(node, lambda part: self.block(part, later)[0]), later
            case _:
                return node, later | self.read(node)

    def read(self, node: Node) -> Classes:
        """The memory of which the node reads entries, not what its blocks read."""
        match node:
            case If() | For() | While():
                return frozenset()
            case _:
                return _memory(effect(node).reads, self.aliases)
