"""Copy index arithmetic such as `i - 1` to each use, so that emitted code writes the expression instead of a name."""

from __future__ import annotations

import dataclasses
import operator

from backsweep.ir.nodes import Apply, Block, Const, Function, Node, Operand, Value
from backsweep.ir.types import INT
from backsweep.ir.walk import (
    leaving,
    map_blocks,
    operands,
    readers_of,
    rename_operands,
    walk,
    with_body,
    with_nodes,
)


def rematerialise_indices(function: Function) -> Function:
    """The same program with a copy of each unnamed `value + constant` of integers before each node that reads it."""
    return with_body(function, _Copying(function).block(function.body))


class _Copying:
    """Rebuilds blocks in program order; `trivial` are the nodes so far that are worth a copy, by what they compute."""

    def __init__(self, function: Function) -> None:
        self.trivial: dict[Operand, Apply] = {}
        self.readers = readers_of(function)
        self.handed_on = {
            *function.body.yields,
            *(each for node in walk(function.body) for each in leaving(node)),
        }

    def block(self, block: Block) -> Block:
        nodes: list[Node] = []
        for node in block.nodes:
            last = map_blocks(self.with_copies(node, nodes), self.block)
            nodes.append(last)
            if isinstance(last, Apply) and _is_trivial(last):
                self.trivial[last.result] = last
        return with_nodes(block, nodes)

    def with_copies(self, node: Node, nodes: list[Node]) -> Node:
        """The node reading copies of the trivial values that it reads, which are appended to `nodes`."""
        read = [*dict.fromkeys(each for each in operands(node) if each in self.trivial)]
        made: list[Node] = [self.trivial[each] for each in read]
        if not made or (nodes[-len(made) :] == made and all(map(self.is_read_once, read))):
            return node
        copies: dict[Operand, Value] = {}
        for each in read:
            trivial = self.trivial[each]
            copies[each] = dataclasses.replace(trivial.result)
            nodes.append(dataclasses.replace(trivial, result=copies[each]))
        return rename_operands(node, lambda operand: copies.get(operand, operand))

    def is_read_once(self, value: Operand) -> bool:
        """Whether one node reads the value and no block hands it on, so that its own node serves as the copy."""
        return isinstance(value, Value) and len({*self.readers[value]}) == 1 and value not in self.handed_on


def _is_trivial(node: Apply) -> bool:
    if node.function not in (operator.add, operator.sub) or node.result.name or node.result.type != INT:
        return False
    left, right = node.operands
    return isinstance(left, Value) and isinstance(right, Const) and isinstance(right.value, int)
