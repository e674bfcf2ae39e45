"""Convert counts to int64: bounds of loops and slices, and shapes, that are unsigned or have few bits.

Passes compute with counts: `n - 1` is the last iteration, `n * m` the size of a tape. In plain runs narrow NumPy numbers
wrap around where Numba computes with int64, and Numba combines uint64 and int64 to a float. Therefore a value is
converted only where it is used as a count, and the program's own arithmetic stays as it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    Apply,
    Block,
    Const,
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
from backsweep.ir.operations import Kind, kind, operation
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar, Type, is_float
from backsweep.ir.walk import blocks, map_blocks, merges, operands, results, walk, with_body, with_nodes

NARROW = {"uint8", "uint16", "uint32", "uint64", "int8", "int16"}
"""Integers whose arithmetic with counts may wrap around where int64 does not. Counts of 32 bits fit into memory."""
_STAY_INTEGERS = (Kind.ARITHMETIC, Kind.INTEGER_DIVISION)
_WIDE = (int, np.int64, np.intp)
"""Conversions to int64."""


def convert_counts(function: Function) -> Function:
    """The program with narrow counts converted; the new values have no types yet. The program itself if there are none."""
    definitions = {result: node for node in walk(function.body) for result in results(node)}
    narrow = _narrow(function)
    counts = {
        value
        for node in walk(function.body)
        for operand in _counts(node)
        for value in _parts(operand, definitions)
        if value in narrow
    }
    if not counts:
        return function
    converted = {value: Value("", None, value.loc) for value in counts}
    return with_body(function, _Converter(converted, definitions).block(function.body))


def _narrow(function: Function) -> set[Value]:
    """The integers that are narrow when the program runs as plain Python: by their types, or as results of arithmetic with narrow integers."""
    every = [
        *function.body.parameters,
        *(value for node in walk(function.body) for value in results(node)),
        *(value for node in walk(function.body) for block in blocks(node) for value in block.parameters),
    ]
    found = {value for value in every if isinstance(value.type, Scalar) and value.type.dtype in NARROW}
    size, chosen = -1, set[Value]()
    while size != len(found):
        size = len(found)
        for node in walk(function.body):
            if isinstance(node, Apply) and _chooses_integer(node, chosen):
                chosen.add(node.result)
                found.add(node.result)
            elif isinstance(node, Apply):
                wide = node.function in _WIDE or kind(node.function) is Kind.EXTENT
                if not wide and _is_integer(node.result.type):
                    found |= {node.result} if found.intersection(operands(node)) else set()
            else:
                for merged, *others in merges(node):
                    assert isinstance(merged, Value)
                    group = {each for each in (merged, *others) if isinstance(each, Value)}
                    if _is_integer(merged.type) and found & group:
                        found |= group
    indices = {node.body.parameters[0] for node in walk(function.body) if isinstance(node, For)}
    return {value for value in found - indices if _is_integer(value.type) or value in chosen}


def _chooses_integer(node: Apply, chosen: AbstractSet[Value]) -> bool:
    """Whether Python gives an integer where Numba makes a float: the smaller or larger one of uint64 and int64.

    This holds for arithmetic on the chosen integer and a literal, and for NumPy's functions if one operand is a literal.
    """
    if not is_float(node.result.type) or isinstance(node.result.type, Array) or node.keywords:
        return False
    if not all(operand in chosen or _is_integer(type_of(operand)) for operand in node.operands):
        return False
    literal = any(isinstance(operand, Const) for operand in node.operands)
    counts = node.function in (np.minimum, np.maximum) or kind(node.function) in _STAY_INTEGERS
    return node.function in (min, max) or (literal and counts)


def _is_integer(type_: Type | None) -> bool:
    return isinstance(type_, Scalar) and type_.dtype.startswith(("int", "uint"))


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
    """The numbers of a count: itself, or the items of a shape."""
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
        """A shape or an extent; one of several items is made anew."""
        parts = _parts(operand, self.definitions)
        counts = tuple(map(self.count, parts))
        if counts == parts:
            return operand
        return counts[0] if parts == (operand,) else builder.apply(tuple, *counts)
