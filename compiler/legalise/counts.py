"""Convert counts to int64: bounds of loops and slices, and shapes, that are unsigned or have few bits.

Passes compute with counts: `n - 1` is the last iteration, `n * m` the size of a tape. In plain runs narrow NumPy numbers
wrap around where Numba computes with int64, and Numba combines uint64 and int64 to a float. Therefore a value is
converted only where it is used as a count, and the program's own arithmetic stays as it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from backsweep.analysis.integers.narrow import narrow_integers
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    Apply,
    Block,
    For,
    Function,
    Index,
    Load,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
)
from backsweep.ir.operations import operation
from backsweep.ir.types import Scalar
from backsweep.ir.walk import definitions_of, map_blocks, results, walk, with_body, with_nodes

NARROW = {"uint8", "uint16", "uint32", "uint64", "int8", "int16"}
"""Integers whose arithmetic with counts may wrap around where int64 does not. Counts of 32 bits fit into memory."""


def convert_counts(function: Function) -> Function:
    """The program with narrow counts converted; the new values have no types yet. The program itself if there are none."""
    definitions = definitions_of(function)
    narrow = narrow_integers(function, NARROW)
    counts = {
        value
        for node in walk(function.body)
        for operand in _counts(node)
        for value in _parts(operand, definitions)
        if isinstance(value, Value) and isinstance(value.type, Scalar) and value in narrow
    }
    if not counts:
        return function
    converted = {value: Value("", None, value.loc) for value in counts}
    return with_body(function, _Converter(converted, definitions).block(function.body))


def _counts(node: Node) -> list[Operand]:
    """The operands that the node uses as counts: bounds of a loop or a slice, a shape."""
    match node:
        case For():
            return [node.start, node.stop, node.step]
        case Load() | View() | Store():
            slices = [item for item in node.index if isinstance(item, Slice)]
            return [
                part for each in slices for part in (each.start, each.stop, each.step) if part is not None
            ]
        case Apply():
            return [node.operands[k] for k in operation(node.function).extents if k < len(node.operands)]
        case _:
            return []


def _parts(operand: Operand, definitions: Mapping[Value, Node]) -> tuple[Operand, ...]:
    """The numbers in a count: the count itself, or the items of a shape."""
    match definitions.get(operand) if isinstance(operand, Value) else None:
        case Apply(function=function, operands=items) if function is tuple:
            return items
        case _:
            return (operand,)


class _Converter:
    """Rebuilds blocks; `converted` maps each value that is converted after its definition to the int64 used as a count."""

    def __init__(self, converted: Mapping[Value, Value], definitions: Mapping[Value, Node]) -> None:
        self.converted = converted
        self.definitions = definitions

    def block(self, block: Block) -> Block:
        builder = Builder()
        for value in block.parameters:
            self.convert(builder, value)
        for node in block.nodes:
            builder.loc = node.loc
            builder.add(map_blocks(self.node(builder, node), self.block))
            for value in results(node):
                self.convert(builder, value)
        return with_nodes(block, builder.current.nodes)

    def convert(self, builder: Builder, value: Value) -> None:
        if value in self.converted:
            builder.add(Apply(self.converted[value], np.int64, (value,), value.loc))

    def node(self, builder: Builder, node: Node) -> Node:
        """The node with its counts converted."""
        match node:
            case For():
                start, stop, step = map(self.count, (node.start, node.stop, node.step))
                return dataclasses.replace(node, start=start, stop=stop, step=step)
            case Load() | View() | Store():
                return dataclasses.replace(node, index=self.index(node.index))
            case Apply(operands=given) if operation(node.function).extents:
                places = operation(node.function).extents
                changed = [
                    self.shape(builder, operand) if k in places else operand
                    for k, operand in enumerate(given)
                ]
                return dataclasses.replace(node, operands=tuple(changed))
            case _:
                return node

    def count(self, operand: Operand) -> Operand:
        return self.converted.get(operand, operand) if isinstance(operand, Value) else operand

    def index(self, index: Index) -> Index:
        """The index with the parts of its slices converted."""

        def part(operand: Operand | None) -> Operand | None:
            return None if operand is None else self.count(operand)

        return tuple(
            Slice(part(item.start), part(item.stop), part(item.step)) if isinstance(item, Slice) else item
            for item in index
        )

    def shape(self, builder: Builder, operand: Operand) -> Operand:
        """A shape or an extent, converted; a shape of several items is a new tuple."""
        parts = _parts(operand, self.definitions)
        counts = tuple(map(self.count, parts))
        if counts == parts:
            return operand
        return counts[0] if parts == (operand,) else builder.apply(tuple, *counts)
