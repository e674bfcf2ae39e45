"""Check, before loops run, that there is memory for what they record.

The system hands out memory that it does not have, and ends the process when that is written. So a gradient whose records
may be large asks first.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, For, Function, If, Node, Operand, Role, Value, While
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import INT, Array
from backsweep.ir.walk import definitions_of, growing, map_blocks, with_body, with_nodes
from backsweep.runtime.memory import check_room


def check_memory(function: Function) -> Function:
    """The program with a check of the memory for its tapes and snapshots, where these may outgrow its arguments.

    A tape with a single axis, as long as an array, is no larger than that array, and is not checked.
    """
    definitions = definitions_of(function)
    return with_body(function, _checked(function.body, definitions, growing(function.body)))


def _checked(block: Block, definitions: Mapping[Value, Node], growable: frozenset[Value]) -> Block:
    nodes: list[Node] = []
    made: list[Apply] = []
    for node in block.nodes:
        if isinstance(node, If | For | While):
            nodes += _check(made, definitions)
            made = []
        elif isinstance(node, Apply) and _is_record(node) and node.result not in growable:
            made.append(node)
        nodes.append(map_blocks(node, lambda inner: _checked(inner, definitions, growable)))
    return with_nodes(block, nodes)


def _is_record(node: Apply) -> bool:
    """Whether the node makes a tape or an array of snapshots."""
    return node.function is np.empty and node.result.role is Role.RECORD


def _check(made: Sequence[Apply], definitions: Mapping[Value, Node]) -> list[Node]:
    """The nodes that check the memory for these records together; none if no record may be large."""
    if not any(_may_be_large(node.operands[0], definitions) for node in made):
        return []
    builder = Builder(loc=made[-1].loc)
    total: Operand | None = None
    for size, alike in groupby(sorted(made, key=_itemsize), key=_itemsize):
        entries: Operand | None = None
        for node in alike:
            count = builder.apply(np.size, node.result, type=INT)
            entries = count if entries is None else builder.apply(operator.add, entries, count, type=INT)
        assert entries is not None
        bytes_ = builder.apply(operator.mul, Const(size), entries, type=INT)
        total = bytes_ if total is None else builder.apply(operator.add, total, bytes_, type=INT)
    assert total is not None
    builder.apply(check_room, total)
    return builder.current.nodes


def _itemsize(node: Apply) -> int:
    assert isinstance(node.result.type, Array)
    return int(np.dtype(node.result.type.dtype).itemsize)


def _may_be_large(shape: Operand, definitions: Mapping[Value, Node]) -> bool:
    """Whether an array of this shape may be larger than the arrays of the program."""
    node = definitions.get(shape) if isinstance(shape, Value) else None
    extents = node.operands if isinstance(node, Apply) and node.function is tuple else (shape,)
    unknown = [extent for extent in extents if isinstance(extent, Value)]
    return len(unknown) > 1 or not all(_is_extent(each, definitions) for each in unknown)


def _is_extent(operand: Operand, definitions: Mapping[Value, Node]) -> bool:
    """Whether a number is an extent of an array, up to constants that are added, so that it is not large by itself."""
    if isinstance(operand, Const):
        return True
    match definitions.get(operand):
        case Apply(function=operator.add | operator.sub | builtins.max | builtins.min, operands=parts):
            return all(_is_extent(part, definitions) for part in parts)
        case Apply(function=operator.getitem, operands=(Value() as shape, Const())):
            read = definitions.get(shape)
            return isinstance(read, Apply) and read.function is np.shape
        case Apply(function=function):
            return kind(function) is Kind.EXTENT
        case _:
            return False
