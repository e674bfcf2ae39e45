"""Read the types of operands, and set the types of a program's values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from backsweep.ir.nodes import (
    Apply,
    Block,
    Const,
    Dots,
    For,
    Function,
    If,
    Load,
    NewAxis,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.types import Array, Scalar, Type, is_float
from backsweep.ir.walk import blocks, map_blocks, results, substitute, walk, with_body


def is_typed(function: Function) -> bool:
    """Whether every value of the program has a type."""
    every = list(function.body.parameters)
    for node in walk(function.body):
        every += [*results(node), *(value for block in blocks(node) for value in block.parameters)]
    return all(value.type is not None for value in every)


def with_types(function: Function, types: Mapping[Value, Type]) -> Function:
    """The same program with these types on its values."""
    typed: dict[Value, Operand] = {}

    def retype(value: Value) -> Value:
        new = dataclasses.replace(value, type=types[value])
        typed[value] = new
        return new

    return with_body(function, substitute(_redefine(function.body, retype), typed))


def _redefine(block: Block, renew: object) -> Block:
    """The block with every defined value replaced by `renew(value)`; reads keep the old ones."""
    assert callable(renew)

    def change(inner: Block) -> Block:
        parameters = tuple(map(renew, inner.parameters))
        nodes: list[Node] = []
        for node in inner.nodes:
            held = map_blocks(node, change)
            match held:
                case Apply() | View() | Load():
                    held = dataclasses.replace(held, result=renew(held.result))
                case If() | For() | While():
                    held = dataclasses.replace(held, results=tuple(map(renew, held.results)))
                case _:
                    pass
            nodes.append(held)
        return Block(parameters, tuple(nodes), inner.yields)

    return change(block)


def type_of(operand: Operand) -> Type | None:
    """The type of a value or of a constant scalar; None for any other constant."""
    if isinstance(operand, Value):
        return operand.type
    constant = operand.value
    if isinstance(constant, bool | np.bool_):
        return Scalar("bool")
    if isinstance(constant, int | np.integer):
        return Scalar("int64")
    if isinstance(constant, float):
        return Scalar("float64")
    if isinstance(constant, complex):
        return Scalar("complex128")
    if isinstance(constant, np.generic):
        return Scalar(str(constant.dtype))
    if isinstance(constant, np.ndarray):
        return Array(str(constant.dtype), constant.ndim, "C")
    return None


def is_element(store: Store) -> bool:
    """Whether the store writes one element."""
    assert isinstance(store.buffer.type, Array)
    return len(store.index) == store.buffer.type.ndim and all(map(is_position, store.index))


def is_position(item: Operand | Slice | NewAxis | Dots) -> bool:
    """Whether an item of an index is a number, so that it removes an axis."""
    return isinstance(item, Const) or (isinstance(item, Value) and isinstance(item.type, Scalar))


def dtype_of(operand: Operand) -> str:
    """NumPy's name of the dtype of a number or an array; "" for any other operand."""
    type_ = type_of(operand)
    return type_.dtype if isinstance(type_, Scalar | Array) else ""


def rank(operand: Operand) -> int:
    """The number of an array's axes; 0 for any other operand."""
    type_ = type_of(operand)
    return type_.ndim if isinstance(type_, Array) else 0


def is_inexact(operand: Operand) -> bool:
    """Whether the operand is a float, a complex number, or an array of these."""
    return is_float(type_of(operand))
