"""Decide whether array statements may be computed element by element in one nest, one statement after another at each index.

Each statement then reads and writes memory before others have done with theirs. That changes nothing where two accesses,
one of them a store, touch an element only at one and the same index of the nest. The question is asked here alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from backsweep.analysis.alias import Aliases
from backsweep.analysis.integers.affine import (
    ONE,
    Affine,
    Constraint,
    Shape,
    at_least,
    equal,
    literal,
    variable,
)
from backsweep.analysis.integers.extents import Shapes
from backsweep.analysis.order.places import Along, Last, Place
from backsweep.ir.nodes import Const, Node, Operand, Value, View
from backsweep.ir.typed import rank


class StatementOrder:
    """Answers about the array statements of one program; True is proved."""

    def __init__(self, shapes: Shapes, aliases: Aliases) -> None:
        self.shapes = shapes
        self.aliases = aliases

    def in_step(self, one: Place, other: Place, space: Shape, node: Node) -> bool:
        """Whether the places share an element only where the nest over `space` is at one index; both statements stand where `node` stands."""
        if not isinstance(one.buffer, Value) or not isinstance(other.buffer, Value):
            return True  # a table: nothing writes it
        if self._memory(one.buffer) is not self._memory(other.buffer):
            return True
        if one.buffer is not other.buffer:
            # arrays of which none is a part of another are one array, or share nothing
            whole = all(map(self._is_no_part, (one.buffer, other.buffer)))
            return whole and is_whole(one) and is_whole(other)
        looped = {axis for axis, length in enumerate(space) if length != ONE}
        if looped <= one.runs_along() and _spelled(one) == _spelled(other):
            return True
        return all(
            self.shapes.contradict(constraints, node)
            for constraints in self._meetings(one, other, space, node)
        )

    def _memory(self, buffer: Value) -> Value:
        """The class of memory of a buffer; the part that a store writes is no value of the program, but its buffer is."""
        made = self.shapes.definitions.get(buffer)
        return self._memory(made.buffer) if isinstance(made, View) else self.aliases.of(buffer)

    def _is_no_part(self, buffer: Value) -> bool:
        """Whether the buffer and all arrays that may share its memory are whole arrays, not parts of others."""
        return self.aliases.is_whole(buffer) and not isinstance(self.shapes.definitions.get(buffer), View)

    def _meetings(self, one: Place, other: Place, space: Shape, node: Node) -> Iterator[list[Constraint]]:
        """Each way in which the places may share an element at two indices, the first less than the second along an axis."""
        system: list[Constraint] = []
        for axis, items in enumerate(zip(one.items, other.items, strict=True)):
            mine, theirs = (
                self._position(place, axis, item, number, system, node)
                for number, (place, item) in enumerate(zip((one, other), items, strict=True))
            )
            if mine is not None and theirs is not None:
                system.append(equal(mine, theirs))
        for axis, length in enumerate(space):
            for number in (0, 1):
                counter = variable((number, axis))
                system += [at_least(counter, 0), at_least(length, counter + 1)]
        for axis, length in enumerate(space):
            if length != ONE:
                for first, second in permutations((0, 1)):
                    later = at_least(variable((second, axis)), variable((first, axis)) + 1)
                    yield [*system, later]

    def _position(
        self,
        place: Place,
        axis: int,
        item: Along | Operand,
        number: int,
        system: list[Constraint],
        node: Node,
    ) -> Affine | None:
        """The position that an item selects on an axis of the buffer, from the front; None if it may count from the end.

        `number` tells the counters of the two places apart. What is known of the position goes into `system`.
        """
        if not isinstance(item, Along):
            chosen = literal(item)
            if chosen is not None and chosen < 0:
                assert isinstance(place.buffer, Value)
                return self.shapes.of(place.buffer)[axis] + chosen
            return self.shapes.length(item) if self.shapes.is_nonnegative_at(item, node) else None
        position = Affine(item.const)
        if item.axis is not None:
            position += variable((number, item.axis))
        for shift in item.shifts:
            position += self._shift(shift, system)
        return position

    def _shift(self, shift: Operand | Last, system: list[Constraint]) -> Affine:
        """A shift, which is not negative; where it is the end of an axis less a number, at least that."""
        if not isinstance(shift, Last):
            return self.shapes.length(shift)
        found: Affine = variable(shift)
        system.append(at_least(found, 0))
        if isinstance(shift.buffer, Value):
            system.append(at_least(found, self.shapes.of(shift.buffer)[shift.axis] - shift.back))
        return found


def is_whole(place: Place) -> bool:
    """Whether the place is a whole array, element by element."""
    count = rank(place.buffer)
    return place.items == tuple(Along(axis) for axis in range(count))


def _spelled(place: Place) -> list[object]:
    """The items of a place, literals by their values."""
    return [item.value if isinstance(item, Const) else item for item in place.items]
