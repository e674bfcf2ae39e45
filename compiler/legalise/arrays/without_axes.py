"""Read the number in an array without axes before a function computes with the array.

NumPy and Numba return a number for `x * y` of such arrays. Read as elements, their adjoints are numbers as well, and are added
to the memory of the array's adjoint.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, Function, If, Node, Operand, Store, Value
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import (
    changed,
    map_blocks,
    rename_operands,
    results,
    substitute,
    walk,
    with_body,
    with_nodes,
)
from backsweep.rules.declare import is_elementwise

ITSELF = {
    np.sum,
    np.mean,
    np.prod,
    np.max,
    np.min,
    np.amax,
    np.amin,
    np.nanmax,
    np.nanmin,
    np.nanmean,
    np.ndarray.item,
}
"""Functions that give back the number of an array without axes."""


def read_arrays_without_axes(function: Function) -> Function:
    """The program, typed, that reads the number of an array without axes before it computes with it."""
    made = (value for node in walk(function.body) for value in results(node))
    if not any(map(_has_no_axes, (*function.body.parameters, *made))):
        return function
    reader = _Reader()
    body = reader.block(function.body)
    return with_body(function, substitute(body, reader.numbers))


class _Reader:
    """Rebuilds blocks in program order; `numbers` are results that turned out to be what was read."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.numbers: dict[Value, Operand] = {}

    def block(self, block: Block) -> Block:
        with self.builder.block(*block.parameters) as written:
            for node in block.nodes:
                self.builder.loc = node.loc
                self.node(node)
        return with_nodes(block, written.nodes)

    def node(self, node: Node) -> None:
        match node:
            case Apply(function=function, operands=(Value() as array, *_)) if _has_no_axes(array) and (
                function in ITSELF and isinstance(node.result.type, Scalar)
            ):
                self.numbers[node.result] = self.read(array)
            case Apply(function=np.copy, operands=(Value() as array,)) if _has_no_axes(array):
                self.builder.add(dataclasses.replace(node, function=np.zeros_like))
                self.builder.store(node.result, (), self.read(array))
            case Apply() if is_elementwise(node) and _has_no_axes(node.result):
                number = self.number(node)
                self.builder.add(Apply(node.result, np.empty, (Const(()),), loc=node.loc))
                self.builder.store(node.result, (), number)
            case Apply() if is_elementwise(node):
                self.builder.add(rename_operands(node, self.read))
            case Store(value=Value() as value):
                self.builder.add(changed(node, value=self.read(value)))
            case _:
                self.builder.add(map_blocks(node, self.block))

    def number(self, node: Apply) -> Value:
        """What a function gives for numbers, of which Numba makes a number, and NumPy an array without axes."""
        type_ = node.result.type
        assert isinstance(type_, Array)
        result = self.builder.value(node.result.name, Scalar(type_.dtype))
        operands = tuple(map(self.read, node.operands))
        if node.function is np.where:
            condition, then, orelse = operands
            yields = [Block((), (), (each,)) for each in (then, orelse)]
            self.builder.add(If(condition, yields[0], yields[1], (result,), node.loc))
        elif node.function is np.ndarray.astype:
            self.builder.add(Apply(result, np.dtype(type_.dtype).type, operands[:1], node.loc))
        else:
            self.builder.add(dataclasses.replace(node, result=result, operands=operands))
        return result

    def read(self, operand: Operand) -> Operand:
        """The number that an array without axes holds; any other operand as it is."""
        if not isinstance(operand, Value) or not _has_no_axes(operand):
            return operand
        assert isinstance(operand.type, Array)
        return self.builder.load(operand, (), type=Scalar(operand.type.dtype))


def _has_no_axes(value: Value) -> bool:
    return isinstance(value.type, Array) and value.type.ndim == 0
