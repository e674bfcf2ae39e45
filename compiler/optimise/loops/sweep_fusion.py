"""Fuse a loop of the forward sweep with the loop that reverses it, if no iteration needs the result of another.

This pays for loops with indirect accesses, as in a sparse matrix, which the processor cannot prefetch: both loops wait
for memory. In one loop, the elements that an iteration has read and recorded are still in the cache. It pays, too, for
loops around loops whose records then need no axis for the outer loop, and so less memory.
(L. Hascoet, S. Fidanova, C. Held, "Adjoining independent computations", 2001.)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from functools import cached_property

from backsweep.analysis.alias import Aliases, find_aliases, memory_of_arguments
from backsweep.analysis.integers.affine import at_least, infeasible, literal
from backsweep.analysis.integers.domains import Places, places_of
from backsweep.analysis.order.iterations import order_of, reads_memory
from backsweep.analysis.trip_counts import is_short
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Comment,
    For,
    Function,
    Grow,
    If,
    Load,
    Node,
    Operand,
    Raise,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.operations import Kind, kind
from backsweep.ir.sweeps import start_of_reverse_sweep
from backsweep.ir.types import List, Tuple
from backsweep.ir.walk import (
    blocks,
    free_values,
    index_operands,
    operands,
    results,
    substitute,
    walk,
    with_body,
)
from backsweep.optimise.loops.iteration_records import iteration_records, without_first_axis
from backsweep.optimise.memory.redundant_loads import with_elements_read_once


def fuse_sweeps(function: Function) -> Function:
    """The same program, with each loop of its forward sweep fused with the loops that reverse it, if that pays."""
    if any(isinstance(parameter.type, List) for parameter in function.body.parameters):
        return function
    position = 0
    changed = False
    while (start := _next_loop(function, position)) is not None:
        union = _Union(function, start)
        position = start + 1
        if union.is_worth_it():
            function = without_first_axis(union.rebuilt(), union.own_records())
            position += len(union.before)
            changed = True
    return with_elements_read_once(function) if changed else function


def _next_loop(function: Function, position: int) -> int | None:
    """The position of the next loop of the forward sweep, from `position` on, that may be the first of a union."""
    nodes = function.body.nodes
    for k in range(position, start_of_reverse_sweep(nodes)):
        node = nodes[k]
        if isinstance(node, For) and is_plain(node) and (index_arrays(node) or holds_loops(node)):
            return k
    return None


def index_arrays(loop: For) -> set[Value]:
    """The index arrays of the loop: it accesses other arrays at positions read from these."""
    inside = list(walk(loop.body))
    read: dict[Operand, Operand] = {node.result: node.buffer for node in inside if isinstance(node, Load)}
    used = {each for node in inside if isinstance(node, Load | Store) for each in index_operands(node.index)}
    return {buffer for each in used if isinstance(buffer := read.get(each), Value)}


def holds_loops(loop: For) -> bool:
    """Whether the loop consists of loops, which stay as they are if it is fused."""
    return any(isinstance(node, For) for node in loop.body.nodes)


def is_plain(loop: For) -> bool:
    """Whether the loop runs to its end and does nothing but compute and store elements."""
    return (
        loop.exit is None
        and literal(loop.step) == 1
        and not is_short(loop)
        and not any(
            isinstance(node, Append | Grow | While)
            or (isinstance(node, Raise) and not node.local)
            or (isinstance(node, Apply) and has_effect(node))
            for node in walk(loop.body)
        )
    )


@dataclasses.dataclass(slots=True)
class Touched:
    """What nodes define and read, and the classes of memory that they read and write."""

    defined: set[Operand]
    used: set[Operand]
    read: set[Value]
    written: set[Value]

    def is_independent(self, other: Touched) -> bool:
        """Whether the two may change places."""
        return (
            self.defined.isdisjoint(other.used)
            and other.defined.isdisjoint(self.used)
            and self.written.isdisjoint(other.read | other.written)
            and other.written.isdisjoint(self.read)
        )


def _may_raise(node: Node) -> bool:
    """Whether there is a `raise` in the node."""
    return any(isinstance(each, Raise) for block in blocks(node) for each in walk(block))


def _only_raises(node: If) -> bool:
    """Whether the branches do nothing but raise."""
    return not any(
        has_effect(each) for block in blocks(node) for each in walk(block) if not isinstance(each, Raise | If)
    )


class _Union:
    """The loops after `nodes[start]` that can be fused with it, and where the other nodes go.

    Each node after the first loop goes `before` all loops, is one of them (a member), or comes after them.
    """

    def __init__(self, function: Function, start: int) -> None:
        self.function = function
        self.start = start
        self.nodes = function.body.nodes
        first = self.nodes[start]
        assert isinstance(first, For)
        self.first = first
        self.members = [start]
        self.before: list[int] = []
        self.after: list[int] = []
        if any(map(self.is_partner, range(self.reverse_sweep, len(self.nodes)))):
            self.collect()

    @cached_property
    def aliases(self) -> Aliases:
        return find_aliases(self.function)

    @cached_property
    def places(self) -> Places:
        return places_of(self.function)

    @cached_property
    def argument_memory(self) -> frozenset[Value]:
        """The memory that may have other names."""
        return memory_of_arguments(self.function)

    @cached_property
    def reverse_sweep(self) -> int:
        """Where the reverse sweep begins."""
        return start_of_reverse_sweep(self.nodes)

    def is_worth_it(self) -> bool:
        """Whether one of the other members is a partner of the first loop."""
        return any(map(self.is_partner, self.members))

    def is_partner(self, number: int) -> bool:
        """Whether this is a loop of the reverse sweep that uses an index array, or records of iterations, of the first loop."""
        node = self.nodes[number]
        if number < self.reverse_sweep or not isinstance(node, For) or not is_plain(node):
            return False
        return not self.index_arrays.isdisjoint(map(self.aliases.of, index_arrays(node))) or bool(
            self.records(number)
        )

    def records(self, number: int) -> set[Value]:
        """The records that need no axis for the loop if it is fused with the first."""
        node = self.nodes[number]
        if not isinstance(node, For) or not (holds_loops(self.first) and holds_loops(node)):
            return set()
        return iteration_records(self.function, self.aliases, self.first, node)

    def own_records(self) -> set[Value]:
        """The records that need no axis for the loop, of all members."""
        return {array for number in self.members[1:] for array in self.records(number)}

    @cached_property
    def index_arrays(self) -> set[Value]:
        """The memory of the first loop's index arrays."""
        return set(map(self.aliases.of, index_arrays(self.first)))

    # Which loops -----------------------------------------------------------------------------------

    def collect(self) -> None:
        """Find the members, and drop those after the last partner of the first loop."""
        for number in range(self.start + 1, len(self.nodes)):
            node = self.nodes[number]
            if isinstance(node, Comment):
                self.after.append(number)
            elif isinstance(node, For) and self.is_member(number, node):
                self.members.append(number)
            elif isinstance(node, Apply | View | Store | If) and self.goes_before(node):
                self.before.append(number)
            elif _may_raise(node):  # the nodes after a `raise` must not move before it
                self.after += range(number, len(self.nodes))
                break
            else:
                self.after.append(number)
        while len(self.members) > 1 and not self.is_partner(self.members[-1]):
            self.after.append(self.members.pop())
        self.leave_behind()

    def leave_behind(self) -> None:
        """Move nodes that no member depends on back to after the fused loop."""
        moved, self.before = self.before, []
        for number in reversed(moved):
            kept = self.touched(self.nodes[k] for k in (*self.before, *self.members))
            if self.touched([self.nodes[number]]).is_independent(kept):
                self.after.append(number)
            else:
                self.before.insert(0, number)

    def goes_before(self, node: Node) -> bool:
        """Whether the node can run before the first loop."""
        if isinstance(node, Apply) and has_effect(node):
            return False
        if isinstance(node, If) and not (_may_raise(node) and not node.results and _only_raises(node)):
            return False
        kept = [self.nodes[k] for k in (*self.members, *self.after)]
        return self.touched([node]).is_independent(self.touched(kept))

    def is_member(self, number: int, loop: For) -> bool:
        """Whether the loop can run in one with the members."""
        if not is_plain(loop) or not self.is_same_range(loop):
            return False
        if not (index_arrays(loop) or is_inexpensive(loop) or self.records(number)):
            return False
        own = self.touched([loop])
        members = self.touched(self.nodes[k] for k in self.members)
        later = self.touched(self.nodes[k] for k in self.after)
        if not members.defined.isdisjoint(own.used) or not own.is_independent(later):
            return False
        if not self.argument_memory.isdisjoint(own.written | members.written):
            return False
        common = (own.written & (members.read | members.written)) | (members.written & own.read)
        return not common or self.in_step([*self.members, number], common)

    def is_same_range(self, loop: For) -> bool:
        """Whether the loop's range is surely that of the first."""
        pairs = ((self.first.start, loop.start), (self.first.stop, loop.stop))
        return all(one is other or self.is_equal(one, other) for one, other in pairs)

    def is_equal(self, one: Operand, other: Operand) -> bool:
        left, right = self.places.affine(one), self.places.affine(other)
        return all(
            infeasible(self.places.with_facts([at_least(more, less + 1)]))
            for more, less in ((left, right), (right, left))
        )

    def in_step(self, members: Sequence[int], common: set[Value]) -> bool:
        """Whether no iteration of the last member touches an element that a later iteration of another member touches."""
        *earlier, last = self.bodies(members)
        whole = self.loop_of([*earlier, last], members)
        nodes = [*self.nodes[: self.start], *(self.nodes[k] for k in self.before), whole]
        body = dataclasses.replace(self.function.body, nodes=tuple(nodes), yields=())
        order = order_of(with_body(self.function, body))
        mine = list(walk(last))
        theirs = [node for block in earlier for node in walk(block)]
        return not any(
            order.overtakes(whole, one, other, leader, self.aliases)
            for leader in common
            for one in mine
            if self.touches(one, leader)
            for other in theirs
            if self.touches(other, leader)
        )

    # Memory ----------------------------------------------------------------------------------------

    def touched(self, nodes: Iterable[Node]) -> Touched:
        """What the nodes and those in them touch."""
        found = Touched(set(), set(), set(), set())
        for outer in nodes:
            whole = Block((), (outer,), ())
            found.used |= free_values(whole).keys()
            found.defined |= set(results(outer))
            for node in walk(whole):
                self.touch(node, found)
        return found

    def touch(self, node: Node, found: Touched) -> None:
        arrays = [each for each in operands(node) if isinstance(each, Value) and self.aliases.in_memory(each)]
        found.read |= {
            self.aliases.of(each)
            for each in arrays
            if reads_memory(node, self.aliases.of(each), self.aliases)
        }
        if isinstance(node, Store | Append | Grow):
            found.written.add(self.aliases.of(node.buffer))
        elif isinstance(node, Apply) and has_effect(node):
            found.written |= {self.aliases.of(each) for each in arrays}

    def touches(self, node: Node, leader: Value) -> bool:
        return self.writes(node, leader) or reads_memory(node, leader, self.aliases)

    def writes(self, node: Node, leader: Value) -> bool:
        return isinstance(node, Store) and self.aliases.of(node.buffer) is leader

    # The program -----------------------------------------------------------------------------------

    def bodies(self, members: Sequence[int]) -> list[Block]:
        """The bodies of the members, all with the first one's index."""
        index = self.first.body.parameters[0]
        found = []
        for k in members:
            loop = self.nodes[k]
            assert isinstance(loop, For)
            found.append(
                substitute(loop.body, {loop.body.parameters[0]: index}) if k != self.start else loop.body
            )
        return found

    def loop_of(
        self, bodies: Sequence[Block], members: Sequence[int], heads: Sequence[Sequence[int]] = ()
    ) -> For:
        """The members as one loop, the nodes of each body after what heads it."""
        loops = [node for k in members if isinstance(node := self.nodes[k], For)]
        heads = heads or [()] * len(loops)
        nodes = [
            node
            for head, body in zip(heads, bodies, strict=True)
            for node in (*(self.nodes[k] for k in head), *body.nodes)
        ]
        parameters = (bodies[0].parameters[0], *(each for body in bodies for each in body.parameters[1:]))
        return dataclasses.replace(
            self.first,
            inits=tuple(each for loop in loops for each in loop.inits),
            body=Block(parameters, tuple(nodes), tuple(each for body in bodies for each in body.yields)),
            results=tuple(each for loop in loops for each in loop.results),
        )

    def heads(self) -> list[list[int]]:
        """For each member the positions of the comments that move into the loop with it: the sweep's heading, and its line's."""
        found: list[list[int]] = []
        begins = next(k for k in self.members if k > self.reverse_sweep)
        for k in self.members:
            head = [self.reverse_sweep] if k == begins else []
            above = max((j for j in range(k) if j not in self.before), default=k)
            if isinstance(self.nodes[above], Comment) and above > self.start and above != self.reverse_sweep:
                head.append(above)
            found.append(head)
        return found

    def rebuilt(self) -> Function:
        """The program, in which the members are one loop."""
        heads = self.heads()
        whole = self.loop_of(self.bodies(self.members), self.members, heads)
        gone = {k for head in heads for k in head}
        after = [k for k in sorted(self.after) if k not in gone]
        if any(k > self.reverse_sweep and not needs_no_heading(self.nodes[k]) for k in after):
            after = sorted({*after, self.reverse_sweep})
        order = [*range(self.start), *self.before]
        nodes = [*(self.nodes[k] for k in order), whole, *(self.nodes[k] for k in after)]
        return dataclasses.replace(
            self.function, body=dataclasses.replace(self.function.body, nodes=tuple(nodes))
        )


def is_inexpensive(loop: For) -> bool:
    """Whether the loop loses little if it is not vectorised."""
    return all(
        isinstance(node, Load | Store | Comment)
        or (isinstance(node, Apply) and kind(node.function) in (Kind.ARITHMETIC, Kind.DIVISION))
        for node in walk(loop.body)
    )


def needs_no_heading(node: Node) -> bool:
    """Whether the node needs no heading: it is one, or puts the results together."""
    return isinstance(node, Comment) or (isinstance(node, Apply) and isinstance(node.result.type, Tuple))
