"""Fuse consecutive array statements over one index space into one nest of loops.

Statements of a group are computed element by element in program order, so whatever a statement reads
of what an earlier one of the group writes must be the element at the same index. An array that only
its own group reads is never made.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from backsweep.analysis.alias import Aliases
from backsweep.analysis.integers.affine import ONE, Shape
from backsweep.ir.build import Builder, christen
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import Append, Apply, Comment, Load, Node, Operand, Store, Sweep, Value, View
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar
from backsweep.ir.types import element as element_type
from backsweep.ir.walk import operands, results
from backsweep.optimise.arrays.elements import Place, extent, is_array
from backsweep.optimise.arrays.nests import PASSED_ON, TOTALS, Scope, Statement
from backsweep.optimise.arrays.roots import (
    add_mean,
    empty,
    is_all_of,
    leaves_of,
    meets,
    same_place,
    store_target,
    zero,
)


@dataclass(slots=True, eq=False)
class Member:
    """One statement of a group: what it reads, over which space, and where a store writes."""

    node: Apply | Store
    space: Shape
    leaves: dict[Operand, bool]
    scalars: set[Operand]
    places: dict[Operand, Place]
    tree: set[Node]
    place: Place | None = None


@dataclass(slots=True, eq=False)
class Group:
    """Statements that share a nest, the comments between them, and what they define."""

    members: list[Member] = field(default_factory=list)
    order: list[Member | Comment] = field(default_factory=list)

    def last(self) -> Node:
        """The statement at whose place the nest is written."""
        return self.members[-1].node

    def defined(self) -> set[Operand]:
        """The arrays and totals that the group defines."""
        return {result for member in self.members for result in results(member.node)}

    def written(self) -> Iterator[Place]:
        """Where the group's stores write."""
        for member in self.members:
            if member.place is not None:
                yield member.place


def find_groups(scope: Scope, nodes: Sequence[Node], is_root: Callable[[Node], bool]) -> list[Group]:
    """The groups of two or more statements, each as long as it can be."""
    found: list[Group] = []
    group = Group()
    for node in nodes:
        if results(node) and results(node)[0] in scope.absorbed:
            continue
        member = None
        if isinstance(node, Apply | Store) and is_root(node) and _is_computed(scope, group, node):
            member = _member(scope, node)
        if member is not None and group.members and not _joins(scope.aliases, group, member):
            found.append(group)
            group = Group()
        if member is not None:
            group.members.append(member)
            group.order.append(member)
        elif isinstance(node, Comment) and group.members and not isinstance(node, Sweep):
            group.order.append(node)
        elif group.members and not _may_go_first(scope, group, node):
            found.append(group)
            group = Group()
    found.append(group)
    for each in found:
        while each.order and isinstance(each.order[-1], Comment):
            each.order.pop()
    return [each for each in found if len(each.members) > 1]


def _is_computed(scope: Scope, group: Group, node: Apply | Store) -> bool:
    """Whether the statement computes elements; a copy or a sum of an array that exists is left to NumPy."""
    if isinstance(node, Store) or node.function not in PASSED_ON | TOTALS:
        return True
    first = node.operands[0]
    is_part = isinstance(first, Value) and isinstance(scope.shapes.definitions.get(first), View)
    return first in scope.absorbed or first in group.defined() or (is_part and node.function in PASSED_ON)


def _member(scope: Scope, node: Apply | Store) -> Member | None:
    """The statement as a member of a group; None where its operands are not proved to fit its space."""
    leaves = leaves_of(scope, node)
    shapes = {leaf: scope.shape(leaf) for leaf in leaves}
    place = None
    if isinstance(node, Store):
        target = store_target(scope, node)
        place = scope.places.of(target)
        space = scope.shape(target)
        if place.buffer is target and target is not node.buffer:
            return None
    else:
        space = ()
        for shape in shapes.values():
            lead = len(shape) - len(space)
            space = (ONE,) * lead + space
            own = (ONE,) * -lead + shape
            space = tuple(mine if mine != ONE else other for mine, other in zip(space, own, strict=True))
    for shape in shapes.values():
        there = space[len(space) - len(shape) :]
        if len(shape) > len(space) or any(
            mine not in (ONE, at) for mine, at in zip(shape, there, strict=True)
        ):
            return None
    places = {leaf: scope.places.of(leaf) for leaf, read in leaves.items() if read}
    member = Member(node, space, leaves, set(_scalars(scope, node)), places, set(_tree(scope, node)), place)
    if place is not None and _conflicts(scope, member, place):
        return None
    return member if space else None


def _scalars(scope: Scope, node: Node) -> Iterator[Operand]:
    """The numbers that the statement's tree reads."""
    for operand in operands(node):
        if isinstance(operand, Value) and operand in scope.absorbed:
            yield from _scalars(scope, scope.absorbed[operand])
        elif not is_array(operand):
            yield operand


def _conflicts(scope: Scope, member: Member, place: Place) -> bool:
    """Whether the member reads memory that may be written at `place`, other than element by element."""
    for leaf, read in member.leaves.items():
        if read and isinstance(leaf, Value) and isinstance(place.buffer, Value):
            if scope.aliases.same(leaf, place.buffer):
                if scope.shape(leaf) != member.space or not meets(scope, leaf, place):
                    return True
    return False


def _joins(aliases: Aliases, group: Group, member: Member) -> bool:
    """Whether the statement may be computed in the nest of those before it."""
    if member.space != group.members[0].space or member.scalars & group.defined():
        return False
    if isinstance(member.node, Store) and _array_of(member, group.defined()) and not _is_held(member.node):
        return False
    return all(_in_step(aliases, earlier, member) for earlier in group.members)


def _is_held(store: Store) -> bool:
    """Whether the stored entries equal the computed values: an integer array truncates them."""
    value, buffer = type_of(store.value), store.buffer.type
    if not isinstance(value, Scalar | Array) or not isinstance(buffer, Array):
        return False
    if store.accumulate:
        return bool(np.result_type(buffer.dtype, value.dtype) == buffer.dtype)
    return value.dtype == buffer.dtype


def _in_step(aliases: Aliases, earlier: Member, later: Member) -> bool:
    """Whether the two members touch common memory only at the same index."""
    made = results(earlier.node)
    for array in made:
        for leaf in later.leaves:
            if isinstance(leaf, Value) and leaf is not array and aliases.same(leaf, array):
                return False
        if (
            later.place is not None
            and _shares(aliases, later.place, array)
            and not is_all_of(later.place, array)
        ):
            return False
    for one, other in ((earlier, later), (later, earlier)):
        if one.place is None:
            continue
        if other.place is not None and isinstance(other.place.buffer, Value):
            if _shares(aliases, one.place, other.place.buffer) and not same_place(one.place, other.place):
                return False
        if not _reads_in_step(aliases, other, one.place):
            return False
    return True


def _shares(aliases: Aliases, place: Place, array: Value) -> bool:
    return isinstance(place.buffer, Value) and aliases.same(place.buffer, array)


def _reads_in_step(aliases: Aliases, member: Member, place: Place) -> bool:
    """Whether the member reads memory written at `place` by whole elements of the same place only."""
    for leaf, own in member.places.items():
        if isinstance(leaf, Value) and _shares(aliases, place, leaf) and not same_place(own, place):
            return False
    return True


def _may_go_first(scope: Scope, group: Group, node: Node) -> bool:
    """Whether a statement between those of the group may run before all of them."""
    if isinstance(node, Store | Append) or not isinstance(node, Apply | View | Load) or has_effect(node):
        return False
    read = {operand for inner in _tree(scope, node) for operand in operands(inner)}
    if read & group.defined():
        return False
    if isinstance(node, View):
        return True
    arrays = [operand for operand in read if isinstance(operand, Value) and isinstance(operand.type, Array)]
    return not any(_shares(scope.aliases, place, array) for place in group.written() for array in arrays)


# Writing ---------------------------------------------------------------------------------------------


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
    statement.prepare()
    for place in group.written():
        statement.prepare_place(place)
    arrays: list[Value] = []
    for member in group.members:
        if (
            isinstance(member.node, Apply)
            and is_array(member.node.result)
            and is_read(member.node.result, tree)
        ):
            builder.add(empty(statement, member.node.result))
            arrays.append(member.node.result)
    totals = [
        each.node for each in group.members if isinstance(each.node, Apply) and each.node.function in TOTALS
    ]
    ends = tuple(
        node.result if node.function is np.sum else Value("total", node.result.type, node.loc)
        for node in totals
    )

    def length(axis: int) -> Operand:
        if arrays:
            return extent(builder, arrays[0], axis)
        return statement.length(axis)

    final: dict[Value, Member] = {}
    for member in group.members:
        array = _array_of(member, defined)
        if array in arrays:
            final[array] = member

    def body(index: list[Operand], sums: tuple[Operand, ...]) -> tuple[Operand, ...]:
        known: dict[Value, Operand] = {}
        after = list(sums)
        for each in group.order:
            if isinstance(each, Comment):
                builder.add(each)
                continue
            array = _array_of(each, defined)
            if array is None:
                _effect(statement, each, index, known, totals, after)
            else:
                known[array] = entry = _entry(statement, each, index, known, array)
                if final.get(array) is each:
                    builder.store(array, tuple(index), entry)
                elif isinstance(entry, Value):
                    christen(entry, array.name)
        return tuple(after)

    statement.nest(length, body, tuple(zero(builder, node.result.type) for node in totals), ends)
    for node, end in zip(totals, ends, strict=True):
        if node.function is np.mean:
            add_mean(statement, node, end)
    return arrays


def _array_of(member: Member, defined: set[Operand]) -> Value | None:
    """The array of the group's own of which the member computes an element."""
    node = member.node
    if isinstance(node, Apply):
        return node.result if is_array(node.result) else None
    assert member.place is not None
    buffer = member.place.buffer
    return buffer if isinstance(buffer, Value) and buffer in defined else None


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
    if isinstance(node, Store):
        assert member.place is not None
        assert isinstance(member.place.buffer, Value)
        at = statement.index(member.place, index)
        value = statement.element(node.value, index, known)
        builder.store(member.place.buffer, at, value, accumulate=node.accumulate)
    else:
        number = totals.index(node)
        term = statement.element(node.operands[0], index, known)
        sums[number] = builder.apply(operator.add, sums[number], term, type=node.result.type)


def _tree(scope: Scope, node: Node) -> Iterator[Node]:
    """The statement's node and those absorbed by it."""
    yield node
    for operand in operands(node):
        if isinstance(operand, Value) and operand in scope.absorbed:
            yield from _tree(scope, scope.absorbed[operand])
