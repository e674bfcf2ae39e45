"""Make broadcasting explicit, before differentiation, where shapes are not known to agree.

`x + b` of two vectors may stretch either at run time. Where the shapes are not proved equal, the operands go
through `aligned`, which returns them as they are when they agree. From there on every extent is
known, cotangents are summed to a shape in one place, and loops need no checks.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from backsweep.analysis.integers.extents import Shapes, shapes_of
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    Apply,
    Const,
    Dots,
    Function,
    Index,
    NewAxis,
    Node,
    Operand,
    Raise,
    Slice,
    Store,
    Value,
)
from backsweep.ir.typed import rank, type_of
from backsweep.ir.types import INT, Array, Tuple
from backsweep.ir.walk import rewrite_block, substitute, walk, with_body
from backsweep.legalise.arrays.equal_extents import check_equal
from backsweep.rules.declare import is_elementwise
from backsweep.runtime.broadcasting import aligned, stretched


def make_broadcasting_explicit(function: Function) -> Function:
    """The typed program, in which the operands of every elementwise operation certainly have one shape."""
    shapes = shapes_of(function)
    idle: dict[Value, Operand] = {
        node.result: node.operands[0]
        for node in walk(function.body)
        if isinstance(node, Apply) and _is_idle(node, shapes)
    }

    def explicit(node: Node) -> list[Node]:
        match node:
            case Apply() if is_elementwise(node) and isinstance(node.result.type, Array):
                return _apply(node, shapes)
            case Store() if isinstance(node.value, Value) and isinstance(node.value.type, Array):
                return _store(node, shapes)
            case _:
                return [node]

    body = rewrite_block(function.body, explicit)
    return with_body(function, substitute(body, idle) if idle else body)


def _is_idle(node: Apply, shapes: Shapes) -> bool:
    """Whether the node returns its first operand unchanged."""
    if node.function in (stretched, aligned):
        return shapes.same(node.result, node.operands[0])
    if node.function not in (np.ravel, np.reshape):
        return False
    array, type_ = node.operands[0], node.result.type
    in_rows = isinstance(type_, Array) and type_.layout == "C" and type_of(array) == type_
    return in_rows and shapes.same(node.result, array)


def _apply(node: Apply, shapes: Shapes) -> list[Node]:
    """The operation, after an alignment of its operands if their shapes are not proved equal."""
    arrays = list(dict.fromkeys(each for each in node.operands if isinstance(each, Value) and rank(each)))
    if len(arrays) < 2 or shapes.broadcasts_surely(node):
        return [node]
    builder = Builder(loc=node.loc)
    longest = max(arrays, key=rank)
    whole = longest
    for other in arrays:
        if other is not longest:
            whole = _aligned(builder, whole, other)
    replaced: dict[Operand, Operand] = {longest: whole}
    for other in arrays:
        if other is not longest:
            replaced[other] = _aligned(builder, other, whole)
    operands = tuple(replaced.get(each, each) for each in node.operands)
    return [*builder.current.nodes, dataclasses.replace(node, operands=operands)]


def _aligned(builder: Builder, value: Value, like: Value) -> Value:
    return builder.apply(aligned, value, like, name=value.name, type=value.type)


def _store(node: Store, shapes: Shapes) -> list[Node]:
    """A store of an array to a part of another: the array stretched to that part."""
    if shapes.stores_same(node):
        return [node]
    value = node.value
    assert isinstance(value, Value)
    assert isinstance(value.type, Array)
    builder = Builder(loc=node.loc)
    part_type = _part_type(node)
    if part_type is None:
        return [node]
    if value.type.ndim > part_type.ndim:
        fewer = _without_first_axes(builder, node, value, value.type, part_type.ndim)
        return [*builder.current.nodes, *_store(dataclasses.replace(node, value=fewer), shapes)]
    part = builder.view(node.buffer, node.index, type=part_type)
    shape = builder.apply(np.shape, part, type=Tuple((INT,) * part_type.ndim))
    fitted = builder.apply(
        stretched, value, shape, name=value.name, type=Array(value.type.dtype, part_type.ndim)
    )
    return [*builder.current.nodes, dataclasses.replace(node, value=fitted)]


def _without_first_axes(builder: Builder, node: Store, value: Value, type_: Array, ndim: int) -> Value:
    """The array with the last axes only; as in NumPy, those before must have one entry each, and `+=` takes none."""
    message = "an array with more axes does not fit into the part that it is stored to"
    if node.accumulate:
        builder.add(Raise(Const(ValueError), (Const(message),), node.loc))
    more = type_.ndim - ndim
    for axis in range(more):
        check_equal(builder, builder.extent(value, axis), Const(1), message)
    index: Index = (*(Const(0) for _ in range(more)), *(Slice() for _ in range(ndim)))
    return builder.view(value, index, name=value.name, type=Array(type_.dtype, ndim, "A"))


def _part_type(store: Store) -> Array | None:
    """The type of the part of an array that a store writes; None for an element or an index array."""
    assert isinstance(store.buffer.type, Array)
    ndim, seen = 0, 0
    for item in store.index:
        match item:
            case Slice():
                ndim, seen = ndim + 1, seen + 1
            case NewAxis():
                ndim += 1
            case Dots():
                pass
            case Value(type=Array()):
                return None
            case _:
                seen += 1
    ndim += store.buffer.type.ndim - seen
    return Array(store.buffer.type.dtype, ndim, "A") if ndim else None
