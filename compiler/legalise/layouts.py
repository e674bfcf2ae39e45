"""Give arrays the same layout before a loop and in its iterations, so that Numba infers the right types, and can make them."""

from __future__ import annotations

import dataclasses

import numpy as np

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


def carry_rows(function: Function) -> Function:
    """The typed derivative in which loops that carry arrays in rows compute these in rows.

    The adjoint of a transpose is in Fortran's order. Where a loop goes on with it, Numba unites the two orders to an array of any layout,
    which no function of NumPy can make.
    """
    return rewrite(function, _yielding_rows)


def _yielding_rows(node: Node) -> list[Node]:
    """The node; a loop with copies in rows, at its end, of what it carries in rows and has in another layout there."""
    if not isinstance(node, For | While):
        return [node]
    body = node.body
    builder = Builder(loc=node.loc)
    pairs = zip(body.yields, body.parameters[isinstance(node, For) :], strict=True)
    yields = tuple(_in_rows(operand, parameter, builder) for operand, parameter in pairs)
    if not builder.current.nodes:
        return [node]
    nodes = (*body.nodes, *builder.current.nodes)
    return [dataclasses.replace(node, body=dataclasses.replace(body, nodes=nodes, yields=yields))]


def _in_rows(operand: Operand, parameter: Value, builder: Builder) -> Operand:
    """What the next round of a loop begins with, copied in rows if the loop carries rows and this is in another layout."""
    type_ = operand.type if isinstance(operand, Value) else None
    if not isinstance(type_, Array) or type_.layout == "C" or parameter.type != with_layout(type_, "C"):
        return operand
    name = operand.name if isinstance(operand, Value) else ""
    return builder.apply(np.copy, operand, name=name, type=parameter.type)
