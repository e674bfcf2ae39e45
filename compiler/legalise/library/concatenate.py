"""Write arrays made of parts (`np.array((a, b))`, `np.stack`, `np.concatenate`, ...) as an empty array and stores.

Stores belong to the core language, so that each part receives its part of the cotangent without a rule.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Const, Index, Operand, Slice, Value, is_none
from backsweep.ir.typed import rank, type_of
from backsweep.ir.types import INT, Array, Scalar, Tuple
from backsweep.legalise.arrays.equal_extents import check_equal

ZERO, ONE, ALL = Const(0), Const(1), Slice()
Parts = Sequence[Operand]
"""The arrays and numbers that a call joins."""

Items = Callable[[Operand], tuple[Operand, ...] | None]
"""The items of a tuple operand; None for anything else."""


def join(node: Apply, builder: Builder, items: Items, *, is_written: bool = False) -> Value | None:
    """The joined array, written through `builder`; None if the call has a form that is not handled here.

    An array of literals stays a call, unless something `is_written` to it: then it may come to have a derivative.
    """
    type_ = node.result.type
    if not isinstance(type_, Array) or not node.operands:
        return None
    arguments = _arguments(node)
    if node.function is np.append:
        whole = {name: _of_tuple(node, builder, arguments[name], items) for name in ("parts", "values")}
        return _append(_Joiner(node, builder, type_), {**arguments, **whole})
    if type_.ndim == 0:
        return _of_a_number(_Joiner(node, builder, type_), arguments["parts"])
    parts = items(arguments["parts"])
    if not parts:
        return None
    if node.function in LITERALS and not is_written and _is_constant(parts, items):
        return None
    if node.function not in LITERALS:
        parts = tuple(_of_tuple(node, builder, part, items) for part in parts)
    return FORMS[node.function](_Joiner(node, builder, type_), parts, arguments, items)


def _of_tuple(node: Apply, builder: Builder, part: Operand, items: Items) -> Operand:
    """The array of a tuple among what is joined, which is no single entry; any other part as it is."""
    if not isinstance(type_of(part), Tuple):
        return part
    inner = items(part)
    if not inner:
        name = f"np.{node.function.__name__}"
        raise refused(node, f"`{name}` is given a tuple that has no items here", "make it an array first.")
    entries = [entry for _, entry in _entries(inner, items, ())]
    depth, level = 0, items(part)
    while level:
        depth, level = depth + 1, items(level[0])
    kinds = [type_of(entry) for entry in entries]
    dtypes = [np.dtype(kind.dtype) for kind in kinds if isinstance(kind, Scalar | Array)]
    type_ = Array(str(np.result_type(*dtypes)), depth + rank(entries[0]))
    return _literal(_Joiner(node, builder, type_), inner, {}, items)


def _of_a_number(joiner: _Joiner, number: Operand) -> Value | None:
    """An array without axes that holds a number which the program computes; None if there is nothing to store."""
    if not isinstance(type_of(number), Scalar) or not isinstance(number, Value):
        return None
    array = joiner.empty(())
    joiner.store(array, (), number)
    return array


def empty(builder: Builder, shape: Sequence[Operand], type_: Array, name: str) -> Value:
    """A contiguous array before anything is stored in it."""
    operands: tuple[Operand, ...] = (_packed(builder, shape),)
    if type_.dtype != "float64":
        operands += (Const(np.dtype(type_.dtype).type),)
    return builder.apply(np.empty, *operands, name=name, type=Array(type_.dtype, type_.ndim))


def _packed(builder: Builder, shape: Sequence[Operand]) -> Operand:
    """A shape as `np.empty` takes it."""
    if len(shape) == 1:
        return shape[0]
    if all(isinstance(part, Const) for part in shape):
        return Const(tuple(part.value for part in shape if isinstance(part, Const)))
    return builder.apply(tuple, *shape, type=Tuple((INT,) * len(shape)))


def refused(node: Apply, message: str, remedy: str) -> UnsupportedError:
    """The error for a call that cannot be expanded."""
    return UnsupportedError(Problem("BS202", message, node.loc, remedy))


class _Joiner:
    """Makes the empty array of one call and stores parts in it."""

    def __init__(self, node: Apply, builder: Builder, type_: Array) -> None:
        self.node = node
        self.builder = builder
        self.type = type_

    def empty(self, shape: Sequence[Operand]) -> Value:
        """The array before anything is stored in it, under the name that the user gave it."""
        return empty(self.builder, shape, self.type, self.node.result.name)

    def shape(self, operand: Operand) -> list[Operand]:
        """The extents of a part."""
        return [self.builder.extent(operand, axis) for axis in range(rank(operand))]

    def store(self, target: Value, index: Index, part: Operand) -> None:
        """Store one part in its place."""
        self.builder.store(target, index, part)

    def add(self, left: Operand, right: Operand) -> Operand:
        """The sum of two lengths."""
        if isinstance(left, Const) and isinstance(right, Const):
            return Const(left.value + right.value)
        if isinstance(left, Const) and left.value == 0:
            return right
        return self.builder.apply(operator.add, left, right, type=INT)

    def check(self, parts: Parts, *, but: int | None = None) -> None:
        """Raise where NumPy does: when the parts differ in length along an axis other than the one they are joined along.

        A store alone would stretch a part of length one.
        """
        whole = [part for part in parts if rank(part)]
        if not whole:
            return
        first, *others = whole
        for other in others:
            for axis in range(rank(first)):
                if axis != but and other is not first:
                    lengths = self.builder.extent(first, axis), self.builder.extent(other, axis)
                    self.check_lengths(*([each] for each in lengths))

    def check_lengths(self, some: Sequence[Operand], others: Sequence[Operand]) -> None:
        """Raise where two parts differ in these lengths."""
        message = f"np.{self.node.function.__name__}: the lengths of the arrays do not match"
        for one, other in zip(some, others, strict=True):
            check_equal(self.builder, one, other, message)

    def along(self, parts: Parts, axis: int) -> Value:
        """Arrays joined along one of their axes; a part with one axis less (a number, a column) counts as one entry."""
        whole = [rank(part) == self.type.ndim for part in parts]
        self.check([part for part, full in zip(parts, whole, strict=True) if full], but=axis)
        lengths = [
            self.builder.extent(part, axis) if full else ONE for part, full in zip(parts, whole, strict=True)
        ]
        ends: list[Operand] = [ZERO]
        for length in lengths:
            ends.append(self.add(ends[-1], length))
        largest = next((part for part, full in zip(parts, whole, strict=True) if full), parts[0])
        shape = self.shape(largest) or [ONE]
        others = [length for k, length in enumerate(shape) if k != axis]
        for part, full in zip(parts, whole, strict=True):
            if not full and rank(part):
                self.check_lengths(others, self.shape(part))
        shape[axis] = ends[-1]
        target = self.empty(shape)
        before = (ALL,) * axis
        for part, full, start, stop in zip(parts, whole, ends, ends[1:], strict=False):
            first = None if isinstance(start, Const) and start.value == 0 else start
            place: Operand | Slice = Slice(first, stop) if full else start
            self.store(target, (*before, place), part)
        return target

    def across(self, parts: Parts, axis: int, before: int = 0) -> Value:
        """Arrays of one shape joined along a new axis, behind so many axes of length one."""
        self.check(parts)
        shape = self.shape(parts[0])
        shape.insert(axis, Const(len(parts)))
        target = self.empty([*(ONE,) * before, *shape])
        for position, part in enumerate(parts):
            self.store(target, (*(ZERO,) * before, *(ALL,) * axis, Const(position)), part)
        return target

    def axis(self, operand: Operand | None, count: int) -> int:
        """A literal axis, counted from the front."""
        if operand is None:
            return 0
        if not isinstance(operand, Const) or not isinstance(operand.value, int):
            message = f"`np.{self.node.function.__name__}` needs an axis that is a literal number"
            raise refused(self.node, message, "write the axis as a number.")
        return range(count)[operand.value]


def _arguments(node: Apply) -> dict[str, Operand]:
    """The operands by what they mean: `parts`, `axis`, and `values` of `np.append`."""
    names = NAMES.get(node.function, ("parts",))
    found = dict(zip(names, node.operands, strict=False))
    found.update(node.keywords)
    return found


def _is_constant(parts: Parts, items: Items) -> bool:
    """Whether all entries are literals: Numba's own `np.array` is right for those."""
    for part in parts:
        inner = items(part)
        if inner is not None and not _is_constant(inner, items):
            return False
        if inner is None and not isinstance(part, Const):
            return False
    return True


def _literal(joiner: _Joiner, parts: Parts, _arguments: Mapping[str, Operand], items: Items) -> Value:
    """`np.array` of nested tuples: one store for each entry."""
    entries = list(_entries(parts, items, ()))
    path, first = entries[0]
    joiner.check([entry for _, entry in entries])
    shape: list[Operand] = []
    level: Parts | None = parts
    while level is not None:
        shape.append(Const(len(level)))
        level = items(level[0])
    target = joiner.empty([*shape, *joiner.shape(first)])
    for path, entry in entries:
        joiner.store(target, tuple(map(Const, path)), entry)
    return target


def _entries(parts: Parts, items: Items, path: tuple[int, ...]) -> list[tuple[tuple[int, ...], Operand]]:
    """Every entry of nested tuples with the path to it."""
    found: list[tuple[tuple[int, ...], Operand]] = []
    for position, part in enumerate(parts):
        inner = items(part)
        here = (*path, position)
        found += [(here, part)] if inner is None else _entries(inner, items, here)
    return found


def _stack(joiner: _Joiner, parts: Parts, arguments: Mapping[str, Operand], _items: Items) -> Value:
    return joiner.across(parts, joiner.axis(arguments.get("axis"), joiner.type.ndim))


def _concatenate(
    joiner: _Joiner, parts: Parts, arguments: Mapping[str, Operand], _items: Items
) -> Value | None:
    axis = arguments.get("axis")
    if is_none(axis):
        return None
    return joiner.along(parts, joiner.axis(axis, joiner.type.ndim))


def _vstack(joiner: _Joiner, parts: Parts, _arguments: Mapping[str, Operand], _items: Items) -> Value | None:
    kinds = set(map(rank, parts))
    if kinds == {1}:
        return joiner.across(parts, 0)
    return joiner.along(parts, 0) if min(kinds) > 0 else None


def _hstack(joiner: _Joiner, parts: Parts, _arguments: Mapping[str, Operand], _items: Items) -> Value:
    return joiner.along(parts, 0 if joiner.type.ndim == 1 else 1)


def _column_stack(
    joiner: _Joiner, parts: Parts, _arguments: Mapping[str, Operand], _items: Items
) -> Value | None:
    kinds = set(map(rank, parts))
    if kinds == {1}:
        return joiner.across(parts, 1)
    return joiner.along(parts, 1) if kinds <= {1, 2} else None


def _dstack(joiner: _Joiner, parts: Parts, _arguments: Mapping[str, Operand], _items: Items) -> Value | None:
    kinds = set(map(rank, parts))
    if kinds == {1}:
        return joiner.across(parts, 1, before=1)
    if kinds == {2}:
        return joiner.across(parts, 2)
    return joiner.along(parts, 2) if min(kinds) > 2 else None


def _append(joiner: _Joiner, arguments: Mapping[str, Operand]) -> Value:
    """`np.append(x, values)`: both flattened and joined, or joined along an axis."""
    parts = [arguments["parts"], arguments["values"]]
    axis = arguments.get("axis")
    if axis is not None and not is_none(axis):
        return joiner.along(parts, joiner.axis(axis, joiner.type.ndim))
    return joiner.along([_flat(joiner.builder, part) for part in parts], 0)


def _flat(builder: Builder, part: Operand) -> Operand:
    """An array in one dimension."""
    type_ = type_of(part)
    if not isinstance(type_, Array) or type_.ndim == 1:
        return part
    return builder.apply(np.ravel, part, type=Array(type_.dtype, 1))


LITERALS = (np.array, np.asarray)
Form = Callable[[_Joiner, Parts, Mapping[str, Operand], Items], Value | None]
FORMS: Mapping[Any, Form] = {
    np.array: _literal,
    np.asarray: _literal,
    np.stack: _stack,
    np.concatenate: _concatenate,
    np.vstack: _vstack,
    np.hstack: _hstack,
    np.column_stack: _column_stack,
    np.dstack: _dstack,
    **({np.row_stack: _vstack} if hasattr(np, "row_stack") else {}),  # noqa: NPY201  while NumPy has it
}
NAMES: Mapping[Any, tuple[str, ...]] = {
    np.stack: ("parts", "axis"),
    np.concatenate: ("parts", "axis"),
    np.append: ("parts", "values", "axis"),
}
JOINS = frozenset((*FORMS, np.append))
