"""A list of arrays in the result of a function becomes one vector of all their entries, and vectors of their extents.

The vector has a cotangent as every other array does; what the caller gets is made a list again from both
(`backsweep.programs.listed`).
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Const, For, Node, Operand, Slice, Value
from backsweep.ir.types import INT, Array, List, Tuple
from backsweep.runtime.support.marks import length

ROW = Array("int64", 1)


def laid_out(node: Apply) -> list[Node]:
    """The statements for `unlisted(items)` of a list of arrays: lengths are counted, then the entries are copied."""
    items = node.operands[0]
    assert isinstance(items, Value)
    assert isinstance(items.type, List)
    assert isinstance(items.type.item, Array)
    item, builder = items.type.item, Builder(loc=node.loc)
    count = builder.apply(length, items, type=INT)
    whole = Const(np.int64)
    extents = [builder.apply(np.empty, count, whole, name="extents", type=ROW) for _ in range(item.ndim)]

    def measure(array: Value, k: Value, total: Value) -> Operand:
        own = builder.extents(array)
        for kept, each in zip(extents, own, strict=True):
            builder.store(kept, (k,), each)
        return _after(builder, own, total)

    total = _over(builder, items, count, measure)
    kind = () if item.dtype == "float64" else (Const(np.dtype(item.dtype).type),)
    entries = builder.apply(np.empty, total, *kind, name=items.name or "entries", type=Array(item.dtype, 1))

    def copy(array: Value, _: Value, start: Value) -> Operand:
        stop = _after(builder, builder.extents(array), start)
        flat = array if item.ndim == 1 else builder.apply(np.ravel, array, type=Array(item.dtype, 1))
        builder.store(entries, (Slice(start, stop, None),), flat)
        return stop

    _over(builder, items, count, copy)
    axes = builder.apply(tuple, *extents, type=Tuple((ROW,) * item.ndim))
    builder.add(Apply(node.result, tuple, (entries, axes), node.loc))
    return builder.current.nodes


def _after(builder: Builder, extents: list[Operand], start: Operand) -> Operand:
    """Where an array with these extents ends in the vector, which begins at `start`."""
    size = functools.reduce(lambda one, other: builder.apply(operator.mul, one, other, type=INT), extents)
    return builder.apply(operator.add, start, size, type=INT)


def _over(
    builder: Builder, items: Value, count: Value, body: Callable[[Value, Value, Value], Operand]
) -> Value:
    """Write a loop over the arrays, which carries a place in the vector; returns where it ends."""
    assert isinstance(items.type, List)
    k, before, after = (builder.value(name, INT) for name in ("k", "start", "total"))
    with builder.block(k, before) as block:
        array = builder.load(items, (k,), type=items.type.item)
        block.yields = (body(array, k, before),)
    builder.add(For(Const(0), count, Const(1), (Const(0),), block.finish(), (after,), builder.loc))
    return after
