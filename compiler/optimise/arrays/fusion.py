"""Write the nest of array statements that share one: their elements are computed one statement after another.

An array that only its own group reads is never made.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from backsweep.ir.build import Builder, christen
from backsweep.ir.nodes import Apply, Node, Operand, Store, Value
from backsweep.ir.types import Array
from backsweep.ir.types import element as element_type
from backsweep.optimise.arrays.elements import extent, is_array
from backsweep.optimise.arrays.nests import TOTALS, Scope, Statement
from backsweep.optimise.arrays.roots import add_mean, empty, made_once, store_target, zero, zeros
from backsweep.optimise.arrays.schedule import Group, Member, array_of


def write_group(
    scope: Scope, builder: Builder, group: Group, is_read: Callable[[Value, set[Node]], bool]
) -> list[Value]:
    """One nest for the group's statements, in program order; the arrays that it makes.

    `is_read` tells whether anything but the given nodes reads an array.
    """
    tree = {node for member in group.members for node in member.tree}
    statement = Statement(scope, builder, group.members[0].node.loc)
    defined = group.defined()
    statement.space = group.members[0].space
    for member in group.members:
        for leaf, read in member.leaves.items():
            if leaf not in defined:
                statement.leaves[leaf] = statement.leaves.get(leaf, False) or read
    stores = [member.node for member in group.members if isinstance(member.node, Store)]
    if stores:
        statement.target = made_once(statement, store_target(scope, stores[0]))
    statement.prepare()
    for place in group.written():
        statement.prepare_place(place)
    arrays: list[Value] = []
    for member in group.members:
        if (
            isinstance(member.node, Apply)
            and is_array(member.node.result)
            and not member.is_partial
            and is_read(member.node.result, tree)
        ):
            builder.add(empty(statement, member.node.result))
            arrays.append(member.node.result)
    for member in group.members:
        if member.is_partial and isinstance(member.node, Apply) and member.place is not None:
            builder.add(zeros(statement, member.node, member.place.items))
    totals = [
        each.node
        for each in group.members
        if isinstance(each.node, Apply) and each.node.function in TOTALS and not each.is_partial
    ]
    ends = tuple(
        node.result if node.function is np.sum else Value("total", node.result.type, node.loc)
        for node in totals
    )

    def length(axis: int) -> Operand:
        if arrays and not statement.is_of_parameters(statement.space[axis]):
            return extent(builder, arrays[0], axis)
        return statement.length(axis)

    final: dict[Value, Member] = {}
    for member in group.members:
        array = array_of(member, defined)
        if array in arrays:
            final[array] = member

    def body(index: list[Operand], sums: tuple[Operand, ...]) -> tuple[Operand, ...]:
        known: dict[Value, Operand] = {}
        after = list(sums)
        for each in group.members:
            if each in group.headings:
                builder.add(group.headings[each])
            array = array_of(each, defined)
            if array is None:
                _effect(statement, each, index, known, totals, after)
            else:
                known[array] = entry = _entry(statement, each, index, known, array)
                if final.get(array) is each:
                    builder.store(array, tuple(index), entry)
                elif isinstance(entry, Value):
                    christen(entry, array.name)
        return tuple(after)

    statement.nest(length, body, tuple(zero(statement, node) for node in totals), ends)
    for node, end in zip(totals, ends, strict=True):
        if node.function is np.mean:
            add_mean(statement, node, end)
    return [
        *arrays,
        *(each.node.result for each in group.members if each.is_partial and isinstance(each.node, Apply)),
    ]


def _entry(
    statement: Statement, member: Member, index: list[Operand], known: dict[Value, Operand], array: Value
) -> Operand:
    """The element of the group's own array after the member."""
    builder, node = statement.builder, member.node
    builder.loc = node.loc
    if isinstance(node, Apply):
        return statement.computed(node, index, known)
    value = statement.element(node.value, index, known)
    assert isinstance(array.type, Array)
    if node.accumulate:
        return builder.apply(operator.add, known[array], value, type=element_type(array.type))
    return value


def _effect(
    statement: Statement,
    member: Member,
    index: list[Operand],
    known: dict[Value, Operand],
    totals: list[Apply],
    sums: list[Operand],
) -> None:
    """One element of a store to memory that exists, or one term of a sum."""
    builder, node = statement.builder, member.node
    builder.loc = node.loc
    if member.place is not None:
        assert isinstance(member.place.buffer, Value)
        at = statement.index(member.place, index)
        stored = node.value if isinstance(node, Store) else node.operands[0]
        accumulate = node.accumulate if isinstance(node, Store) else True
        value = statement.element(stored, index, known)
        builder.store(member.place.buffer, at, value, accumulate=accumulate)
    else:
        assert isinstance(node, Apply)
        number = totals.index(node)
        term = statement.element(node.operands[0], index, known)
        sums[number] = builder.apply(operator.add, sums[number], term, type=node.result.type)
