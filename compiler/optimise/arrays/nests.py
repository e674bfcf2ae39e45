"""The nest of loops of one array statement: its index space, the places of its operands, its elements."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from backsweep.analysis.alias import Aliases
from backsweep.analysis.integers.affine import ONE, Affine, Atom, Dim, Shape, to_affine
from backsweep.analysis.integers.extents import Shapes
from backsweep.analysis.order.places import Along, Last, Place, Places
from backsweep.analysis.order.statements import StatementOrder
from backsweep.diagnostics import Loc
from backsweep.ir.build import Builder, christen
from backsweep.ir.nodes import Apply, Const, For, Operand, Value, View
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import rank, type_of
from backsweep.ir.types import INT, Array, Scalar, Tuple
from backsweep.optimise.arrays.elements import (
    add_shift,
    choice,
    extent,
    is_array,
    is_rounding,
    on_scalars,
    works_by_element,
)
from backsweep.runtime.broadcasting import joint_shape, stretched, sum_to

SINGLE = Scalar("float32")
PASSED_ON = frozenset({np.copy, sum_to})
TOTALS = frozenset({np.sum, np.mean})
DTYPES = {"float32": np.float32, "int64": np.int64, "bool": np.bool_, "complex128": np.complex128}
ZEROS = {"float64": 0.0, "float32": 0.0, "int64": 0, "complex128": 0j}


@dataclass(slots=True)
class Scope:
    """What is known at the place of a statement: shapes, aliases, values in scope, and what is computed where it is read."""

    shapes: Shapes
    aliases: Aliases
    places: Places
    order: StatementOrder
    shared: set[Value]
    """Arrays that are read at several places: an element that is computed where it is read has the array's name."""
    absorbed: dict[Value, Apply] = field(default_factory=dict)
    available: set[Value] = field(default_factory=set)
    fits: list[tuple[Shape, Shape]] = field(default_factory=list)
    """Shapes of operands and the shape that an elementwise function broadcast them to."""
    known: list[tuple[Operand, Shape, Value]] = field(default_factory=list)
    """Arrays that nothing writes, the shapes they were broadcast to at run time, and the results."""
    divisors: set[Value] = field(default_factory=set)
    """Sums that something is divided by, or whose powers are taken: that of nothing is NumPy's zero there, not Python's."""

    def shape(self, array: Operand) -> Shape:
        """The symbolic shape of an array, of a constant table too."""
        if isinstance(array, Const):
            return tuple(Affine(length) for length in array.value.shape)
        return tuple(map(self.unclipped, self.shapes.of(array)))

    def unclipped(self, length: Affine) -> Affine:
        """`n` for an extent `max(n, 0)`: no array has fewer than no elements, so that a loop over either is the same."""
        if length.const == 0 and list(length.terms.values()) == [1]:
            (atom,) = length.terms
            match self.shapes.definitions.get(atom) if isinstance(atom, Value) else None:
                case Apply(function=function, operands=(Value() as inner, Const(value=0))) if function is max:
                    return to_affine(inner, self.shapes.definitions)
        return length

    def place(self, array: Operand, space: Shape) -> Place:
        """The place of the array's element that a nest over `space`, to which the array fits, touches at its index."""
        return self.places.of(array, self.shape(array), space)

    def same(self, one: Operand, other: Operand) -> bool:
        """Whether two arrays certainly have the same shape."""
        return (
            rank(one) == rank(other)
            and is_array(one)
            and is_array(other)
            and self.shape(one) == self.shape(other)
        )

    def fit(self, shape: Shape, target: Shape) -> bool:
        """Whether arrays of the shape certainly broadcast to the target's."""
        if len(shape) > len(target):
            return False
        there = target[len(target) - len(shape) :]
        if all(mine in (ONE, other) for mine, other in zip(shape, there, strict=True)):
            return True
        return any(one == shape and other == target for one, other in self.fits)

    def leaves(self, node: Apply) -> dict[Operand, bool]:
        """The arrays that the node's tree is made of, and whether their entries are read or only their shape is."""
        found: dict[Operand, bool] = {}
        seen: set[tuple[Apply, bool]] = set()

        def visit(each: Apply, *, read: bool) -> None:
            if (each, read) in seen:
                return
            seen.add((each, read))
            arrays = [operand for operand in each.operands if is_array(operand)]
            if kind(each.function) is Kind.ALIKE or each.function in PASSED_ON:
                arrays = arrays[:1]
            read = read and kind(each.function) is not Kind.ALIKE
            for operand in arrays:
                if isinstance(operand, Value) and operand in self.absorbed:
                    visit(self.absorbed[operand], read=read)
                else:
                    found[operand] = found.get(operand, False) or read

        visit(node, read=True)
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
        self.target: Callable[[], Value] | None = None
        """Makes the part of an array that a store of the nest writes: it has the extents of the space."""

    # The space ---------------------------------------------------------------------------------------

    def over(self, leaves: dict[Operand, bool], whole: Shape) -> None:
        """Run over the space that the leaves broadcast to, which is `whole` if known; broadcast leaves that are not proved to fit."""
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
        for leaf, shape in shapes.items():
            if all(self.scope.fit(other, shape) for other in shapes.values()):
                self.within(leaves, shape, functools.partial(self.shape_operand, leaf))
                return
        different: list[Operand] = []
        for leaf, shape in shapes.items():
            if all(shapes[other] != shape for other in different):
                different.append(leaf)
        parts = [self.shape_operand(leaf) for leaf in different]
        self.run_time = functools.reduce(self.broadcast, parts)
        for leaf, shape in shapes.items():
            touched = range(count - len(shape), count)
            if leaves[leaf] and any(
                axis in doubtful and shape[axis - touched.start] != ONE for axis in touched
            ):
                self.stretch(leaf, lambda: self.run_time, whole)

    def broadcast(self, one: Value, other: Value) -> Value:
        """The shape that two broadcast to, at run time."""
        count = max(len(part.type.items) for part in (one, other) if isinstance(part.type, Tuple))
        return self.builder.apply(joint_shape, one, other, name="shape", type=Tuple((INT,) * count))

    def within(self, leaves: dict[Operand, bool], target: Shape, shape: Callable[[], Value]) -> None:
        """Run over the space of a target; broadcast, at run time, leaves that are not proved to fit it."""
        self.leaves = leaves
        self.space = target
        for leaf, read in leaves.items():
            if read and not self.fits(leaf, target):
                self.stretch(leaf, shape, target)

    def fits(self, leaf: Operand, target: Shape) -> bool:
        """Whether an array is proved to fit into a space as it is."""
        lengths = self.scope.shape(leaf)
        there = target[len(target) - len(lengths) :]
        return all(mine in (ONE, length) for mine, length in zip(lengths, there, strict=True))

    def stretch(self, leaf: Operand, shape: Callable[[], Value | None], whole: Shape) -> None:
        """Broadcast a leaf at run time along its own axes; where it has the shape it is left alone. Once for each shape."""
        for array, target, found in self.scope.known:
            if array is leaf and target == whole and found in self.scope.available:
                self.stretched[leaf] = found
                return
        type_, at = type_of(leaf), shape()
        assert isinstance(type_, Array)
        assert at is not None
        own = self.scope.shape(leaf)
        lead = len(self.space) - len(own)
        if lead or ONE in own:
            lengths = [
                Const(1)
                if length == ONE
                else self.builder.apply(operator.getitem, at, Const(lead + axis), type=INT)
                for axis, length in enumerate(own)
            ]
            at = self.builder.apply(tuple, *lengths, type=Tuple((INT,) * len(own)))
        self.stretched[leaf] = self.builder.apply(stretched, leaf, at, name=leaf.name, type=type_)
        if not self.scope.aliases.is_buffer(leaf):
            self.scope.available.add(self.stretched[leaf])
            self.scope.known.append((leaf, whole, self.stretched[leaf]))

    def shape_operand(self, array: Operand) -> Value:
        """The shape of an array at run time."""
        return self.builder.apply(np.shape, array, type=Tuple((INT,) * rank(array)))

    def length(self, axis: int) -> Operand:
        """The extent of the space along an axis, taken from an array at hand if there is one."""
        length = self.space[axis]
        if self.run_time is not None:
            return self.builder.apply(operator.getitem, self.run_time, Const(axis), type=INT)
        found = self.length_of_parameters(length)
        if found is not None:
            return found
        owners = [(leaf, axis - len(self.space) + rank(leaf)) for leaf in self.leaves]
        owners = [(leaf, own) for leaf, own in owners if own >= 0 and self.scope.shape(leaf)[own] == length]
        plain = [pair for pair in owners if not self.is_view(pair[0])]
        if plain:
            return extent(self.builder, *plain[0])
        symbolic = self.symbolic(length)
        if symbolic is not None:
            return symbolic
        if owners:
            return extent(self.builder, *owners[0])
        assert self.target is not None  # what reads no array fills a part of one
        return extent(self.builder, self.target(), axis)

    def is_of_parameters(self, length: Affine) -> bool:
        """Whether the length is made of extents of the function's parameters, or a number."""
        parameters = self.scope.shapes.parameters
        return all(isinstance(atom, Dim) and atom.value in parameters for atom in length.terms)

    def length_of_parameters(self, length: Affine) -> Operand | None:
        """The length as a number or a sum of extents of the function's parameters; None where it is neither."""
        if not length.terms:
            return Const(length.const)
        return self.symbolic(length) if self.is_of_parameters(length) else None

    def is_view(self, array: Operand) -> bool:
        """Whether the array is a view that need not be made."""
        made = self.scope.shapes.definitions.get(array) if isinstance(array, Value) else None
        return isinstance(made, View) or (isinstance(made, Apply) and made.function is np.transpose)

    def symbolic(self, length: Affine) -> Operand | None:
        """A sum of extents and a constant, where they are those of arrays, or integers, in scope."""
        ordered = sorted(length.terms.items(), key=lambda term: -term[1])
        parts = [self.extent_in_scope(atom) for atom, _ in ordered]
        known = [part for part in parts if part is not None]
        if (
            len(known) < len(parts)
            or not known
            or {abs(times) for _, times in ordered} != {1}
            or ordered[0][1] < 0
        ):
            return None
        total = known[0]
        for part, (_, times) in zip(known[1:], ordered[1:], strict=True):
            total = self.builder.apply(operator.add if times > 0 else operator.sub, total, part, type=INT)
        return add_shift(self.builder, total, length.const)

    def extent_in_scope(self, atom: Atom) -> Operand | None:
        """An extent of an array, or an integer, that is in scope; None for any other."""
        match atom:
            case Dim(value, axis) if value in self.scope.available:
                return extent(self.builder, value, axis)
            case Value() if atom in self.scope.available and atom.type == INT:
                return atom
            case _:
                return None

    # Elements ----------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Find the places of the leaves that are read, and compute before the nest where their slices begin."""
        for leaf, read in self.leaves.items():
            if read:
                source = self.stretched.get(leaf)
                self.places[leaf] = self.scope.places.of(
                    leaf if source is None else source, self.scope.shape(leaf), self.space
                )
                self.prepare_place(self.places[leaf])

    def prepare_place(self, place: Place) -> None:
        """Compute where slices that count from the end begin."""
        for item in place.items:
            for shift in item.shifts if isinstance(item, Along) else ():
                if isinstance(shift, Last) and shift not in self.ends:
                    length = add_shift(
                        self.builder, extent(self.builder, shift.buffer, shift.axis), -shift.back
                    )
                    self.ends[shift] = self.builder.apply(max, length, Const(0), type=INT)

    def index(self, place: Place, index: Sequence[Operand]) -> tuple[Operand, ...]:
        """The index into the place's buffer at an index of the array that it is the place of."""
        found: list[Operand] = []
        for item in place.items:
            if isinstance(item, Along):
                at = Const(0) if item.axis is None else index[item.axis]
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
            node = self.scope.absorbed[operand]
            found = self.computed(node, index, known)
            if operand in self.scope.shared and isinstance(found, Value) and works_by_element(node):
                christen(found, operand.name)
            known[operand] = found
            return found
        type_ = type_of(operand)
        assert isinstance(type_, Array)
        place = self.places[operand]
        return self.builder.load(place.buffer, self.index(place, index), type=Scalar(type_.dtype))

    def computed(self, node: Apply, index: Sequence[Operand], known: dict[Value, Operand]) -> Operand:
        """One element of the node's result."""
        first = node.operands[0]
        if is_rounding(node):
            return self.builder.apply(np.float32, self.element(first, index, known), type=SINGLE)
        if node.function in PASSED_ON:
            return self.element(first, index, known)
        if kind(node.function) is Kind.ALIKE:
            assert isinstance(node.result.type, Array)
            return self.filling(node, node.result.type.dtype)
        if node.function is np.where:
            condition = self.element(first, index, known)

            def side(number: int) -> Callable[[], Operand]:
                return lambda: self.element(node.operands[number], index, dict(known))

            return choice(self.builder, node, condition, side(1), side(2))
        return on_scalars(
            self.builder, node, [self.element(operand, index, known) for operand in node.operands]
        )

    def filling(self, node: Apply, dtype: str) -> Operand:
        """The number with which `full_like`, `zeros_like` or `ones_like` fills an array."""
        if node.function is np.full_like:
            value = node.operands[1]
            if type_of(value) == Scalar(dtype):
                return value
            kind = {"float64": float, "int64": int, "bool": bool, "complex128": complex}.get(
                dtype, np.float32
            )
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
        looped = [
            axis for axis, extent_ in enumerate(self.space) if extent_ != ONE or self.run_time is not None
        ]

        def level(axis: int, index: list[Operand], carried: tuple[Operand, ...]) -> tuple[Operand, ...]:
            if axis == len(self.space):
                return body(index, carried)
            if axis not in looped and (looped or not results):
                return level(axis + 1, [*index, Const(0)], carried)
            counter = self.builder.value("", INT)
            parameters = tuple(Value(result.name, result.type, self.loc) for result in results)
            stop = length(axis)
            with self.builder.block(counter, *parameters) as inner:
                inner.yields = level(axis + 1, [*index, counter], parameters)
            outermost = axis == (looped or [0])[0]
            ends = (
                results
                if outermost
                else tuple(Value(result.name, result.type, self.loc) for result in results)
            )
            self.builder.add(For(Const(0), stop, Const(1), carried, inner.finish(), ends, self.loc))
            return ends

        level(0, [], inits)
