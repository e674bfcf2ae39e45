"""Read the gradient of an argument from a finished reverse sweep, in the argument's own structure."""

from __future__ import annotations

import operator

import numpy as np

from backsweep.ad.adjoints import Adjoints, zero_number
from backsweep.ir.nodes import Apply, Const, Function, Operand, Value
from backsweep.ir.types import Array, Scalar, Tuple, is_float


def gradient_of(value: Value, adjoints: Adjoints, function: Function) -> Operand:
    """The gradient with respect to `value`: a number, a fresh array, or a tuple of these."""
    if isinstance(value.type, Tuple):
        return _of_tuple(value, adjoints, function)
    builder = adjoints.builder
    bar = adjoints.bars.get(value)
    if isinstance(value.type, Array):
        if bar is None:
            return adjoints.zeros(value)
        return bar.operand if bar.owned else adjoints.shadow(value)
    operand = bar.operand if bar is not None else zero_number(value.type)
    if isinstance(value.type, Scalar) and value.type.dtype == "float32":
        return builder.apply(np.float32, operand, type=value.type)
    return operand


def _of_tuple(value: Value, adjoints: Adjoints, function: Function) -> Operand:
    """The gradient of a tuple: the tuple of the gradients of its items, which the program reads at its start."""
    assert isinstance(value.type, Tuple)
    builder = adjoints.builder
    reads = {
        node.operands[1].value: node.result
        for node in function.body.nodes
        if isinstance(node, Apply)
        and node.function is operator.getitem
        and node.operands[0] is value
        and isinstance(node.operands[1], Const)
    }
    items: list[Operand] = []
    for position, item in enumerate(value.type.items):
        if position in reads and is_float(item):
            items.append(gradient_of(reads[position], adjoints, function))
        elif is_float(item) and not isinstance(item, Scalar):
            part = builder.apply(operator.getitem, value, Const(position), type=item)
            items.append(gradient_of(part, adjoints, function))
        else:
            items.append(zero_number(item))
    return builder.apply(value.type.cls or tuple, *items, type=value.type)


def seed_name(result: Operand) -> str:
    """`loss_bar` for a result that the user named, else `result_bar`."""
    return f"{result.name}_bar" if isinstance(result, Value) and result.name else "result_bar"
