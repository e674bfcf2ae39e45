"""Compute values of the primal again in the reverse sweep, or read them back from where the program stored them."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping, Sequence

import numpy as np

from backsweep.analysis.snapshots import Snapshots
from backsweep.analysis.structure import Facts
from backsweep.ir.nodes import (
    Apply,
    If,
    Load,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
)
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array
from backsweep.ir.walk import map_blocks, operands, rename_operands, renewed, substitute


def in_order(
    needed: Sequence[Value],
    recorded: Sequence[Value],
    inputs: Mapping[Value, Sequence[Value] | None],
    facts: Facts,
) -> list[Value]:
    """The needed values that are not recorded, and what they are computed from by `inputs`, each after its own inputs."""
    order: dict[Value, None] = {}
    done = set(recorded)

    def visit(value: Value) -> None:
        if value in done or value in order:
            return
        for source in inputs[value] or ():
            visit(source)
        order[value] = None

    def place(value: Value) -> int:
        node = facts.definitions.get(value)
        return -1 if node is None else facts.position.get(node, -1)

    for value in sorted(needed, key=place):
        visit(value)
    return list(order)


def clone(
    value: Value, stored: Store | None, replacement: dict[Value, Operand], facts: Facts, snapshots: Snapshots
) -> list[Node]:
    """The nodes that compute a value again in the reverse sweep, or read it back from where it was `stored`.

    `replacement` says what stands for values of the primal there; it gets what stands for this one.
    """

    def rename(operand: Operand) -> Operand:
        return replacement.get(operand, operand) if isinstance(operand, Value) else operand

    if value in replacement:
        return []
    node = facts.definitions.get(value)
    if stored is not None:
        new = dataclasses.replace(value)
        replacement[value] = new
        if not any(isinstance(item, Slice) for item in stored.index):
            read = View if isinstance(value.type, Array) else Load
            return [rename_operands(read(new, stored.buffer, stored.index, value.loc), rename)]
        # a part whose entries do not lie next to one another: copied, because the value's did
        assert isinstance(value.type, Array)
        part = Value("", dataclasses.replace(value.type, layout="A"), value.loc)
        view = rename_operands(View(part, stored.buffer, stored.index, value.loc), rename)
        return [view, Apply(new, np.copy, (part,), value.loc)]
    assert node is not None
    if isinstance(node, Load) and (snapshot := snapshots.of(node)) is not None:
        node = dataclasses.replace(node, buffer=snapshot.copy, index=snapshot.index(node))
    renamed = rename_operands(node, rename)
    if isinstance(renamed, If):
        renamed = map_blocks(renamed, lambda inner: renewed(substitute(inner, replacement)), rename)
        assert isinstance(renamed, If)
        results = tuple(dataclasses.replace(result) for result in renamed.results)
        assert isinstance(node, If)
        replacement.update(zip(node.results, results, strict=True))
        return [dataclasses.replace(renamed, results=results)]
    assert isinstance(renamed, Apply | Load | View)
    same = map(type_of, operands(node)), map(type_of, operands(renamed))
    kept = not isinstance(value.type, Array) or all(map(operator.eq, *same))
    new = dataclasses.replace(value, type=value.type if kept else None)  # a record may have another layout
    replacement[value] = new
    return [dataclasses.replace(renamed, result=new)]
