"""Decide which elements of an array two memory nodes touch, and whether a store may overwrite what was read before.

The storage plan asks: the forward sweep loaded an element; may a store write that element later? If
provably never, the reverse sweep reads the element again instead of taping it. Both accesses become
affine expressions in loop counters and other integers; each way in which the store can run later
(a later iteration of a common loop, or later in the text of the same iteration) is one system of
constraints, and "no" is answered only when every system is proved infeasible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from backsweep.analysis.integers.affine import (
    Affine,
    Atom,
    Constraint,
    at_least,
    dim,
    equal,
    infeasible,
    literal,
    variable,
)
from backsweep.analysis.integers.domains import Counter, Loop, places_of
from backsweep.ir.nodes import (
    Const,
    Dots,
    For,
    Function,
    Index,
    Load,
    NewAxis,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
    fact,
)
from backsweep.ir.types import Array, List

Access = Load | View | Store


@dataclass(frozen=True, slots=True)
class Span:
    """The atom for any position that a slice of an access covers along an axis."""

    node: Access
    axis: int


@dataclass(frozen=True, slots=True)
class Axis:
    """A view's axis: its position p is `offset + step * p` along `axis` of the root.

    `extent` is its length wherever it is not empty, None if not understood.
    """

    axis: int
    offset: Affine
    step: int
    extent: Affine | None


@dataclass(frozen=True, slots=True)
class Window:
    """How a buffer lies in its root: fixed positions, its first axes, then the root's axes from `rest` on.

    An axis that is None is not understood; where `rest` is None no axis after the listed ones is.
    """

    root: Value
    fixed: tuple[tuple[int, Affine], ...] = ()
    axes: tuple[Axis | None, ...] = ()
    rest: int | None = 0


@dataclass(frozen=True, slots=True)
class Elements:
    """What an access touches: for each axis of the root that is understood, an expression and its limits."""

    root: Value
    positions: dict[int, Affine]
    limits: list[Constraint]


@fact
def subscripts_of(function: Function) -> Subscripts:
    """What is known of the elements that a program's loads and stores touch."""
    return Subscripts(function)


class Subscripts:
    """Answers about the memory accesses of one function; True means "may", False is proved.

    Nodes given to a query must belong to the function and be of the same alias class. Two accesses
    with different root buffers may always meet, and a buffer that is defined within a loop is taken
    for possibly any memory of its class in another iteration (its name no longer gives what it gave).
    Subscripts out of bounds are not considered here: the program has raised before, or they are the program's error.
    """

    def __init__(self, function: Function) -> None:
        self.places = places_of(function)
        self._windows: dict[Value, Window] = {}
        self._elements: dict[Access, Elements] = {}
        self._meetings: dict[tuple[Access, Access, int, bool], bool] = {}

    def may_reach(self, store: Store, load: Load) -> bool:
        """Whether an execution of the load may find what an earlier execution of `store` wrote."""
        return self._may_come_later(store, load)

    def may_overwrite_later(self, first: Access, store: Store) -> bool:
        """Whether an execution of `store` may write an element after `first` read (or wrote) that element."""
        return self._may_come_later(first, store)

    def _may_come_later(self, first: Access, second: Access) -> bool:
        """Whether an execution of `second` may touch an element after `first` touched it."""
        common = self._common(first, second)
        if self._follows(first, second) and self._meet(first, second, common, later=False):
            return True
        return any(self._meet(first, second, level, later=True) for level in range(common))

    def may_write_twice(self, store: Store) -> bool:
        """Whether two executions of the store may write the same element."""
        return self.may_overwrite_later(store, store)

    def may_overwrite_between(self, first: Access, store: Store, use: Node) -> bool:
        """Whether `store` may write the element after `first` read it and before `use` runs.

        `use` is meant in the same iteration of every loop that it shares with `first`; a use that
        stands before `first` is another iteration's, and nothing is claimed of it.
        """
        places = self.places.places
        if places[use].position < places[first].position:
            return True
        shared, common = self._common(first, use), self._common(first, store)
        before_use = places[store].position < places[use].position or self._common(store, use) > shared
        if common < shared or not before_use:
            return False
        if self._follows(first, store) and self._meet(first, store, common, later=False):
            return True
        return any(self._meet(first, store, level, later=True) for level in range(shared, common))

    def may_meet_across(self, loop: Loop, first: Access, second: Access) -> bool:
        """Whether `second`, in a later iteration of the loop than `first`, may touch an element that `first` touches.

        Both nodes are in the loop, and the loops around it in the same iteration.
        """
        return self._meet(first, second, len(self.places.places[loop].loops), later=True)

    def may_meet_within(self, loop: Loop, first: Access, second: Access) -> bool:
        """Whether the two nodes in the loop may touch one element, each in any of its iterations.

        The loops around it are in the same iteration.
        """
        return self._meet(first, second, len(self.places.places[loop].loops), later=False)

    def offsets(self, loop: For, access: Access) -> dict[tuple[Value, int], int]:
        """By root and axis: how far from the loop's index the access is along the axis, where that is a number."""
        touched, index = self._touched(access), self.places.affine(loop.body.parameters[0])
        found = {(touched.root, axis): position - index for axis, position in touched.positions.items()}
        return {axis: distance.const for axis, distance in found.items() if not distance.terms}

    # Time ------------------------------------------------------------------------------------

    def _common(self, first: Node, second: Node) -> int:
        """How many loops enclose both nodes."""
        places = self.places.places
        return _shared_prefix(places[first].loops, places[second].loops)

    def _follows(self, first: Node, second: Node) -> bool:
        """Whether `second` can run after `first` within one iteration of all their common loops."""
        places = self.places.places
        arms = dict(places[first].branches)
        exclusive = any(arms.get(node, holds) != holds for node, holds in places[second].branches)
        return not exclusive and places[second].position > places[first].position

    def _meet(self, first: Access, second: Access, level: int, later: bool) -> bool:
        """Whether both may touch one element, `level` common loops being in the same iteration.

        Where `later`, `second` is in a later iteration of the next common loop.
        """
        key = (first, second, level, later)
        if key not in self._meetings:
            self._meetings[key] = self._may_meet(first, second, level, later)
        return self._meetings[key]

    def _may_meet(self, first: Access, second: Access, level: int, later: bool) -> bool:
        """`_meet`, without the cache."""
        here, there = self._touched(first), self._touched(second)
        if here.root is not there.root or self.places.depth(here.root) > level:
            return True

        def tag(affine: Affine, instance: int) -> Affine:
            return affine.rename(lambda atom: (atom, instance if self._private(atom, level) else 0))

        system: list[Constraint] = []
        for instance, node, elements in ((1, first, here), (2, second, there)):
            known = self.places.context(node) + elements.limits
            known += [at_least(position, 0) for position in elements.positions.values()]
            system += [Constraint(tag(c.affine, instance), c.equal) for c in self.places.with_facts(known)]
        for axis in here.positions.keys() & there.positions.keys():
            system.append(equal(tag(here.positions[axis], 1), tag(there.positions[axis], 2)))
        if later:
            counter = variable(Counter(self.places.places[first].loops[level]))
            system.append(at_least(tag(counter, 2), tag(counter, 1) + 1))
        return not infeasible(system)

    def _private(self, atom: Atom, level: int) -> bool:
        """Whether the atom may have different values in two instances that share `level` loops."""
        return isinstance(atom, Span) or self.places.depth(atom) > level

    # Elements --------------------------------------------------------------------------------

    def _touched(self, node: Access) -> Elements:
        """The elements that the node touches, remembered."""
        if node not in self._elements:
            self._elements[node] = self._touch(node)
        return self._elements[node]

    def _touch(self, node: Access) -> Elements:
        """The position along each axis of the root that is understood."""
        if not isinstance(node.buffer, Value):
            raise TypeError(f"memory is never a literal: {node.buffer!r}")
        window = self._window(node.buffer)
        positions = dict(window.fixed)
        limits: list[Constraint] = []
        for item, axis in self._items(window, node.index):
            if axis is None or item is None:
                continue
            if isinstance(item, Slice):
                span = variable(Span(node, axis.axis))
                positions[axis.axis] = axis.offset + span.scale(axis.step)
                limits += self._covered(node, item, axis, span)
            elif (position := self._position(node, item, axis)) is not None:
                positions[axis.axis] = axis.offset + position.scale(axis.step)
        return Elements(window.root, positions, limits)

    def _window(self, buffer: Value) -> Window:
        """The buffer as a part of the array at the root of its chain of views, remembered."""
        if buffer not in self._windows:
            match self.places.definitions.get(buffer):
                case View(buffer=Value() as outer) | Load(buffer=Value() as outer) as node if not isinstance(
                    outer.type,
                    List,  # of which different items may be the same array
                ):
                    self._windows[buffer] = self._composed(node, self._window(outer))
                case _:
                    self._windows[buffer] = Window(buffer)
        return self._windows[buffer]

    def _composed(self, view: View | Load, outer: Window) -> Window:
        """The window of a view (before types are known: of any subscript that is subscripted again)."""
        fixed, axes, rest = dict(outer.fixed), list[Axis | None](), outer.rest
        count = 0
        for item, axis in self._items(outer, view.index):
            count += 0 if isinstance(item, NewAxis) else 1
            if isinstance(item, Slice):
                axes.append(None if axis is None else self._sliced(view, item, axis))
            elif isinstance(item, NewAxis):
                axes.append(None)
            elif axis is not None and item is not None:
                position = self._position(view, item, axis)
                if position is not None:
                    fixed[axis.axis] = axis.offset + position.scale(axis.step)
        if not self._understood(view.index):
            return Window(outer.root, tuple(fixed.items()), (), None)
        axes += outer.axes[count:]
        rest = None if rest is None else rest + max(0, count - len(outer.axes))
        return Window(outer.root, tuple(fixed.items()), tuple(axes), rest)

    def _items(
        self, window: Window, index: Index
    ) -> Iterator[tuple[Operand | Slice | NewAxis | None, Axis | None]]:
        """Each item of the index with the axis that it selects from, as far as the index is understood.

        The item is None for an integer array, which takes one axis and may select anything from it.
        """
        count = 0
        for item in index:
            axis = self._axis(window, count)
            match item:
                case NewAxis():
                    yield item, None
                    continue
                case Slice():
                    yield item, axis
                case Dots():
                    return
                case _ if self.places.surely_integer(item):
                    yield item, axis
                case Value(type=Array(dtype=dtype)) if dtype.startswith(("int", "uint")):
                    yield None, axis
                case _:
                    return
            count += 1

    def _understood(self, index: Index) -> bool:
        """Whether the index has only integers, slices and new axes."""
        return all(
            isinstance(item, Slice | NewAxis)
            or (isinstance(item, Value | Const) and self.places.surely_integer(item))
            for item in index
        )

    def _axis(self, window: Window, number: int) -> Axis | None:
        """The buffer's axis of that number in terms of the root."""
        if number < len(window.axes):
            return window.axes[number]
        if window.rest is None:
            return None
        axis = window.rest + number - len(window.axes)
        extent = dim(window.root, axis, self.places.definitions, self.places.known)
        return Axis(axis, Affine(), 1, extent)

    # Index items -----------------------------------------------------------------------------

    def _sign(self, node: Access, affine: Affine) -> int | None:
        """1 where the expression is surely not negative when the node runs, -1 where surely negative."""
        if not affine.terms:
            return 1 if affine.const >= 0 else -1
        context = self.places.context(node)
        if infeasible(self.places.with_facts([*context, at_least(-affine, 1)])):
            return 1
        return -1 if infeasible(self.places.with_facts([*context, at_least(affine, 0)])) else None

    def _position(self, node: Access, item: Operand | NewAxis, axis: Axis) -> Affine | None:
        """The position that an integer selects, from the front; None if its sign is unknown."""
        if isinstance(item, NewAxis):
            return None
        affine = self.places.affine(item)
        sign = self._sign(node, affine)
        if sign == 1:
            return affine
        return affine + axis.extent if sign == -1 and axis.extent is not None else None

    def _bound(self, node: Access, part: Operand | None, axis: Axis) -> Affine | None:
        """A slice's start or stop from the front, before clamping; None if absent or not understood."""
        if part is None or not self.places.surely_integer(part):
            return None
        return self._position(node, part, axis)

    def _covered(self, node: Access, item: Slice, axis: Axis, span: Affine) -> list[Constraint]:
        """The constraints on the positions that a slice covers; fewer of them where the slice is not understood."""
        limits = [at_least(span, 0)]
        if axis.extent is not None:
            limits.append(at_least(axis.extent, span + 1))
        step = 1 if item.step is None else literal(item.step)
        if not step:
            return limits
        first, last = self._bound(node, item.start, axis), self._bound(node, item.stop, axis)
        if step < 0:
            limits += [] if first is None else [at_least(first, span)]
            limits += [] if last is None else [at_least(span, last + 1)]
            return limits
        limits += [] if first is None else [at_least(span, first)]
        limits += [] if last is None else [at_least(last, span + 1)]
        exact = Affine() if item.start is None else first
        if step > 1 and exact is not None and (item.start is None or self._from_front(node, item.start)):
            stride = variable(Span(node, -1 - axis.axis))
            limits += [equal(span, exact + stride.scale(step))]
        return limits

    def _from_front(self, node: Access, part: Operand) -> bool:
        """Whether a slice's start is surely not negative, so that the slice begins exactly there."""
        return self._sign(node, self.places.affine(part)) == 1

    def _sliced(self, view: View | Load, item: Slice, axis: Axis) -> Axis | None:
        """The axis of a view that a slice makes; it is exact if the slice is not empty. None if the slice is not understood."""
        step = 1 if item.step is None else literal(item.step)
        if not step:
            return None
        last = self._bound(view, item.stop, axis)
        if step < 0:
            if item.start is not None or axis.extent is None:
                return None
            extent = axis.extent if item.stop is None and step == -1 else None
            last_of_all = axis.extent - 1
            return Axis(axis.axis, axis.offset + last_of_all.scale(axis.step), step * axis.step, extent)
        first = Affine()
        if item.start is not None:
            if not self.places.surely_integer(item.start) or not self._from_front(view, item.start):
                return None
            first = self.places.affine(item.start)
        extent = None
        if step == 1 and item.stop is None and axis.extent is not None:
            extent = axis.extent - first
        elif step == 1 and last is not None and self._counts_back(view, item.stop):
            extent = last - first
        return Axis(axis.axis, axis.offset + first.scale(axis.step), step * axis.step, extent)

    def _counts_back(self, view: View | Load, stop: Operand | None) -> bool:
        """Whether a slice's stop is surely negative, so that clamping to the extent cannot move it."""
        return stop is not None and self._sign(view, self.places.affine(stop)) == -1


def _shared_prefix(first: tuple[Loop, ...], second: tuple[Loop, ...]) -> int:
    """How many leading loops are the same."""
    count = 0
    for left, right in zip(first, second, strict=False):
        if left is not right:
            break
        count += 1
    return count
