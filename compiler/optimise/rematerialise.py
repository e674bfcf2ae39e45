"""Copy index arithmetic such as `i - 1` to each use, so that emitted code writes the expression instead of a name."""

from __future__ import annotations

import dataclasses
import operator

from backsweep.ir.nodes import Apply, Block, Const, Function, Node, Operand, Value
from backsweep.ir.types import INT
from backsweep.ir.walk import map_blocks, operands, rename_operands, with_body, with_nodes


def rematerialise_indices(function: Function) -> Function:
    """The same program with a copy of each unnamed `value + constant` of integers beside each of its uses."""
    return with_body(function, _spread(function.body, {}))


def _spread(block: Block, trivial: dict[Value, Apply]) -> Block:
    nodes: list[Node] = []
    for node in block.nodes:
        nodes.append(_with_copies(node, trivial, nodes))
        last = nodes[-1] = map_blocks(
            nodes[-1], lambda inner: _spread(inner, trivial), lambda operand: operand
        )
        if isinstance(last, Apply) and _is_trivial(last):
            trivial[last.result] = last
    return with_nodes(block, nodes)


def _is_trivial(node: Apply) -> bool:
    if node.function not in (operator.add, operator.sub) or node.result.name or node.result.type != INT:
        return False
    left, right = node.operands
    return isinstance(left, Value) and isinstance(right, Const) and isinstance(right.value, int)


def _with_copies(node: Node, trivial: dict[Value, Apply], nodes: list[Node]) -> Node:
    """The node reading copies, made just before it, of the trivial values that it reads."""
    copies: dict[Operand, Value] = {}
    for operand in operands(node):
        if isinstance(operand, Value) and operand in trivial and operand not in copies:
            copies[operand] = dataclasses.replace(operand)
            nodes.append(dataclasses.replace(trivial[operand], result=copies[operand]))
    return rename_operands(node, lambda operand: copies.get(operand, operand)) if copies else node
