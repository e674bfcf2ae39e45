"""Writing one array statement as a nest of loops over its index space."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from backsweep.analysis.affine import Affine, Dim
from backsweep.analysis.alias import Aliases
from backsweep.analysis.shapes import ONE, Shape, Shapes
from backsweep.diagnostics import Loc
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Const, Dots, For, Operand, Slice, Store, Value, View
from backsweep.ir.types import INT, Array, Scalar, Tuple
from backsweep.runtime.broadcasting import stretched, sum_to
from backsweep.transform.elements import (
    Along,
    Last,
    Place,
    Places,
    add_shift,
    choice,
    extent,
    is_array,
    on_scalars,
    rank,
)
from backsweep.transform.normalise import type_of

FILLED = frozenset({np.full_like, np.zeros_like, np.ones_like})
PASSED_ON = frozenset({np.copy, sum_to})
DTYPES = {"float32": np.float32, "int64": np.int64, "bool": np.bool_, "complex128": np.complex128}
ZEROS = {"float64": 0.0, "float32": 0.0, "int64": 0, "complex128": 0j}


@dataclass(slots=True)
class Scope:
    """What is known where a statement stands: shapes, sharing, the values in scope, what is computed where it is read."""

    shapes: Shapes
    aliases: Aliases
    places: Places
    absorbed: dict[Value, Apply] = field(default_factory=dict)
    available: set[Value] = field(default_factory=set)

    def shape(self, array: Operand) -> Shape:
        """The symbolic shape of an array, of a constant table too."""
        if isinstance(array, Const):
            return tuple(Affine(length) for length in array.value.shape)
        return self.shapes.of(array)

    def leaves(self, node: Apply) -> dict[Operand, bool]:
        """The arrays that the node's tree is made of, and whether their entries are read or only their shape is."""
        found: dict[Operand, bool] = {}
        arrays = [operand for operand in node.operands if is_array(operand)]
        if node.function in FILLED or node.function in PASSED_ON:
            arrays = arrays[:1]
        for operand in arrays:
            if isinstance(operand, Value) and operand in self.absorbed:
                inner = self.leaves(self.absorbed[operand])
            else:
                inner = {operand: True}
            for leaf, read in inner.items():
                found[leaf] = found.get(leaf, False) or (read and node.function not in FILLED)
        return found


class Statement:
    """One nest being written: its space, the places of its leaves, and the elements already computed."""

    def __init__(self, scope: Scope, builder: Builder, loc: Loc) -> None:
        self.scope = scope
        self.builder = builder
        self.loc = loc
        self.leaves: dict[Operand, bool] = {}
        self.space: Shape = ()
        self.run_time: Value | None = None
        self.stretched: dict[Operand, Value] = {}
        self.places: dict[Operand, Place] = {}
        self.ends: dict[Last, Operand] = {}

    # The space ---------------------------------------------------------------------------------------

    def over(self, leaves: dict[Operand, bool]) -> None:
        """Take the space that the leaves broadcast to; those not proved to fit are broadcast at run time."""
        self.leaves = leaves
        shapes = {leaf: self.scope.shape(leaf) for leaf in leaves}
        count = max(map(len, shapes.values()))
        axes: list[list[Affine]] = [[] for _ in range(count)]
        for shape in shapes.values():
            for axis, length in zip(range(count - len(shape), count), shape, strict=True):
                if length != ONE and length not in axes[axis]:
                    axes[axis].append(length)
        self.space = tuple(found[0] if found else ONE for found in axes)
        doubtful = {axis for axis, found in enumerate(axes) if len(found) > 1}
        if not doubtful:
            return
        different: list[Operand] = []
        for leaf, shape in shapes.items():
            if all(shapes[other] != shape for other in different):
                different.append(leaf)
        parts = [self.shape_operand(leaf) for leaf in different]
        self.run_time = self.builder.apply(np.broadcast_shapes, *parts, name="shape", type=Tuple((INT,) * count))
        for leaf, shape in shapes.items():
            touched = range(count - len(shape), count)
            if leaves[leaf] and any(axis in doubtful and shape[axis - touched.start] != ONE for axis in touched):
                self.stretch(leaf, self.run_time)

    def within(self, leaves: dict[Operand, bool], target: Shape, shape: Callable[[], Value]) -> None:
        """Take the space of a target; leaves not proved to fit it are broadcast to its shape at run time."""
        self.leaves = leaves
        self.space = target
        run_time: Value | None = None
        for leaf, read in leaves.items():
            lengths = self.scope.shape(leaf)
            there = target[len(target) - len(lengths) :]
            if read and any(mine not in (ONE, length) for mine, length in zip(lengths, there, strict=True)):
                run_time = run_time or shape()
                self.stretch(leaf, run_time)

    def stretch(self, leaf: Operand, shape: Operand) -> None:
        """Broadcast a leaf at run time, which leaves it alone where it has the shape."""
        type_ = type_of(leaf)
        assert isinstance(type_, Array)
        full = Array(type_.dtype, len(self.space), type_.layout if type_.ndim == len(self.space) else "C")
        name = leaf.name if isinstance(leaf, Value | Const) else ""
        self.stretched[leaf] = self.builder.apply(stretched, leaf, shape, name=name, type=full)

    def shape_operand(self, array: Operand) -> Value:
        """The shape of an array at run time."""
        return self.builder.apply(np.shape, array, type=Tuple((INT,) * rank(array)))

    def length(self, axis: int) -> Operand:
        """The extent of the space along an axis, taken from an array at hand if there is one."""
        length = self.space[axis]
        if self.run_time is not None:
            return self.builder.apply(operator.getitem, self.run_time, Const(axis), type=INT)
        if not length.terms:
            return Const(length.const)
        owners = [(leaf, axis - len(self.space) + rank(leaf)) for leaf in self.leaves]
        owners = [(leaf, own) for leaf, own in owners if own >= 0 and self.scope.shape(leaf)[own] == length]
        plain = [pair for pair in owners if not self.is_view(pair[0])]
        if plain:
            return extent(self.builder, *plain[0])
        symbolic = self.symbolic(length)
        if symbolic is not None:
            return symbolic
        return extent(self.builder, *owners[0])

    def is_view(self, array: Operand) -> bool:
        """Whether the array is a view that need not be made."""
        return isinstance(array, Value) and isinstance(self.scope.shapes.definitions.get(array), View)

    def symbolic(self, length: Affine) -> Operand | None:
        """`extent + constant`, where the extent is that of an array, or an integer, in scope."""
        if list(length.terms.values()) != [1]:
            return None
        (atom,) = length.terms
        base: Operand
        match atom:
            case Dim(value, axis) if value in self.scope.available:
                base = extent(self.builder, value, axis)
            case Value() if atom in self.scope.available and atom.type == INT:
                base = atom
            case _:
                return None
        return add_shift(self.builder, base, length.const)

    # Elements ----------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Find the places of the leaves that are read, and compute before the nest where their slices begin."""
        for leaf, read in self.leaves.items():
            if read:
                source = self.stretched.get(leaf)
                self.places[leaf] = self.scope.places.of(leaf if source is None else source)
                self.prepare_place(self.places[leaf])

    def prepare_place(self, place: Place) -> None:
        """Compute where slices that count from the end begin."""
        for item in place.items:
            for shift in item.shifts if isinstance(item, Along) else ():
                if isinstance(shift, Last) and shift not in self.ends:
                    length = add_shift(self.builder, extent(self.builder, shift.buffer, shift.axis), -shift.back)
                    self.ends[shift] = self.builder.apply(max, length, Const(0), type=INT)

    def index(self, place: Place, index: Sequence[Operand]) -> tuple[Operand, ...]:
        """The index into the place's buffer at an index of the array that it is the place of."""
        found: list[Operand] = []
        for item in place.items:
            if isinstance(item, Along):
                at = index[item.axis]
                for shift in item.shifts:
                    at = add_shift(self.builder, at, self.ends[shift] if isinstance(shift, Last) else shift)
                found.append(add_shift(self.builder, at, item.const))
            else:
                found.append(item)
        return tuple(found)

    def element(self, operand: Operand, index: Sequence[Operand], known: dict[Value, Operand]) -> Operand:
        """The operand's element at an index of the space; `known` holds those computed already."""
        if not is_array(operand):
            return operand
        if isinstance(operand, Value) and operand in known:
            return known[operand]
        if isinstance(operand, Value) and operand in self.scope.absorbed:
            found = self.computed(self.scope.absorbed[operand], index, known)
            known[operand] = found
            return found
        type_ = type_of(operand)
        assert isinstance(type_, Array)
        place = self.places[operand]
        if operand in self.stretched:
            own: Sequence[Operand] = index
        else:
            lead = len(index) - type_.ndim
            lengths = self.scope.shape(operand)
            own = [
                Const(0) if length == ONE and self.space[lead + axis] != ONE else index[lead + axis]
                for axis, length in enumerate(lengths)
            ]
        return self.builder.load(place.buffer, self.index(place, own), type=Scalar(type_.dtype))

    def computed(self, node: Apply, index: Sequence[Operand], known: dict[Value, Operand]) -> Operand:
        """One element of the node's result."""
        first = node.operands[0]
        if node.function in PASSED_ON:
            return self.element(first, index, known)
        if node.function in FILLED:
            assert isinstance(node.result.type, Array)
            return self.filling(node, node.result.type.dtype)
        if node.function is np.where:
            condition = self.element(first, index, known)

            def side(number: int) -> Callable[[], Operand]:
                return lambda: self.element(node.operands[number], index, dict(known))

            return choice(self.builder, node, condition, side(1), side(2))
        return on_scalars(self.builder, node, [self.element(operand, index, known) for operand in node.operands])

    def filling(self, node: Apply, dtype: str) -> Operand:
        """What `full_like`, `zeros_like` or `ones_like` fills with."""
        if node.function is np.full_like:
            value = node.operands[1]
            if type_of(value) == Scalar(dtype):
                return value
            kind = {"float64": float, "int64": int, "bool": bool, "complex128": complex}.get(dtype, np.float32)
            return self.builder.apply(kind, value, type=Scalar(dtype))
        number = ZEROS.get(dtype, 0.0) + (node.function is np.ones_like)
        return Const(bool(number) if dtype == "bool" else number)

    # Nests -------------------------------------------------------------------------------------------

    def nest(
        self,
        length: Callable[[int], Operand],
        body: Callable[[list[Operand], tuple[Operand, ...]], tuple[Operand, ...]],
        inits: tuple[Operand, ...] = (),
        results: tuple[Value, ...] = (),
    ) -> None:
        """Write the loops; `body` gets the index and the carried values and returns the next ones."""

        def level(axis: int, index: list[Operand], carried: tuple[Operand, ...]) -> tuple[Operand, ...]:
            if axis == len(self.space):
                return body(index, carried)
            counter = self.builder.value("", INT)
            parameters = tuple(Value(result.name, result.type, self.loc) for result in results)
            stop = length(axis)
            with self.builder.block(counter, *parameters) as inner:
                inner.yields = level(axis + 1, [*index, counter], parameters)
            ends = tuple(Value(result.name, result.type, self.loc) for result in results) if axis else results
            self.builder.add(For(Const(0), stop, Const(1), carried, inner.finish(), ends, self.loc))
            return ends

        level(0, [], inits)


def write_array(statement: Statement, node: Apply) -> None:
    """`y = np.empty(...)` and a nest that computes each element."""
    result = node.result
    assert isinstance(result.type, Array)
    statement.over(statement.scope.leaves(node))
    statement.prepare()
    statement.builder.add(_empty(statement, result))

    def length(axis: int) -> Operand:
        return extent(statement.builder, result, axis)

    def body(index: list[Operand], _: tuple[Operand, ...]) -> tuple[Operand, ...]:
        statement.builder.store(result, tuple(index), statement.computed(node, index, {}))
        return ()

    statement.nest(length, body)


def _empty(statement: Statement, result: Value) -> Apply:
    """New memory of the shape of the space for `result`."""
    type_ = result.type
    assert isinstance(type_, Array)
    dtype = (Const(DTYPES[type_.dtype]),) if type_.dtype in DTYPES else ()
    like = [leaf for leaf in statement.leaves if statement.scope.shape(leaf) == statement.space]
    like.sort(key=statement.is_view)
    if statement.run_time is not None:
        return Apply(result, np.empty, (statement.run_time, *dtype), statement.loc)
    for leaf in like:
        if type_of(leaf) == Array(type_.dtype, type_.ndim, "C"):
            return Apply(result, np.empty_like, (leaf,), statement.loc)
    if like:
        return Apply(result, np.empty, (statement.shape_operand(like[0]), *dtype), statement.loc)
    lengths: list[Operand] = []
    for axis, affine in enumerate(statement.space):
        length = statement.length(axis)
        if affine.const < 0:
            length = statement.builder.apply(max, length, Const(0), type=INT)
        lengths.append(length)
    shape = lengths[0]
    if len(lengths) > 1:
        shape = statement.builder.apply(tuple, *lengths, type=Tuple((INT,) * len(lengths)))
    return Apply(result, np.empty, (shape, *dtype), statement.loc)


def write_total(statement: Statement, node: Apply) -> None:
    """The sum or the mean of a tree: a scalar carried through the nest."""
    builder, first = statement.builder, node.operands[0]
    assert isinstance(first, Value)
    assert isinstance(node.result.type, Scalar)
    dtype = node.result.type.dtype
    statement.over(statement.scope.leaves(statement.scope.absorbed[first]))
    statement.prepare()
    zero: Operand = Const(ZEROS[dtype])
    if dtype == "float32":
        zero = builder.apply(np.float32, zero, type=node.result.type)
    is_mean = node.function is np.mean
    total = Value("total" if is_mean else node.result.name or "total", node.result.type, node.loc)
    result = total if is_mean else node.result

    def body(index: list[Operand], carried: tuple[Operand, ...]) -> tuple[Operand, ...]:
        return (builder.apply(operator.add, carried[0], statement.element(first, index, {}), type=result.type),)

    statement.nest(statement.length, body, (zero,), (result,))
    if is_mean:
        count = statement.length(0)
        for axis in range(1, len(statement.space)):
            count = builder.apply(operator.mul, count, statement.length(axis), type=INT)
        mean = node.result
        if dtype == "float32":
            mean = Value("", Scalar("float64"), node.loc)
        builder.add(Apply(mean, operator.truediv, (total, count), node.loc))
        if dtype == "float32":
            builder.add(Apply(node.result, np.float32, (mean,), node.loc))


def write_store(statement: Statement, node: Store) -> None:
    """A store to a part of an array, element by element; first into a temporary where it reads what it writes."""
    scope, builder = statement.scope, statement.builder
    target = _target(scope, node)
    value = node.value
    leaves: dict[Operand, bool] = {}
    if isinstance(value, Value) and value in scope.absorbed:
        leaves = scope.leaves(scope.absorbed[value])
    elif is_array(value):
        leaves = {value: True}
    made: list[Value] = []

    def part() -> Value:
        """The target as an array."""
        view = scope.shapes.definitions.get(target)
        if isinstance(view, View) and target not in scope.available and not made:
            builder.add(view)
        made.append(target)
        return target

    place = scope.places.of(target)
    if place.buffer is target:
        part()
    shape = scope.shape(target)
    statement.within(leaves, shape, lambda: statement.shape_operand(part()))
    if _disturbs(statement, node, place):
        if not (isinstance(value, Value) and value in scope.absorbed):
            builder.add(node)
            return
        write_array(Statement(scope, builder, node.loc), scope.absorbed.pop(value))
        scope.available.add(value)
        return write_store(Statement(scope, builder, node.loc), node)
    statement.prepare()
    statement.prepare_place(place)

    def length(axis: int) -> Operand:
        if not shape[axis].terms:
            return Const(shape[axis].const)
        if target is node.buffer and not statement.is_view(target):
            return extent(builder, target, axis)
        return statement.symbolic(shape[axis]) or extent(builder, part(), axis)

    def body(index: list[Operand], _: tuple[Operand, ...]) -> tuple[Operand, ...]:
        at = statement.index(place, index)
        assert isinstance(place.buffer, Value)
        builder.store(place.buffer, at, statement.element(value, index, {}), accumulate=node.accumulate)
        return ()

    statement.nest(length, body)


def _target(scope: Scope, node: Store) -> Value:
    """What the store writes, as an array: the buffer, or a view of it that is made only if it must be."""
    if all(isinstance(item, Dots) or (isinstance(item, Slice) and _is_whole(item)) for item in node.index):
        return node.buffer
    assert isinstance(node.buffer.type, Array)
    fixed = sum(isinstance(item, Value | Const) for item in node.index)
    new = sum(not isinstance(item, Value | Const | Dots | Slice) for item in node.index)
    type_ = Array(node.buffer.type.dtype, node.buffer.type.ndim - fixed + new, "A")
    view = View(Value("", type_, node.loc), node.buffer, node.index, node.loc)
    scope.shapes.definitions[view.result] = view
    return view.result


def _is_whole(item: Slice) -> bool:
    return item.start is None and item.stop is None and item.step is None


def _disturbs(statement: Statement, node: Store, place: Place) -> bool:
    """Whether the store may write an element that the tree still has to read at another index."""
    for leaf, read in statement.leaves.items():
        if not read or not isinstance(leaf, Value) or not statement.scope.aliases.same(leaf, node.buffer):
            continue
        same = leaf not in statement.stretched and statement.scope.shape(leaf) == statement.space
        if not same or not _same_place(statement.scope.places.of(leaf), place):
            return True
    return False


def _same_place(one: Place, other: Place) -> bool:
    """Whether two places are the same elements in the same order."""
    if one.buffer is not other.buffer:
        return False

    def key(item: Along | Operand) -> object:
        return item.value if isinstance(item, Const) else item

    return [key(item) for item in one.items] == [key(item) for item in other.items]
