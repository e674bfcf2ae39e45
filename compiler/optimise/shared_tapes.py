"""Allocate many tapes of one shape as parts of one array, whose memory stays with the process.

The system would give each large tape new pages in every call, which takes longer than writing the tape.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from backsweep.ir.nodes import Apply, Block, Const, Function, Node, Operand, Role, Value, View
from backsweep.ir.operations import OF_INTEGERS, kind
from backsweep.ir.types import INT, Array, Tuple
from backsweep.ir.walk import growing, grows, map_blocks, with_body, with_nodes

MANY = 4
"""Fewer tapes of one shape are left as they are: easier to read."""

Definitions = Mapping[Operand, Apply]


def share_tapes(function: Function) -> Function:
    """The same program with one array for all tapes of one shape that are made in the same place."""
    return with_body(function, _gathered(function.body, growing(function.body)))


def _gathered(block: Block, growable: frozenset[Value]) -> Block:
    definitions: dict[Operand, Apply] = {}
    groups: dict[object, list[Apply]] = {}
    for node in block.nodes:
        if isinstance(node, Apply):
            if not any(grows(operand, growable) for operand in node.operands):
                definitions[node.result] = node
            if _is_tape(node) and node.result not in growable:
                shape = tuple(_spelled(part, definitions) for part in node.operands)
                groups.setdefault(shape, []).append(node)
    parts: dict[Node, list[Node]] = {}
    for tapes in groups.values():
        if len(tapes) >= MANY:
            parts.update(_parts(tapes, definitions))
    nodes: list[Node] = []
    for node in block.nodes:
        nodes += parts.get(node, [map_blocks(node, lambda inner: _gathered(inner, growable))])
    return with_nodes(block, nodes)


def _parts(tapes: list[Apply], definitions: Definitions) -> dict[Node, list[Node]]:
    """For the node that makes a tape, the nodes that replace it: each tape is a view of one array, which the first tape's nodes make."""
    first = tapes[0]
    shape, *dtype = first.operands
    lengths = _lengths(shape, definitions)
    of_tape = first.result.type
    assert isinstance(of_tape, Array)
    extents = (Const(len(tapes)), *lengths)
    whole_shape = Value("", Tuple((INT,) * len(extents)), first.loc)
    whole = Value("tapes", dataclasses.replace(of_tape, ndim=of_tape.ndim + 1), first.loc, Role.RECORD)
    array: list[Node] = [
        Apply(whole_shape, tuple, extents, first.loc),
        Apply(whole, np.empty, (whole_shape, *dtype), first.loc),
    ]
    views = {tape: [View(tape.result, whole, (Const(k),), tape.loc)] for k, tape in enumerate(tapes)}
    return {tape: [*array, *view] if tape is first else [*view] for tape, view in views.items()}


def _lengths(shape: Operand, definitions: Definitions) -> tuple[Operand, ...]:
    """The extents of a shape."""
    made = definitions.get(shape)
    if made is not None and made.function is tuple:
        return made.operands
    if isinstance(shape, Const) and isinstance(shape.value, tuple):
        return tuple(map(Const, shape.value))
    return (shape,)


def _is_tape(node: Apply) -> bool:
    """Whether the node makes a tape whose length is known."""
    return node.function is np.empty and node.result.role is Role.RECORD and not node.keywords


def _spelled(operand: Operand, definitions: Definitions) -> object:
    """A key that is equal for equal extents, wherever they were computed."""
    node = definitions.get(operand)
    if node is not None and kind(node.function) in OF_INTEGERS:
        return (node.function, *(_spelled(part, definitions) for part in node.operands))
    if isinstance(operand, Const) and isinstance(operand.value, np.ndarray):
        return np.ndarray, id(operand.value)  # a global table, which has no hash
    return operand.value if isinstance(operand, Const) else operand
