"""Write reads and stores at index arrays and masks as loops over the positions.

`y = a[:, k]` becomes `y = np.empty(...)` and `y[:, i] = a[:, k[i]]` for each `i`; a store likewise, one position
after the other, so that of equal positions the last wins, as in NumPy. What differentiation then sees are loads
and stores of elements and rows: positions that repeat accumulate without a rule. Of all such reads only the
simplest, `a[k]` with one vector of positions, stays one call, of a kernel with its own rule.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    Apply,
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
)
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT, Array, Scalar, Tuple
from backsweep.ir.walk import index_operands, rewrite, walk
from backsweep.legalise.library.concatenate import empty
from backsweep.runtime.broadcasting import aligned, stretched

ALL = Slice()
Axis = Slice | NewAxis | Dots
"""What puts axes into a result that are not those of positions."""


def write_out_masks(function: Function) -> Function:
    """The program with reads at masks of all axes of an array as reads of vectors."""
    if not any(_is_at_whole_mask(node) for node in walk(function.body)):
        return function

    def flat(node: Node) -> list[Node]:
        if not _is_at_whole_mask(node):
            return [node]
        assert isinstance(node, Load)
        builder = Builder(loc=node.loc)
        buffer, mask = (builder.apply(np.ravel, each) for each in (node.buffer, *index_operands(node.index)))
        builder.add(dataclasses.replace(node, buffer=buffer, index=(mask,)))
        return builder.current.nodes

    return rewrite(function, flat)


def _is_at_whole_mask(node: Node) -> bool:
    """Whether a node reads an array of several axes at one mask of its shape."""
    if not isinstance(node, Load) or len(node.index) != 1 or not isinstance(node.index[0], Value):
        return False
    type_, base = node.index[0].type, type_of(node.buffer)
    if not isinstance(type_, Array) or not isinstance(base, Array):
        return False
    return type_.dtype == "bool" and type_.ndim == base.ndim > 1


def has_positions(index: Index) -> bool:
    """Whether index arrays or masks are among the items."""
    return any(isinstance(type_of(item), Array) for item in index_operands(index))


def gather(builder: Builder, node: Load) -> Value:
    """The value of `buffer[index]` with index arrays."""
    source, index = node.buffer, node.index
    base, result = type_of(source), node.result.type
    assert isinstance(base, Array)
    assert isinstance(result, Array)
    if any(isinstance(item, NewAxis) for item in index) and (axes := _with_new_axes(base, index)) is not None:
        type_ = Array(result.dtype, result.ndim - sum(isinstance(item, NewAxis) for item in index))
        kept = tuple(item for item in index if not isinstance(item, NewAxis))
        inner = gather(builder, dataclasses.replace(node, result=Value("", type_, node.loc), index=kept))
        return builder.view(inner, axes, name=node.result.name, type=result)
    if len(index) == 1:
        plain = _plain(builder, source, index[0])
        if plain is not None:
            source, places = plain
            return builder.apply(operator.getitem, source, places, name=node.result.name, type=result)
    return _copied(_Loop(builder, source, index, node), node.result.name)


def _with_new_axes(base: Array, index: Index) -> Index | None:
    """Where the new axes are in what is read at the other items; None if these would put their axes in another order without them."""
    ahead, between, behind = _around_positions(base, index)
    if ALL in ahead and between and all(isinstance(item, NewAxis) for item in between):
        return None
    if between:
        ahead, behind = [], [*ahead, *between, *behind]
    arrays = [each for item in index_operands(index) if isinstance(each := type_of(item), Array)]
    count = max(1 if each.dtype == "bool" else each.ndim for each in arrays)
    return tuple(item for item in (*ahead, *[ALL] * count, *behind) if not isinstance(item, Dots))


def _around_positions(base: Array, index: Index) -> tuple[list[Axis], list[Axis], list[Axis]]:
    """The slices and new axes ahead of the first position or number, between these, and behind the last; `...` of no axes is one of them."""
    taken: list[Axis | None] = []
    arrays = [each for item in index_operands(index) if isinstance(each := type_of(item), Array)]
    whole = base.ndim - sum(not isinstance(item, NewAxis | Dots) for item in index)
    whole -= sum(each.ndim - 1 for each in arrays if each.dtype == "bool")
    for item in index if any(isinstance(item, Dots) for item in index) else (*index, Dots()):
        if isinstance(item, Dots):
            taken += [ALL] * whole or [item]
        else:
            taken.append(item if isinstance(item, NewAxis) else ALL if isinstance(item, Slice) else None)
    first, last = taken.index(None), len(taken) - 1 - taken[::-1].index(None)
    parts = (taken[:first], taken[first:last], taken[last + 1 :])
    ahead, between, behind = ([item for item in part if item is not None] for part in parts)
    return ahead, between, behind


def _copied(loop: _Loop, name: str = "") -> Value:
    """The elements that the loop visits, in an array of their own."""
    shape = loop.shape()
    target = empty(loop.builder, shape, Array(loop.base.dtype, len(shape)), name)

    def copy(counters: Sequence[Value]) -> None:
        loop.builder.store(target, loop.outer(counters), loop.part(counters))

    loop.run(copy)
    return target


def scatter(builder: Builder, node: Store, *, shared: bool) -> None:
    """`buffer[index] = value` or `+=` with index arrays; `shared` says that the value may be the buffer's own memory."""
    loop = _Loop(builder, node.buffer, node.index, node)
    value = node.value
    if shared and isinstance(value, Value):
        value = builder.apply(np.copy, value, type=_fresh(value))
    if node.accumulate:  # NumPy reads all the old entries before it writes any
        old = loop.kernel_read() or _copied(loop)
        value = builder.apply(operator.add, old, value, type=old.type)
    elif isinstance(type_of(value), Array):
        value = loop.fitted(value)

    def write(counters: Sequence[Value]) -> None:
        builder.store(node.buffer, loop.place(counters), loop.item(value, counters))

    loop.run(write)


def _plain(builder: Builder, source: Operand, item: object) -> tuple[Operand, Operand] | None:
    """The array and the vector of positions of a read, if the index is one vector, or one mask of the whole array; else None."""
    assert isinstance(item, Value | Const)
    type_ = type_of(item)
    assert isinstance(type_, Array)
    if type_.dtype == "bool" and type_.ndim == 1:
        return source, builder.apply(np.flatnonzero, item, type=Array("int64", 1))
    return (source, item) if type_.ndim == 1 else None


def _fresh(value: Value) -> Array:
    assert isinstance(value.type, Array)
    return Array(value.type.dtype, value.type.ndim)


def _is_all(item: object) -> bool:
    """Whether the item takes the whole axis."""
    return isinstance(item, Slice) and item.start is item.stop is item.step is None


@dataclass(frozen=True, slots=True, eq=False)
class _Positions:
    """An index array; `item` is its entry at the counters of the loop."""

    array: Operand
    ndim: int


Item = Operand | Slice | NewAxis | _Positions


class _Loop:
    """The loop nest over the positions of one index, with the places that each iteration reads and writes."""

    def __init__(self, builder: Builder, source: Operand, index: Index, node: Load | Store) -> None:
        self.builder = builder
        self.loc = node.loc
        base = type_of(source)
        assert isinstance(base, Array)
        self.source, self.base, self.index = source, base, index
        self.items = self.spelled_out(index)
        if isinstance(source, Const) and any(isinstance(item, Slice) for item in self.items):
            self.source = builder.apply(np.copy, source, type=Array(base.dtype, base.ndim))  # it has parts
        if any(isinstance(item, NewAxis) for item in self.items):
            if isinstance(node, Load):
                self.refuse(
                    "`np.newaxis` between index arrays, with a slice before them,",
                    "add the axis in a separate subscript.",
                )
            self.refuse(
                "a store at `np.newaxis` together with index arrays",
                "leave it out, and store a value that has the other axes alone.",
            )
        self.align()
        self.count = max(item.ndim for item in self.arrays())

    def refuse(self, what: str, remedy: str) -> None:
        """Refuse an index that is not handled here."""
        raise UnsupportedError(Problem("BS204", f"{what} cannot be differentiated", self.loc, remedy))

    def arrays(self) -> list[_Positions]:
        """The index arrays."""
        return [item for item in self.items if isinstance(item, _Positions)]

    def spelled_out(self, index: Index) -> list[Item]:
        """One item for each axis: no ellipsis, nothing left out, a mask as the positions where it is true."""
        before: list[Item] = []
        after: list[Item] = []
        found = before
        for item in index:
            if isinstance(item, Dots):
                found = after
            elif isinstance(item, Slice | NewAxis) or not isinstance(type_of(item), Array):
                found.append(item)
            else:
                found += self.positions(item)
        axes = sum(not isinstance(item, NewAxis) for item in (*before, *after))
        return [*before, *([ALL] * (self.base.ndim - axes)), *after]

    def positions(self, item: Operand) -> list[_Positions]:
        """An index array itself; for a mask one vector for each of its axes."""
        type_ = type_of(item)
        assert isinstance(type_, Array)
        if type_.dtype != "bool":
            return [_Positions(item, type_.ndim)]
        vector = Array("int64", 1)
        if type_.ndim == 1:
            return [_Positions(self.builder.apply(np.flatnonzero, item, type=vector), 1)]
        whole = self.builder.apply(np.nonzero, item, type=Tuple((vector,) * type_.ndim))
        parts = [
            self.builder.apply(operator.getitem, whole, Const(axis), type=vector)
            for axis in range(type_.ndim)
        ]
        return [_Positions(part, 1) for part in parts]

    def align(self) -> None:
        """Index arrays of one shape, as far as each has axes; those of one mask are."""
        arrays = self.arrays()
        if len({self.origin(item.array) for item in arrays}) < 2:
            return
        longest = max(arrays, key=lambda item: item.ndim)
        whole = longest.array
        replaced: dict[_Positions, Operand] = {}
        for other in arrays:
            if other is not longest:
                whole = self.builder.apply(aligned, whole, other.array, type=type_of(longest.array))
        for other in arrays:
            if other is not longest:
                type_ = type_of(other.array)
                replaced[other] = self.builder.apply(aligned, other.array, whole, type=type_)
        replaced[longest] = whole
        self.items = [
            _Positions(replaced[item], item.ndim) if isinstance(item, _Positions) else item
            for item in self.items
        ]

    def origin(self, array: Operand) -> object:
        """What an index array comes from: the `np.nonzero` that returned it, or the array itself."""
        for node in self.builder.current.nodes:
            if isinstance(node, Apply) and node.result is array and node.function is operator.getitem:
                return node.operands[0]
        return array

    @property
    def lead(self) -> int:
        """The number of the result's axes before those of the positions: zero if a slice stands between index arrays, or `...`, be it of no axis."""
        ahead, between, _ = _around_positions(self.base, self.index)
        return 0 if between else ahead.count(ALL)

    @functools.cached_property
    def lengths(self) -> list[Operand]:
        """The extents of the slices."""
        if all(_is_all(item) or not isinstance(item, Slice) for item in self.items):
            return [
                self.builder.extent(self.source, axis)
                for axis, item in enumerate(self.items)
                if isinstance(item, Slice)
            ]
        assert isinstance(self.source, Value)
        index = tuple(item if isinstance(item, Slice) else ALL for item in self.items)
        part = self.builder.view(self.source, index, type=Array(self.base.dtype, len(index), "A"))
        return [
            self.builder.extent(part, axis) for axis, item in enumerate(self.items) if isinstance(item, Slice)
        ]

    @functools.cached_property
    def trips(self) -> list[Operand]:
        """The extents of the positions."""
        longest = max(self.arrays(), key=lambda item: item.ndim)
        return [self.builder.extent(longest.array, axis) for axis in range(longest.ndim)]

    def shape(self) -> list[Operand]:
        """The shape of the result."""
        return [*self.lengths[: self.lead], *self.trips, *self.lengths[self.lead :]]

    def kernel_read(self) -> Value | None:
        """The result of a kernel call, if the index is one vector of positions; None for any other index."""
        if len(self.items) != 1 or self.count != 1:
            return None
        type_ = Array(self.base.dtype, 1)
        return self.builder.apply(operator.getitem, self.source, self.arrays()[0].array, type=type_)

    def run(self, body: Callable[[Sequence[Value]], None]) -> None:
        """The loop nest, with `body` called once inside to write what each iteration does."""
        counters: list[Value] = []
        trips = self.trips

        def level(depth: int) -> None:
            if depth == len(trips):
                body(counters)
                return
            counter = self.builder.value("", INT)
            counters.append(counter)
            with self.builder.block(counter) as inner:
                level(depth + 1)
            self.builder.add(For(Const(0), trips[depth], Const(1), (), inner.finish(), (), self.loc))

        level(0)

    def place(self, counters: Sequence[Value]) -> Index:
        """The index into the source in one iteration; slices of everything at the end are not written."""
        found: list[Operand | Slice | NewAxis | Dots] = []
        for item in self.items:
            if isinstance(item, _Positions):
                at = tuple(counters[len(counters) - item.ndim :])
                found.append(self.builder.load(item.array, at, type=INT))
            else:
                found.append(item)
        while _is_all(found[-1]):
            found.pop()
        return tuple(found)

    def part(self, counters: Sequence[Value]) -> Value:
        """What is read in one iteration."""
        count = sum(isinstance(item, Slice) for item in self.items)
        index = self.place(counters)
        if not count:
            return self.builder.load(self.source, index, type=Scalar(self.base.dtype))
        assert isinstance(self.source, Value)
        return self.builder.view(self.source, index, type=Array(self.base.dtype, count, "A"))

    def outer(self, counters: Sequence[Value]) -> Index:
        """The index of one iteration's part in the result."""
        return (*((ALL,) * self.lead), *counters)

    def fitted(self, value: Operand) -> Operand:
        """An array that is stored, as large as the positions where it has their axes."""
        type_ = type_of(value)
        assert isinstance(type_, Array)
        shape = self.shape()
        if type_.ndim > len(shape):
            self.refuse("writing an array into a place with fewer axes", "write only the part that fits.")
        if type_.ndim <= len(shape) - self.lead - self.count:
            return value  # the same part for every position
        at = shape[len(shape) - type_.ndim :]
        packed = self.builder.apply(tuple, *at, type=Tuple((INT,) * len(at)))
        return self.builder.apply(stretched, value, packed, type=Array(type_.dtype, type_.ndim))

    def item(self, value: Operand, counters: Sequence[Value]) -> Operand:
        """The part of a stored value that belongs to one iteration."""
        type_ = type_of(value)
        ndim = sum(isinstance(item, Slice) for item in self.items) + self.count
        if not isinstance(type_, Array) or not isinstance(value, Value):
            return value
        missing = ndim - type_.ndim
        index = self.outer(counters)[missing:]
        if not index:
            return value
        while index and isinstance(index[-1], Slice):
            index = index[:-1]
        rest = type_.ndim - sum(not isinstance(item, Slice) for item in index)
        if not rest:
            return self.builder.load(value, index, type=Scalar(type_.dtype))
        return self.builder.view(value, index, type=Array(type_.dtype, rest, "A"))
