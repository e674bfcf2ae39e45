"""Give arrays the same layout before a loop and in its iterations, so that Numba infers the right type for lists of them."""

from __future__ import annotations

import dataclasses

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Const, For, Function, Node, Operand, Slice, Value, While
from backsweep.ir.types import Array, with_layout
from backsweep.ir.walk import rewrite


def unify_layouts(function: Function) -> Function:
    """The typed program in which a loop that carries arrays of any layout also begins with a view of any layout.

    Numba first types a loop's body with the types of the initial values. A list to which the body appends a carried array
    keeps that type, and cannot hold the array in another layout.
    """
    return rewrite(function, _in_one_layout)


def _in_one_layout(node: Node) -> list[Node]:
    """The node; before a loop, the views that it begins with in place of arrays of other layouts."""
    if not isinstance(node, For | While):
        return [node]
    builder = Builder(loc=node.loc)
    pairs = zip(node.inits, node.results, strict=True)
    inits = tuple(_in_layout(init, result, builder) for init, result in pairs)
    return [*builder.current.nodes, dataclasses.replace(node, inits=inits)] if inits != node.inits else [node]


def _in_layout(init: Operand, result: Value, builder: Builder) -> Operand:
    """The array that a loop begins with, as a view of any layout if the loop carries such a view."""
    if not isinstance(init, Value) or not isinstance(init.type, Array) or not isinstance(result.type, Array):
        return init
    if result.type.layout != "A" or init.type.layout == "A":
        return init
    return builder.view(init, (Slice(step=Const(1)),), type=with_layout(init.type, "A"))
