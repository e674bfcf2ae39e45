"""Choose which array statements share a nest of loops, and the order in which everything is written.

Statements of a group are computed element by element in program order, so whatever a statement reads
of what an earlier one of the group writes must be the element at the same index. A statement joins an earlier group
over its index space if nothing between stands in its way: what it needs from there moves before the group, if it can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from backsweep.analysis.alias import Aliases
from backsweep.analysis.integers.affine import ONE, Shape
from backsweep.analysis.order.iterations import reads_memory
from backsweep.analysis.order.places import Along, Place
from backsweep.analysis.order.statements import is_whole
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import Append, Apply, Comment, Const, Load, Node, Operand, Store, Sweep, Value, View
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import operands, results
from backsweep.optimise.arrays.elements import is_array
from backsweep.optimise.arrays.nests import PASSED_ON, TOTALS, Scope
from backsweep.optimise.arrays.roots import leaves_of, store_target
from backsweep.runtime.broadcasting import sum_to


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

    @property
    def is_partial(self) -> bool:
        """Whether the statement sums along some axes: its result is complete after the nest only."""
        return isinstance(self.node, Apply) and self.place is not None


@dataclass(slots=True, eq=False)
class Group:
    """Statements that share a nest, in program order, the comments that head some of them, and what they define."""

    members: list[Member] = field(default_factory=list)
    headings: dict[Member, Comment] = field(default_factory=dict)

    def defined(self) -> set[Operand]:
        """The arrays and totals that the group defines."""
        return {result for member in self.members for result in results(member.node)}

    def written(self) -> Iterator[Place]:
        """Where the group's stores write."""
        for member in self.members:
            if member.place is not None:
                yield member.place


@dataclass(slots=True, eq=False)
class _Step:
    """A group or a single node in the order of writing, with the values that it defines and uses, and the memory that it touches."""

    node: Node | None = None
    group: Group | None = None
    heading: Comment | None = None
    defined: set[Operand] = field(default_factory=set)
    used: set[Operand] = field(default_factory=set)
    read: set[Value] = field(default_factory=set)
    written: set[Value] = field(default_factory=set)

    def waits_for(self, other: _Step) -> bool:
        """Whether this step must come after the other one, which is before it in the program."""
        return not (
            self.used.isdisjoint(other.defined)
            and other.written.isdisjoint(self.read | self.written)
            and self.written.isdisjoint(other.read)
        )

    def add(self, other: _Step) -> None:
        """Take in a further member."""
        self.defined |= other.defined
        self.used |= other.used
        self.read |= other.read
        self.written |= other.written


Scheduled = Node | Group


def schedule(scope: Scope, nodes: Sequence[Node], is_root: Callable[[Node], bool]) -> list[Scheduled]:
    """The nodes of a block and the groups of two or more statements that share a nest, in the order of writing."""
    found: list[Scheduled] = []
    steps = _Steps(scope, is_root)
    for node in nodes:
        if _is_barrier(node):
            found += steps.finished()
            found.append(node)
            steps = _Steps(scope, is_root, node if isinstance(node, Comment) else steps.heading)
        elif isinstance(node, Comment):
            steps.heading = node
        elif not (results(node) and results(node)[0] in scope.absorbed):
            steps.add(node)
    return found + steps.finished()


def _is_barrier(node: Node) -> bool:
    """Whether no statement moves past the node."""
    if isinstance(node, Comment):
        return isinstance(node, Sweep)
    if isinstance(node, View | Load | Store | Append):
        return False
    return not isinstance(node, Apply) or has_effect(node)


class _Steps:
    """The steps between two barriers; `heading` is the comment that heads what is added next, `written` the one before."""

    def __init__(self, scope: Scope, is_root: Callable[[Node], bool], written: Comment | None = None) -> None:
        self.scope = scope
        self.is_root = is_root
        self.steps: list[_Step] = []
        self.heading = written
        self.first = written

    def add(self, node: Node) -> None:
        """Add a node: to a group, or as a step of its own."""
        step = self.step(node)
        if not isinstance(node, Apply | Store) or not self.is_root(node):
            self.steps.append(step)
            return
        member = _member(self.scope, node)
        if member is None:
            self.steps.append(step)
            return
        for number in range(len(self.steps) - 1, -1, -1):
            group = self.steps[number].group
            if group is None or group.members[0].space != member.space:
                continue
            moved = self.moved(step, number)
            if (
                moved is not None
                and _is_computed(self.scope, group, node)
                and _joins(self.scope, group, member)
            ):
                self.join(number, moved, member, step)
                return
        if _is_computed(self.scope, Group(), node):
            step.group = Group([member])
        self.steps.append(step)

    def step(self, node: Node) -> _Step:
        """A node alone."""
        found = _Step(node, heading=self.heading)
        aliases = self.scope.aliases
        for inner in tree(self.scope, node):
            found.defined.update(results(inner))
            for operand in operands(inner):
                if isinstance(operand, Value):
                    found.used.add(operand)
                    if aliases.in_memory(operand) and reads_memory(inner, aliases.of(operand), aliases):
                        found.read.add(aliases.of(operand))
            if isinstance(inner, Store):
                found.written.add(aliases.of(inner.buffer))
            elif isinstance(inner, Append):
                found.defined.add(
                    inner.buffer
                )  # what reads the longer list comes later; no entry of an array changes
        return found

    def moved(self, step: _Step, number: int) -> list[_Step] | None:
        """The steps that must move before the group so that the new step can join it; None if one cannot move."""
        needing = [step]
        found: list[_Step] = []
        for other in reversed(self.steps[number + 1 :]):
            if any(each.waits_for(other) for each in needing):
                if (
                    other.group is not None
                    or isinstance(other.node, Store | Append)
                    or other.waits_for(self.steps[number])
                ):
                    return None
                needing.append(other)
                found.insert(0, other)
        return found

    def join(self, number: int, moved: list[_Step], member: Member, step: _Step) -> None:
        """Add the statement to the group, after the steps that have to move before that."""
        whole = self.steps[number]
        assert whole.group is not None
        latest = next(
            (
                whole.group.headings[each]
                for each in reversed(whole.group.members)
                if each in whole.group.headings
            ),
            whole.heading,
        )
        if step.heading is not None and step.heading is not latest:
            whole.group.headings[member] = step.heading
        whole.group.members.append(member)
        whole.add(step)
        rest = [each for each in self.steps[number:] if each not in moved]
        self.steps[number:] = [*moved, *rest]

    def finished(self) -> list[Scheduled]:
        """The nodes and groups, each node under its heading."""
        found: list[Scheduled] = []
        heading = self.first
        for step in self.steps:
            if step.heading is not None and step.heading is not heading:
                found.append(step.heading)
            heading = step.heading
            if step.group is not None and (len(step.group.members) > 1 or step.group.members[0].is_partial):
                found.append(step.group)
                for headed in step.group.headings.values():
                    heading = headed
            else:
                assert step.node is not None
                found.append(step.node)
        if self.heading is not None and self.heading is not heading and not isinstance(self.heading, Sweep):
            found.append(self.heading)
        return found


def _is_computed(scope: Scope, group: Group, node: Apply | Store) -> bool:
    """Whether the statement computes elements; a copy or a sum of an array that exists is left to NumPy."""
    if isinstance(node, Store) or is_partial_sum(scope, node) or node.function not in PASSED_ON | TOTALS:
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
        space = scope.shape(target)
        place = scope.place(target, space)
        if place.buffer is target and target is not node.buffer:
            return None
    elif (place := summed_place(scope, node)) is not None:
        space = scope.shape(node.operands[0])
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
    places = {leaf: scope.place(leaf, space) for leaf, read in leaves.items() if read}
    member = Member(node, space, leaves, set(_scalars(scope, node)), places, set(tree(scope, node)), place)
    if place is not None and not _reads_in_step(scope, member, member):
        return None
    return member if space else None


def is_partial_sum(scope: Scope, node: Apply) -> bool:
    """Whether the node sums an array of known extents along some axes, and not along others."""
    return summed_place(scope, node) is not None


def summed_place(scope: Scope, node: Apply) -> Place | None:
    """Where each entry of the operand is added in the result; None if the node is no such sum."""
    if not node.operands or not is_array(node.operands[0]) or not is_array(node.result):
        return None
    whole = scope.shape(node.operands[0])
    types = [type_of(operand) for operand in (node.operands[0], node.result)]
    if len({type_.dtype for type_ in types if isinstance(type_, Array)}) > 1:
        return None
    if node.function is np.sum:
        place = _axis(node, len(whole))
        kept = [Along(axis) for axis in range(len(whole)) if axis != place]
        return None if place is None else Place(node.result, tuple(kept))
    if node.function is not sum_to or scope.same(*node.operands):
        return None
    target = scope.shape(node.operands[1])
    lead = len(whole) - len(target)
    if lead < 0 or any(mine not in (ONE, there) for mine, there in zip(target, whole[lead:], strict=True)):
        return None
    items = tuple(Const(0) if extent == ONE else Along(lead + axis) for axis, extent in enumerate(target))
    return Place(node.result, items)


def _axis(node: Apply, ndim: int) -> int | None:
    """The axis that a sum runs along, counted from the front; None for a sum of other arguments."""
    match node.operands[1:], node.keywords:
        case ((Const(value=int() as axis),), ()) | ((), (("axis", Const(value=int() as axis)),)):
            return axis % ndim if -ndim <= axis < ndim and ndim > 1 else None
        case _:
            return None


def _scalars(scope: Scope, node: Node) -> Iterator[Operand]:
    """The numbers that the statement's tree reads."""
    for inner in tree(scope, node):
        yield from (operand for operand in operands(inner) if not is_array(operand))


def _joins(scope: Scope, group: Group, member: Member) -> bool:
    """Whether the statement may be computed in the nest of those before it."""
    if member.space != group.members[0].space or member.scalars & group.defined():
        return False
    if isinstance(member.node, Store) and array_of(member, group.defined()) and not _is_held(member.node):
        return False
    return all(_in_step(scope, earlier, member) for earlier in group.members)


def array_of(member: Member, defined: set[Operand]) -> Value | None:
    """The array of the group's own of which the member computes an element."""
    node = member.node
    if isinstance(node, Apply):
        return node.result if is_array(node.result) and not member.is_partial else None
    assert member.place is not None
    buffer = member.place.buffer
    return buffer if isinstance(buffer, Value) and buffer in defined else None


def _is_held(store: Store) -> bool:
    """Whether the stored entries equal the computed values: an integer array truncates them."""
    value, buffer = type_of(store.value), store.buffer.type
    if not isinstance(value, Scalar | Array) or not isinstance(buffer, Array):
        return False
    if store.accumulate:
        return bool(np.result_type(buffer.dtype, value.dtype) == buffer.dtype)
    return value.dtype == buffer.dtype


def _in_step(scope: Scope, earlier: Member, later: Member) -> bool:
    """Whether the two members touch common memory only at the same index."""
    aliases = scope.aliases
    made = results(earlier.node)
    if earlier.is_partial and any(leaf in made for leaf in later.leaves):
        return (
            False  # what it gives is complete after the nest only; what it reads must not be written before
        )
    for array in made:
        for leaf in later.leaves:
            if isinstance(leaf, Value) and leaf is not array and aliases.same(leaf, array):
                return False
        if (
            later.place is not None
            and _shares(aliases, later.place, array)
            and not (later.place.buffer is array and is_whole(later.place))
        ):
            return False
    for one, other in ((earlier, later), (later, earlier)):
        if one.place is None:
            continue
        if other.place is not None and not _writes_in_step(scope, one, other):
            return False
        if not _reads_in_step(scope, other, one):
            return False
    return True


def _writes_in_step(scope: Scope, one: Member, other: Member) -> bool:
    """Whether the order of the entries that two members write does not matter: each at one index, or both only add."""
    assert one.place is not None
    assert other.place is not None
    adding = all(isinstance(each.node, Store) and each.node.accumulate for each in (one, other))
    return adding or scope.order.in_step(one.place, other.place, other.space, other.node)


def _reads_in_step(scope: Scope, member: Member, writer: Member) -> bool:
    """Whether the member reads what `writer` writes only at the index at which that is written."""
    assert writer.place is not None
    return all(
        scope.order.in_step(own, writer.place, member.space, member.node) for own in member.places.values()
    )


def _shares(aliases: Aliases, place: Place, array: Value) -> bool:
    return isinstance(place.buffer, Value) and aliases.same(place.buffer, array)


def tree(scope: Scope, node: Node) -> list[Node]:
    """The statement's node and those absorbed by it, each once."""
    found, seen, waiting = list[Node](), {node}, [node]
    while waiting:
        each = waiting.pop()
        found.append(each)
        for operand in operands(each):
            inner = scope.absorbed.get(operand) if isinstance(operand, Value) else None
            if inner is not None and inner not in seen:
                seen.add(inner)
                waiting.append(inner)
    return found
