"""Fuse additions into the expression of an array that was computed just before: one loop, and no array between.

`y_bar = s * np.cos(y)` and then `y_bar += s * x` becomes `y_bar = s * np.cos(y) + s * x`. If a loop or a function of
whole arrays lies between, the array is in memory already, and the store stays.
"""

from __future__ import annotations

import operator
from collections.abc import Container

from backsweep.analysis.alias import find_aliases
from backsweep.analysis.integers.extents import Shapes, shapes_of
from backsweep.ir.nodes import Apply, Block, Comment, Dots, Function, Load, Node, Store, Value, View
from backsweep.ir.operations import Kind, kind
from backsweep.ir.walk import map_blocks, operands, substitute, with_body, with_nodes
from backsweep.optimise.arrays.elements import same_dtype
from backsweep.rules.declare import is_elementwise


def fuse_accumulations(function: Function) -> Function:
    """The same program, in which an array is computed together with the terms that the next statements would add to it."""
    views, shapes = find_aliases(function).bases, shapes_of(function).draft()
    return with_body(function, _block(function.body, shapes, views))


def _block(block: Block, shapes: Shapes, views: Container[Value]) -> Block:
    done: list[Node] = []
    nodes, yields, position = block.nodes, block.yields, 0
    while position < len(nodes):
        node, position = nodes[position], position + 1
        term = _one_more_term(node, done, shapes, views)
        if term is None:
            done.append(map_blocks(node, lambda inner: _block(inner, shapes, views)))
            continue
        before, _ = term.operands
        assert isinstance(before, Value)
        shapes.found[term.result] = shapes.of(before)
        done.append(term)
        rest = substitute(Block((), nodes[position:], yields), {before: term.result})
        nodes, yields, position = rest.nodes, rest.yields, 0
    return with_nodes(block, done, yields)


def _one_more_term(node: Node, done: list[Node], shapes: Shapes, views: Container[Value]) -> Apply | None:
    """The sum that replaces a store which adds to all of an array that was computed entry by entry just before; None for other nodes."""
    if not isinstance(node, Store) or not node.accumulate or not isinstance(node.value, Value):
        return None
    if node.buffer in views:
        return None  # the memory belongs to another array, such as one of complex numbers
    if node.index != (Dots(),) or not same_dtype(node.value, node.buffer) or not shapes.stores_same(node):
        return None
    for earlier in reversed(done):
        if isinstance(earlier, Apply) and earlier.result is node.buffer:
            total = Value(node.buffer.name, node.buffer.type, node.loc)
            pair = (node.buffer, node.value)
            return Apply(total, operator.add, pair, node.loc) if is_elementwise(earlier) else None
        if node.buffer in operands(earlier) or not _may_share_loop(earlier):
            return None
    return None


def _may_share_loop(node: Node) -> bool:
    """Whether an elementwise array computed before the node can share a loop with a term that is added after the node."""
    if isinstance(node, Apply):
        return kind(node.function) in (Kind.ALIKE, Kind.COPY) or is_elementwise(node)
    return isinstance(node, Comment | Load | Store | View)
