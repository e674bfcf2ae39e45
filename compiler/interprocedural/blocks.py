"""Write parts of checkpointed loops: numbers of iterations, bounds of blocks, initial values, the number of snapshots."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Sequence

import numpy as np

from backsweep.analysis.integers.affine import literal
from backsweep.ir.build import Builder, named_dtype
from backsweep.ir.nodes import Apply, Checkpoint, Const, For, Node, Operand, Value, While, is_none
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, INT, Array, Scalar, contiguous
from backsweep.runtime import tape
from backsweep.runtime.lists import sequences

ZERO, ONE = Const(0), Const(1)


def ending_after(loop: While, start: Operand, stop: Operand) -> While:
    """The `while` loop with a step counter that ends it after `stop - start` iterations, if it has not ended before."""
    loc = loop.loc
    first, second, result = (Value("step", INT, loc) for _ in range(3))
    builder = Builder(loc=loc)
    with builder.block(*loop.condition.parameters, first) as condition:
        more = builder.apply(operator.lt, first, stop, type=BOOL)
        builder.add(*loop.condition.nodes)
        condition.yields = (builder.apply(operator.and_, more, *loop.condition.yields, type=BOOL),)
    with builder.block(*loop.body.parameters, second) as body:
        builder.add(*loop.body.nodes)
        body.yields = (*loop.body.yields, builder.apply(operator.add, second, ONE, type=INT))
    inits, results = (*loop.inits, start), (*loop.results, result)
    ends = condition.finish(), body.finish()
    return dataclasses.replace(loop, inits=inits, condition=ends[0], body=ends[1], results=results)


def telling_exit(loop: For | While) -> For | While:
    """The loop with one more result: whether it was left early."""
    loc = loop.loc
    assert loop.exit is not None
    parameter, result = Value("left", BOOL, loc), Value("left", BOOL, loc)
    body = dataclasses.replace(
        loop.body, parameters=(*loop.body.parameters, parameter), yields=(*loop.body.yields, loop.exit)
    )
    inits, results = (*loop.inits, Const(False)), (*loop.results, result)
    if isinstance(loop, For):
        return dataclasses.replace(loop, inits=inits, body=body, results=results)
    tested = (*loop.condition.parameters, Value("left", BOOL, loc))
    condition = dataclasses.replace(loop.condition, parameters=tested)
    return dataclasses.replace(loop, inits=inits, condition=condition, body=body, results=results)


def fresh(value: Value) -> Value:
    """A new value of the same name, whose array is contiguous."""
    return dataclasses.replace(value, type=contiguous(value.type))


def placeholder(value: Value, nodes: list[Node]) -> Operand:
    """A placeholder for a variable that each iteration assigns before it reads it: zero, or an array without entries."""
    if not isinstance(value.type, Array):
        dtype = value.type.dtype if isinstance(value.type, Scalar) else "float64"
        return Const({"b": False, "i": 0, "u": 0, "f": 0.0, "c": 0j}[np.dtype(dtype).kind])
    made = fresh(value)
    shape = Const(0) if value.type.ndim == 1 else Const((0,) * value.type.ndim)
    nodes.append(Apply(made, np.empty, (shape, named_dtype(value.type.dtype)), value.loc))
    return made


def zero_of(type_: Scalar) -> Const:
    """Zero in the type of a number."""
    known: dict[str, object] = {"float64": 0.0, "int64": 0}
    return Const(known.get(type_.dtype, np.dtype(type_.dtype).type(0)))


def plus(builder: Builder, function: object, left: Operand, right: Operand) -> Operand:
    """Write a sum or difference of integers; if one operand is zero, return the other."""
    if literal(right) == 0:
        return left
    if literal(left) == 0 and function is operator.add:
        return right
    return builder.apply(function, left, right, type=INT)


def iterations(builder: Builder, node: For) -> Operand:
    """The number of the loop's iterations; it may be negative if there are none."""
    if literal(node.step) == 1:
        return plus(builder, operator.sub, node.stop, node.start)
    return builder.apply(sequences.trip_count, node.start, node.stop, node.step, type=INT)


def index_at(builder: Builder, node: For, number: Operand) -> Operand:
    """The value of the loop's index in the iteration with this number."""
    along = number if literal(node.step) == 1 else builder.apply(operator.mul, number, node.step, type=INT)
    return plus(builder, operator.add, along, node.start)


def slots_of(builder: Builder, mark: Checkpoint, state: Sequence[Operand]) -> Operand:
    """The number of snapshots that the mark allows: `slots`, or as many as fit into `memory` bytes."""
    if not is_none(mark.slots):
        return mark.slots
    size: Operand = Const(0)
    for part in state:
        type_ = type_of(part)
        bytes_ = np.dtype(type_.dtype).itemsize if isinstance(type_, Scalar | Array) else 8
        bytes_needed: Operand = Const(bytes_)
        if isinstance(type_, Array):
            entries = builder.apply(np.size, part, type=INT)
            bytes_needed = builder.apply(operator.mul, entries, bytes_needed, type=INT)
        size = plus(builder, operator.add, size, bytes_needed)
    return builder.apply(tape.slots_within, mark.memory, size, name="slots", type=INT)
