"""Find where the elements of an array lie: the buffer and the index there, through all views, so that views need not be made.

A place is told in the axes of the nest that runs over the elements. An array that the nest broadcasts along an axis has
one entry there, which every iteration along that axis touches.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass

import numpy as np

from backsweep.analysis.integers.affine import ONE, Shape
from backsweep.analysis.integers.extents import Shapes
from backsweep.ir.nodes import (
    Apply,
    Const,
    Dots,
    For,
    Index,
    NewAxis,
    Operand,
    Slice,
    Value,
    View,
    is_none,
)
from backsweep.ir.typed import rank, type_of
from backsweep.ir.types import Scalar


@dataclass(frozen=True, slots=True)
class Last:
    """`max(extent - back, 0)`: where a slice begins that counts from the end of an axis."""

    buffer: Operand
    axis: int
    back: int


@dataclass(frozen=True, slots=True)
class Along:
    """The index along an axis of the nest, shifted by a constant and by nonnegative integers; the shift alone where `axis` is None."""

    axis: int | None
    const: int = 0
    shifts: tuple[Operand | Last, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Elements of a buffer: for each of its axes what runs along it, or the one index there."""

    buffer: Operand
    items: tuple[Along | Operand, ...]

    def runs_along(self) -> set[int]:
        """The axes of the nest along which the element is another one in each iteration."""
        return {item.axis for item in self.items if isinstance(item, Along) and item.axis is not None}


def full_index(index: Index, ndim: int) -> tuple[Operand | Slice | NewAxis, ...]:
    """The index with an item for each axis of the buffer, `...` written out."""
    taken = sum(not isinstance(item, NewAxis | Dots) for item in index)
    whole = (Slice(),) * (ndim - taken)
    items: list[Operand | Slice | NewAxis] = []
    filled = False
    for item in index:
        if isinstance(item, Dots):
            items += whole
            filled = True
        else:
            items.append(item)
    return tuple(items) if filled else (*items, *whole)


class Places:
    """Finds the memory behind views, so that the views themselves need not be made."""

    def __init__(self, shapes: Shapes, loops: list[For]) -> None:
        self.shapes = shapes
        self.definitions = shapes.definitions
        self.indices = {loop.body.parameters[0]: loop for loop in loops}

    def of(self, array: Operand, shape: Shape, space: Shape) -> Place:
        """The place of the element of an array of this shape that a nest over `space` touches at its index.

        The shape broadcasts to the space. The buffer is as far down as that can be told.
        """
        lead = len(space) - len(shape)
        items = (
            Along(None if length == ONE and space[lead + axis] != ONE else lead + axis)
            for axis, length in enumerate(shape)
        )
        place = Place(array, tuple(items))
        while isinstance(place.buffer, Value):
            made = self.definitions.get(place.buffer)
            below = None
            if isinstance(made, View):
                below = self.through(made, place.items)
            elif isinstance(made, Apply) and made.function is np.transpose and len(made.operands) == 1:
                below = Place(made.operands[0], place.items[::-1])
            elif (
                isinstance(made, Apply)
                and made.function is np.asarray
                and isinstance(made.operands[0], Const)
            ):
                below = Place(made.operands[0], place.items)  # a table, which nothing writes
            elif isinstance(made, Apply) and made.function is np.expand_dims and not made.keywords:
                below = _without_axis(made, place.items)
            if below is None:
                break
            place = below
        return place

    def through(self, view: View, items: tuple[Along | Operand, ...]) -> Place | None:
        """The place in the view's buffer of `items` of the view; None where the view has to be made."""
        waiting = list(items)
        found: list[Along | Operand] = []
        for item in full_index(view.index, rank(view.buffer)):
            match item:
                case NewAxis():
                    waiting.pop(0)
                case Slice():
                    shifted = self.shifted(waiting.pop(0), item, view.buffer, len(found))
                    if shifted is None:
                        return None
                    found.append(shifted)
                case _:
                    if not isinstance(type_of(item), Scalar):
                        return None
                    found.append(item)
        return Place(view.buffer, tuple(found))

    def shifted(
        self, item: Along | Operand, part: Slice, buffer: Operand, axis: int
    ) -> Along | Operand | None:
        """An index into a slice as an index into the axis that is sliced."""
        if part.step is not None and not (isinstance(part.step, Const) and part.step.value in (1, None)):
            return None
        start = part.start
        if is_none(start):
            start = None
        if isinstance(item, Along):
            match start:
                case None:
                    return item
                case Const(value=int() as number) if number >= 0:
                    return Along(item.axis, item.const + number, item.shifts)
                case Const(value=int() as number):
                    return Along(item.axis, item.const, (*item.shifts, Last(buffer, axis, -number)))
                case Value() if self.is_nonnegative(start):
                    return Along(item.axis, item.const, (*item.shifts, start))
                case _:
                    return None
        if start is None and (part.stop is None or self.is_nonnegative(item)):
            return item
        if isinstance(item, Const) and isinstance(start, Const) and item.value >= 0 and start.value >= 0:
            return Const(item.value + start.value)
        return None

    def is_nonnegative(self, operand: Operand) -> bool:
        """Whether an integer is certainly not negative."""
        if isinstance(operand, Const):
            return isinstance(operand.value, int) and operand.value >= 0
        if operand in self.indices:
            loop = self.indices[operand]
            if not isinstance(loop.step, Const) or not isinstance(loop.step.value, int):
                return False
            if loop.step.value > 0:
                return self.is_nonnegative(loop.start)
            return isinstance(loop.stop, Const) and isinstance(loop.stop.value, int) and loop.stop.value >= -1
        match self.definitions.get(operand):
            case Apply(function=operator.add | operator.mul | operator.floordiv, operands=(one, other)):
                return self.is_nonnegative(one) and self.is_nonnegative(other)
            case Apply(function=function, operands=operands) if function is max:
                return any(map(self.is_nonnegative, operands))
            case Apply(function=function) if function in (np.size, len):
                return True
            case Apply(function=operator.getitem, operands=(Value() as shape, _)):
                source = self.definitions.get(shape)
                return isinstance(source, Apply) and source.function is np.shape
            case Apply(function=operator.sub):
                return self.shapes.relations.is_nonnegative(self.shapes.length(operand))
            case _:
                return False


def _without_axis(made: Apply, items: tuple[Along | Operand, ...]) -> Place | None:
    """The place in the array that `made` gave an axis of one entry; None where the axis is no literal."""
    array, axis = made.operands
    if not isinstance(axis, Const) or type(axis.value) is not int:
        return None
    place = axis.value % len(items)
    return Place(array, (*items[:place], *items[place + 1 :]))
