"""Compute one element of an array statement: find the element of each operand, apply the function to scalars."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.analysis.integers.extents import Shapes
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    Apply,
    Const,
    Dots,
    For,
    If,
    Index,
    NewAxis,
    Operand,
    Slice,
    Value,
    View,
    is_none,
)
from backsweep.ir.operations import COMPLEX_QUOTIENT, OPERATORS, Kind, kind, operation
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, INT, Array, Scalar, Tuple, Type

DTYPES = frozenset({"float64", "float32", "int64", "bool", "complex128"})
"""Entries for which a scalar operation gives what the array operation gives (rounded to the array's dtype)."""


def is_array(operand: Operand) -> bool:
    """Whether the operand is an array of one to four dimensions whose entries we compute with."""
    type_ = type_of(operand)
    return isinstance(type_, Array) and type_.dtype in DTYPES and 1 <= type_.ndim <= 4


def is_number(operand: Operand) -> bool:
    """Whether the operand is a scalar whose type we compute with."""
    type_ = type_of(operand)
    return isinstance(type_, Scalar) and type_.dtype in DTYPES


def rank(operand: Operand) -> int:
    """The number of dimensions; 0 for a scalar."""
    type_ = type_of(operand)
    return type_.ndim if isinstance(type_, Array) else 0


def same_dtype(one: Operand, other: Operand) -> bool:
    """Whether two arrays have entries of one type."""
    types = [operand.type for operand in (one, other) if isinstance(operand, Value)]
    return len({type_.dtype for type_ in types if isinstance(type_, Array)}) == 1


def works_by_element(node: Apply) -> bool:
    """Whether the array result can be computed element by element by the same function on scalars."""
    if node.keywords or not is_array(node.result):
        return False
    if not all(is_array(operand) or is_number(operand) for operand in node.operands):
        return False
    family = kind(node.function)
    known = (
        isinstance(node.function, np.ufunc) and node.function.signature is None and node.function.nout == 1
    )
    known = known or family in OPERATORS
    if node.function in (np.where, np.clip):
        return len(node.operands) == 3
    dtype = node.result.type.dtype if isinstance(node.result.type, Array) else ""
    if (dtype == "bool" and family is Kind.ARITHMETIC) or (dtype == "int64" and family is Kind.POWER):
        return False
    return known and len(node.operands) <= 2


def is_rounding(node: Apply) -> bool:
    """Whether the node makes an array in single precision of one in double precision."""
    types = type_of(node.operands[0]) if node.operands else None, node.result.type
    if node.function is not np.ndarray.astype or not all(isinstance(type_, Array) for type_ in types):
        return False
    return [type_.dtype for type_ in types if isinstance(type_, Array)] == ["float64", "float32"]


@dataclass(frozen=True, slots=True)
class Last:
    """`max(extent - back, 0)`: where a slice begins that counts from the end of an axis."""

    buffer: Operand
    axis: int
    back: int


@dataclass(frozen=True, slots=True)
class Along:
    """The index along an axis of the loop nest, shifted by a constant and by nonnegative integers."""

    axis: int
    const: int = 0
    shifts: tuple[Operand | Last, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Elements of a buffer: for each of its axes what runs along it, or the one index there."""

    buffer: Operand
    items: tuple[Along | Operand, ...]


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

    def of(self, array: Operand) -> Place:
        """The place of the array's own elements, in the buffer as far down as that can be told."""
        place = Place(array, tuple(Along(axis) for axis in range(rank(array))))
        while isinstance(place.buffer, Value):
            made = self.definitions.get(place.buffer)
            below = None
            if isinstance(made, View):
                below = self.through(made, place.items)
            elif isinstance(made, Apply) and made.function is np.transpose and len(made.operands) == 1:
                below = Place(made.operands[0], place.items[::-1])
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
                return self.shapes.relations.is_natural(self.shapes.length(operand))
            case _:
                return False


def _without_axis(made: Apply, items: tuple[Along | Operand, ...]) -> Place | None:
    """The place in the array that `made` gave an axis of one entry; None where the axis is no literal."""
    array, axis = made.operands
    if not isinstance(axis, Const) or type(axis.value) is not int:
        return None
    place = axis.value % len(items)
    return Place(array, (*items[:place], *items[place + 1 :]))


def add_shift(builder: Builder, index: Operand, shift: Operand | int) -> Operand:
    """`index + shift`, written as simply as it can be."""
    if isinstance(shift, int):
        if isinstance(index, Const):
            return Const(index.value + shift)
        if shift == 0:
            return index
        function = operator.add if shift > 0 else operator.sub
        return builder.apply(function, index, Const(abs(shift)), type=INT)
    if isinstance(index, Const) and index.value == 0:
        return shift
    return builder.apply(operator.add, index, shift, type=INT)


def extent(builder: Builder, array: Operand, axis: int) -> Operand:
    """The extent of an array along an axis."""
    if rank(array) == 1:
        return builder.apply(np.size, array, type=INT)
    shape = builder.apply(np.shape, array, type=Tuple((INT,) * rank(array)))
    return builder.apply(operator.getitem, shape, Const(axis), type=INT)


def on_scalars(builder: Builder, node: Apply, operands: list[Operand]) -> Operand:
    """The node's function applied to one element of each operand."""
    assert isinstance(node.result.type, Array)
    type_ = Scalar(node.result.type.dtype)
    function = node.function
    if function is np.clip:
        lowest = builder.apply(max, *operands[:2], type=type_)
        return _rounded(builder, type_, builder.apply(min, lowest, operands[2], type=type_), operands)
    if function is operator.abs:
        function = abs
    if all(type_of(operand) == Scalar("float64") for operand in operands):
        known = operation(function)
        function = known.of_number if known.is_total else function
    if function is operator.truediv and type_.dtype.startswith("complex"):
        function = COMPLEX_QUOTIENT
    result = builder.apply(function, *operands, type=type_)
    return result if type_ == BOOL else _rounded(builder, type_, result, operands)


def _rounded(builder: Builder, type_: Scalar, result: Operand, operands: list[Operand]) -> Operand:
    """The result in single precision where the array's entries are, and the scalar operation was not."""
    if type_.dtype != "float32" or all(type_of(operand) == type_ for operand in operands):
        return result
    return builder.apply(np.float32, result, type=type_)


def choice(builder: Builder, node: Apply, condition: Operand, then: Any, orelse: Any) -> Operand:
    """`then() if condition else orelse()`, one result."""
    assert isinstance(node.result.type, Array)
    type_: Type = Scalar(node.result.type.dtype)
    with builder.block() as first:
        first.yields = (then(),)
    with builder.block() as second:
        second.yields = (orelse(),)
    result = builder.value("", type_)
    builder.add(If(condition, first.finish(), second.finish(), (result,), node.loc))
    return result
