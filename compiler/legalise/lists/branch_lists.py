"""Make a list before a branch if the sides of the branch make one each.

After `if sure: values = [x]`, `else: values = [y, z]`, only the run decides which list `values` is. One list made before
the branch, which each side fills, has the same entries.
"""

from __future__ import annotations

import dataclasses

from backsweep.ir.nodes import UNDEFINED, Append, Apply, Block, Function, If, Node, Operand, Value
from backsweep.ir.types import List
from backsweep.ir.walk import map_blocks, substitute, with_body, with_nodes


def make_lists_before_branches(function: Function) -> Function:
    """The typed program with one list made before each branch whose sides make a list or leave it unassigned."""
    return with_body(function, _block(function.body))


def _block(block: Block) -> Block:
    nodes: list[Node] = []
    replaced: dict[Value, Value] = {}
    for node in block.nodes:
        changed = map_blocks(node, _block)
        if isinstance(changed, If):
            nodes += _branch(changed, replaced)
        else:
            nodes.append(changed)
    whole = with_nodes(block, nodes)
    return substitute(whole, dict(replaced)) if replaced else whole


def _branch(node: If, replaced: dict[Value, Value]) -> list[Node]:
    """The branch behind the lists that it is to fill, by which its results are replaced."""
    made: list[Node] = []
    kept: list[int] = []
    then, orelse = node.then, node.orelse
    for place, result in enumerate(node.results):
        ends = (node.then.yields[place], node.orelse.yields[place])
        if (
            isinstance(result.type, List)
            and _is_fresh(node.then, ends[0])
            and _is_fresh(node.orelse, ends[1])
        ):
            buffer = replaced[result] = dataclasses.replace(result)
            made.append(Apply(buffer, list, (), node.loc))
            then, orelse = _filling(then, ends[0], buffer), _filling(orelse, ends[1], buffer)
        else:
            kept.append(place)
    if not len(kept) < len(node.results):
        return [node]
    sides = [
        dataclasses.replace(side, yields=tuple(side.yields[place] for place in kept))
        for side in (then, orelse)
    ]
    results = tuple(node.results[place] for place in kept)
    return [*made, dataclasses.replace(node, then=sides[0], orelse=sides[1], results=results)]


def _is_fresh(side: Block, end: Operand) -> bool:
    """Whether the side makes this list, for this end alone, or leaves it unassigned."""
    if end is UNDEFINED:
        return True
    makes = any(
        isinstance(node, Apply) and node.function is list and node.result is end for node in side.nodes
    )
    return makes and side.yields.count(end) == 1


def _filling(side: Block, end: Operand, buffer: Value) -> Block:
    """The side that fills the buffer where it made the list."""
    if not isinstance(end, Value):
        return side
    nodes: list[Node] = []
    for node in side.nodes:
        if isinstance(node, Apply) and node.result is end:
            nodes += (Append(buffer, item, node.loc) for item in node.operands)
        else:
            nodes.append(node)
    return substitute(dataclasses.replace(side, nodes=tuple(nodes)), {end: buffer})
