"""What a loop carries begins in the layout that it has in all iterations, so that Numba types a list of it at once."""

from __future__ import annotations

import dataclasses

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Block, Const, For, Function, Node, Operand, Slice, Value, While
from backsweep.ir.types import Array, with_layout
from backsweep.ir.walk import map_blocks, with_body, with_nodes


def unify_layouts(function: Function) -> Function:
    """The typed program, whose loops begin with a view of any layout where they carry one and begin with another.

    Numba types the body of a loop first by what the loop begins with. A list to which the body appends this gets that
    type for good, and cannot hold what the body hands on in another layout.
    """
    return with_body(function, _block(function.body))


def _block(block: Block) -> Block:
    nodes: list[Node] = []
    for node in block.nodes:
        inner = map_blocks(node, _block)
        if isinstance(inner, For | While):
            builder = Builder(loc=node.loc)
            pairs = zip(inner.inits, inner.results, strict=True)
            inits = tuple(_in_layout(init, result, builder) for init, result in pairs)
            nodes += builder.current.nodes
            inner = dataclasses.replace(inner, inits=inits)
        nodes.append(inner)
    return with_nodes(block, nodes)


def _in_layout(init: Operand, result: Value, builder: Builder) -> Operand:
    """The array that a loop begins with, as a view of any layout if the loop carries such a view."""
    if not isinstance(init, Value) or not isinstance(init.type, Array) or not isinstance(result.type, Array):
        return init
    if result.type.layout != "A" or init.type.layout == "A":
        return init
    return builder.view(init, (Slice(step=Const(1)),), type=with_layout(init.type, "A"))
