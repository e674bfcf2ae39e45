"""Find the shape of each array as expressions in extents and integers, so that equal shapes are seen to be equal."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeGuard

import numpy as np

from backsweep.analysis.integers.affine import (
    ONE,
    Affine,
    Atom,
    Constraint,
    Shape,
    at_least,
    dim,
    equal,
    infeasible,
    quotient,
    shape_of_table,
    to_affine,
    unknown_shape,
    variable,
)
from backsweep.analysis.integers.affine import Dim as Extent
from backsweep.analysis.integers.domains import Places, places_of
from backsweep.analysis.integers.guards import KnownRelations, facts_on_entry, given_to
from backsweep.analysis.integers.lengths import integer_of, length_of
from backsweep.analysis.integers.results import operand_alike, shape_returned, undecided
from backsweep.ir.nodes import (
    UNDEFINED,
    Append,
    Apply,
    Const,
    Dots,
    For,
    Function,
    If,
    Load,
    NewAxis,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
    While,
    fact,
)
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT, Array, List, Scalar, Tuple
from backsweep.ir.walk import chain_to, growing, outside_loops, walk
from backsweep.rules.declare import is_elementwise
from backsweep.runtime.broadcasting import aligned, stretched


@dataclass(frozen=True, slots=True)
class ParameterExtent:
    """The atom for an extent of a function's parameter, by the positions of parameter and axis; without `axis`, for a number."""

    position: int
    axis: int | None = None


ParameterShapes = Mapping[int, Shape]
"""By position of a parameter its shape, or that of a list's entries, in atoms `ParameterExtent`."""


def shape_of_parameter(position: int, type_: Array) -> Shape:
    """The shape of the parameter of that position."""
    return tuple(variable(ParameterExtent(position, axis)) for axis in range(type_.ndim))


@fact
def shapes_of(function: Function) -> Shapes:
    """The shapes of a program's arrays."""
    return Shapes(function)


def hoped_shapes(function: Function) -> Shapes:
    """The shapes if no loop changes that of an array which it carries, whether or not that is known."""
    return Shapes(function, hopeful=True)


class Shapes:
    """The shape of every array as integer linear expressions; an extent nobody knows is an atom of its own.

    The assumptions about the program's parameters (`Function.assumed`) count as facts, and so does what the checks
    at its beginning let through.
    """

    def __init__(self, function: Function, *, hopeful: bool = False) -> None:
        self.function = function
        self.hopeful = hopeful
        self.definitions: dict[Value, Node] = {}
        self.origin: dict[Value, tuple[Operand, Operand]] = {}
        self.carried_together: dict[Value, list[Value]] = {}
        """For an array that a loop carries: all arrays that it carries."""
        self.loops: dict[Value, For] = {}
        """The loops, by their indices."""
        self.carried: dict[Value, Value] = {}
        """For a loop's result: what carries it through the loop."""
        self.found: dict[Value, Shape] = {}
        self.alignments: list[Apply] = []
        """Alignments whose result has a shape that nothing else tells."""
        self.appended: dict[Value, list[Operand]] = {}
        self.fixed: set[Atom] = {*function.body.parameters, *outside_loops(function.body)}
        parameters = function.body.parameters
        self.entries: dict[Value, Shape] = {}
        for position, shape in function.assumed.items():
            known = self.entries if isinstance(parameters[position].type, List) else self.found
            known[parameters[position]] = tuple(self._in_this_program(extent, parameters) for extent in shape)
        self.parameters = frozenset(parameters)
        given = given_to(function)
        self.relations = KnownRelations(given, facts_on_entry(function))
        for parameter in given if self.relations.equations else ():
            if isinstance(parameter.type, Array) and parameter not in self.found:
                self.found[parameter] = tuple(map(self.relations.resolved, unknown_shape(parameter)))
        for node in walk(function.body):
            self._read(node)
        self.growing = growing(function.body)
        for value in self.growing:
            del self.definitions[value]  # its extent is not what it was made with
        for node in function.body.nodes:  # before loops divide the same lengths
            if isinstance(node, Apply) and quotient(node.result, self.definitions) is not None:
                self._integer(node.result)
        for value in (*self.origin, *self._entries()):  # before anything that is computed from them
            if isinstance(value.type, Array):
                self.of(value)

    def draft(self) -> Shapes:
        """A copy for a transformation, which may add the shapes of new values to it."""
        own = copy.copy(self)
        own.found, own.definitions = dict(self.found), dict(self.definitions)
        own.alignments = list(self.alignments)
        own.relations = self.relations.draft()
        return own

    def _read(self, node: Node) -> None:
        match node:
            case Apply() | View() | Load():
                self.definitions[node.result] = node
            case Append(buffer=buffer, value=value):
                self.appended.setdefault(buffer, []).append(value)
            case If():
                for result, *yields in zip(node.results, node.then.yields, node.orelse.yields, strict=True):
                    self.origin[result] = (yields[0], yields[1])
            case For() | While():
                skip = 1 if isinstance(node, For) else 0
                if isinstance(node, For):
                    self.loops[node.body.parameters[0]] = node
                parts = (node.results, node.inits, node.body.parameters[skip:], node.body.yields)
                for result, init, parameter, last in zip(*parts, strict=True):
                    self.origin[parameter] = (init, last)
                    self.origin[result] = (init, last)
                    self.carried[result] = parameter
                carried = zip(node.body.parameters[skip:], node.inits, strict=True)
                begun = [parameter for parameter, init in carried if _is_array(init)]
                self.carried_together.update(dict.fromkeys(begun, begun))
                if isinstance(node, While):
                    for parameter, other in zip(node.body.parameters, node.condition.parameters, strict=True):
                        self.origin[other] = (parameter, parameter)
            case _:
                pass

    def of(self, value: Value) -> Shape:
        """The shape of an array value."""
        assert isinstance(value.type, Array)
        for each in chain_to(value, self.definitions, self.found):  # a long chain would be a deep recursion
            if _is_array(each):
                self.found[each] = unknown_shape(each)
                self.found[each] = self._shape(each) or unknown_shape(each)
        return self.found[value]

    def of_operand(self, operand: Operand | None) -> Shape | None:
        """The shape of an array, of a constant table too; None for anything else."""
        if _is_array(operand):
            return self.of(operand)
        return None if operand is None else shape_of_table(operand)

    def shapes_of_arguments(self, handed: Sequence[Operand]) -> ParameterShapes:
        """The shapes of a call's arguments, as far as they can be expressed in the arguments' own extents and numbers."""
        shapes: dict[int, Shape] = {}
        names: dict[Atom, ParameterExtent] = {}
        for position, operand in enumerate(handed):
            if isinstance(operand, Value) and isinstance(operand.type, Scalar):
                names.setdefault(operand, ParameterExtent(position))
            elif isinstance(operand, Value) and isinstance(operand.type, List):
                shapes[position] = self._of_entries(operand) or ()
            elif _is_array(operand):
                shapes[position] = self.of(operand)
        for position, shape in shapes.items():
            for axis, extent in enumerate(shape if _is_array(handed[position]) else ()):
                for atom in extent.terms:
                    if extent == variable(atom):
                        names.setdefault(atom, ParameterExtent(position, axis))
        return {
            position: tuple(extent.rename(names.__getitem__) for extent in shape)
            for position, shape in shapes.items()
            if shape and all(atom in names for extent in shape for atom in extent.terms)
        }

    def keep_in_loops(self) -> bool:
        """Whether no loop changes the shape of an array that it carries."""
        return all(self.of(each) == self.of_operand(self.origin[each][0]) for each in self.carried_together)

    def _in_this_program(self, extent: Affine, parameters: Sequence[Value]) -> Affine:
        """An extent over `ParameterExtent` atoms, in atoms of this program."""
        total = Affine(extent.const)
        for atom, coefficient in extent.terms.items():
            assert isinstance(atom, ParameterExtent)
            value, axis = parameters[atom.position], atom.axis
            total += (variable(value) if axis is None else self.of(value)[axis]).scale(coefficient)
        return total

    def same(self, one: Operand, other: Operand) -> bool:
        """Whether the two certainly have the same shape."""
        if not (isinstance(one, Value) and isinstance(other, Value)):
            return False
        if (
            not (isinstance(one.type, Array) and isinstance(other.type, Array))
            or one.type.ndim != other.type.ndim
        ):
            return False
        return self.of(one) == self.of(other)

    def equal(self, one: Operand, other: Operand) -> bool:
        """Whether two integers are surely equal."""
        return self.length(one) == self.length(other)

    def length(self, operand: Operand) -> Affine:
        """The value of an integer as an expression, in which extents are replaced by what is known of them."""
        return self._resolved(self._integer(operand))

    def stores_same(self, store: Store) -> bool:
        """Whether the value of a store to a part of an array certainly has the shape of that part."""
        value, buffer = store.value, store.buffer
        if not isinstance(value, Value) or not isinstance(value.type, Array):
            return False
        if len(store.index) == 1 and isinstance(store.index[0], Dots):
            return self.same(value, buffer)
        own = self.of(value)
        part = self.of_view(View(value, buffer, store.index, store.loc), store)
        return part is not None and part == own

    def broadcasts_surely(self, node: Apply) -> bool:
        """Whether it is known how the operands of an elementwise operation broadcast."""
        return self._broadcast(node) is not None

    def _shape(self, value: Value) -> Shape | None:
        if value in self.origin:
            return self._agreed(value)
        match self.definitions.get(value):
            case View() as view:
                return self.of_view(view)
            case Load(result=entry, buffer=Value(type=List()) as buffer):
                return self._of_entry(entry, buffer)
            case Load() as part:  # what a rule reads of an array becomes a view later
                return self.of_view(part)
            case Apply() as node:
                return self._of_apply(node)
            case _:
                return None

    def _agreed(self, value: Value) -> Shape | None:
        """The shape of a branch's or a loop's value if both sides agree, assuming it for uses of the value itself.

        Where one side leaves the value unassigned, the other side alone determines the shape.
        """
        first, second = self.origin[value]
        if value in self.carried_together:
            self._settle(self.carried_together[value])
            return self.found[value]
        self.of_operand(self.carried.get(value))  # first the shape of the parameter that carries the result
        if first is UNDEFINED:
            shape = self._of_fixed(next(self._leaves(second, {value}), None))
        else:
            shape = self.of_operand(first)
        return shape if shape is None or second is UNDEFINED else self._assumed(value, shape, [second])

    def _settle(self, carried: Sequence[Value]) -> None:
        """Find the shapes of carried arrays: assume the initial shapes, and drop those that an iteration changes."""
        begins = ((value, self.of_operand(self.origin[value][0])) for value in carried)
        kept = {value: shape for value, shape in begins if shape is not None}
        while True:
            self.found.update(kept)
            if self.hopeful:
                return
            before = self.draft()
            lost = [value for value, shape in kept.items() if self.of_operand(self.origin[value][1]) != shape]
            if not lost:
                return
            self._forget(before)
            for value in lost:
                self.found[value] = unknown_shape(value)
                del kept[value]

    def _leaves(self, operand: Operand, met: set[Value]) -> Iterator[Value]:
        """The arrays that branches and loops choose the operand from, except those already `met`."""
        if not _is_array(operand) or operand in met:
            return
        met.add(operand)
        if operand not in self.origin:
            yield operand
        for side in self.origin.get(operand, ()):
            yield from self._leaves(side, met)

    def _assumed(self, value: Value, shape: Shape, others: Sequence[Operand]) -> Shape | None:
        """The shape, if all others have it too where `value` is taken to have it."""
        self.found[value] = shape  # to be confirmed: shapes that depend on this value use the assumption
        before = self.draft()
        if all(_is_array(each) and self.of(each) == shape for each in others):
            return shape
        self._forget(before)
        return None

    def _forget(self, before: Shapes) -> None:
        """Go back to what was found before something was assumed that does not hold."""
        self.found.clear()  # the same dictionary and relations, which others are reading
        self.found.update(before.found)
        self.relations.forget(before.relations)
        self.alignments = before.alignments

    def _entries(self) -> list[Value]:
        return [value for value, node in self.definitions.items() if isinstance(node, Load)]

    def _of_entry(self, entry: Value, buffer: Value) -> Shape | None:
        """The shape of a list's entry if all appended arrays have it, assuming it for the entry itself."""
        if buffer in self.entries:
            return None if buffer in self.appended else self.entries[buffer]
        shape = self._of_first(buffer)
        return None if shape is None else self._assumed(entry, shape, self.appended[buffer][1:])

    def _of_entries(self, buffer: Value) -> Shape | None:
        """The shape of all entries of a list."""
        shape = self._of_first(buffer)
        alike = all(_is_array(each) and self.of(each) == shape for each in self.appended.get(buffer, ()))
        return shape if alike else None

    def _of_first(self, buffer: Value) -> Shape | None:
        """The shape of the array that is appended to a list first, if no loop may change it."""
        if not all(isinstance(self.definitions.get(each), Apply) for each in self.appended):
            return None  # a list that has another name
        first, *_ = self.appended.get(buffer, (None,))
        return self._of_fixed(first)

    def _of_fixed(self, operand: Operand | None) -> Shape | None:
        """The shape of an array, if it is the same all through the program."""
        shape = self.of_operand(operand)
        fixed = shape is not None and all(self._is_fixed(atom) for extent in shape for atom in extent.terms)
        return shape if fixed else None

    def _is_fixed(self, atom: Atom) -> bool:
        """Whether an extent is the same all through the program."""
        return (atom.value if isinstance(atom, Extent) else atom) in self.fixed

    def _of_apply(self, node: Apply) -> Shape | None:
        result, operands = node.result, node.operands
        assert isinstance(result.type, Array)
        changed = operand_alike(node, self.definitions)
        if changed is not None:
            return self.of(changed)
        if node.function is aligned:
            return self._of_aligned(node)
        if node.function is stretched:
            return self.lengths_of(operands[1])
        if node.function is np.reshape:
            found = self.lengths_of(operands[1])
            return found if found and all(map(self.relations.is_nonnegative, found)) else None
        if is_elementwise(node):
            return self._broadcast(node)
        if kind(node.function) is Kind.NEW or node.function in (np.eye, np.identity):
            return tuple(
                self._resolved(dim(result, axis, self.definitions)) for axis in range(result.type.ndim)
            )
        surely = self.relations.is_nonnegative
        return shape_returned(node, self.definitions, self.of_operand, self._count, surely)

    def undecided(self, node: Apply) -> list[Affine]:
        """The differences of extents whose signs would tell the shapes of what a call returns."""
        return undecided(node, self.of_operand, self._count, self.relations.is_nonnegative)

    def _count(self, count: Operand) -> Affine | None:
        """A number of entries, if it is a whole number that is not negative."""
        length = self._integer(count) if type_of(count) == INT else None
        return length if length is not None and self.relations.is_nonnegative(length) else None

    def lengths_of(self, lengths: Operand) -> Shape | None:
        """The shape that an operand spells: the shape of an array, or a tuple of lengths."""
        made = self.definitions.get(lengths) if isinstance(lengths, Value) else None
        if not isinstance(made, Apply):
            return None
        if made.function is np.shape:
            return self.of_operand(made.operands[0])
        if made.function is not tuple:
            return None
        return tuple(map(self._integer, made.operands))

    def _integer(self, operand: Operand) -> Affine:
        """An integer as an affine expression, with known extents of arrays substituted."""
        return self._resolved(to_affine(operand, self.definitions))

    def _resolved(self, length: Affine) -> Affine:
        """The length with known extents of arrays substituted."""
        total = Affine(length.const)
        for atom, coefficient in length.terms.items():
            if isinstance(atom, Extent) and isinstance(atom.value.type, Array):
                extent = self.of(atom.value)[atom.axis]
            elif isinstance(atom, Value):
                extent = integer_of(atom, self.definitions, self._integer, self.relations)
            else:
                extent = variable(atom)
            total += extent.scale(coefficient)
        return self.relations.resolved(total)

    def _of_aligned(self, node: Apply) -> Shape | None:
        """The shape of `aligned(x, like)`, where `x` was broadcast to make `like`: the last axes of `like`."""
        array, like = node.operands
        assert isinstance(node.result.type, Array)
        if not isinstance(like, Value):
            return None
        waiting, seen = [like], {like}
        while waiting:
            made = self.definitions.get(waiting.pop())
            if isinstance(made, Apply) and (made.function is aligned or is_elementwise(made)):
                if array in made.operands:
                    shape = self.of(like)
                    return shape[len(shape) - node.result.type.ndim :]
                parts = made.operands[:1] if made.function is aligned else made.operands
                waiting += [each for each in parts if _is_array(each) and each not in seen]
                seen.update(waiting)
        return self._joint(node)

    def _joint(self, node: Apply) -> Shape:
        """The shape of an array aligned to another; arrays aligned to the same shapes share one result shape."""
        pair = [self.of_operand(operand) for operand in node.operands]
        for other in self.alignments:
            if other.result in self.found and pair in self._pairs(other):
                return self.of(other.result)
        self.alignments.append(node)
        return unknown_shape(node.result)

    def _pairs(self, node: Apply) -> list[list[Shape | None]]:
        """The shapes of two arrays, either way round if they have as many axes."""
        pair = [self.of_operand(operand) for operand in node.operands]
        ranks = {len(shape) for shape in pair if shape is not None}
        return [pair, pair[::-1]] if len(ranks) == 1 else [pair]

    def _broadcast(self, node: Apply) -> Shape | None:
        """The shape of an elementwise result, if broadcasting certainly stretches nothing unknown."""
        if any(isinstance(type_of(operand), Tuple) for operand in node.operands):
            return None  # `np.where` makes an array of it
        known = map(self.of_operand, node.operands)
        shapes = sorted((shape for shape in known if shape is not None), key=len)
        if not shapes:
            return None
        longest = list(shapes[-1])
        for shape in shapes[:-1]:
            for axis in range(1, len(shape) + 1):
                here, there = shape[-axis], longest[-axis]
                if here in (there, ONE):
                    continue
                if there != ONE:
                    return None
                longest[-axis] = here
        return tuple(longest)

    @cached_property
    def places(self) -> Places:
        """What is known of integers at each node."""
        return places_of(self.function)

    def _surely(self, node: Node) -> Callable[[Affine], bool]:
        """Whether an expression is proved not to be negative at a node: by relations between extents, or the loops around it."""

        def surely(length: Affine) -> bool:
            if self.relations.is_nonnegative(length):
                return True
            if not any(isinstance(atom, Value) for atom in length.terms) or node not in self.places.places:
                return False
            if not self.places.context(node):
                return False
            return self.contradict([at_least(-length, 1)], node)

        return surely

    def contradict(self, constraints: Iterable[Constraint], node: Node) -> bool:
        """Whether constraints on integers surely do not hold together at a node, by relations between extents and the loops around it."""
        relations, places = self.relations, self.places
        known = [equal(variable(atom), solved) for atom, solved in relations.equations.items()]
        context = places.context(node) if node in places.places else []

        def in_counters(length: Affine) -> Affine:
            total = Affine(length.const)
            for atom, times in length.terms.items():
                total += (places.affine(atom) if isinstance(atom, Value) else variable(atom)).scale(times)
            return total

        own = [Constraint(in_counters(each.affine), each.equal) for each in constraints]
        return infeasible(places.with_facts([*known, *relations.inequalities, *context, *own]))

    def is_nonnegative_at(self, operand: Operand, node: Node) -> bool:
        """Whether an integer is proved not to be negative at a node."""
        return self._surely(node)(self._integer(operand))

    def exceeds_at(self, one: Operand, other: Operand, distance: int, node: Node) -> bool:
        """Whether an integer is proved to be at least so much greater than another at a node."""
        return self._surely(node)(self._integer(other) - self._integer(one) - distance)

    def of_view(self, view: View | Load, node: Node | None = None) -> Shape | None:
        """The shape of a view by basic indexing, None of what arrays of indices choose, as far as its slices can be counted; for a store, of the part at that `node`."""
        surely = self._surely(node or view)
        whole = self.of_operand(view.buffer)
        if whole is None:
            return None
        base = list(whole)
        shape: list[Affine] = []
        match view.index:
            case (Slice(None, Value() | Const() as stop, None),) if self._is_of_growing_array(base[0]):
                return (to_affine(stop, self.definitions),)
            case _:
                pass
        for place, item in enumerate(view.index):
            match item:
                case NewAxis():
                    shape.append(ONE)
                case Slice():
                    own = Extent(view.result, len(shape)) if node is None else None  # a part has no name
                    divided = partial(self._divided, own=own)
                    length = length_of(item, base.pop(0), self._integer, surely, divided)
                    if length is None:
                        return None
                    nonnegative = self._not_negative(length, own, surely)
                    if nonnegative is None:
                        return None
                    shape.append(nonnegative)
                case Dots():
                    behind = sum(not isinstance(each, NewAxis) for each in view.index[place + 1 :])
                    shape += base[: len(base) - behind]
                    base = base[len(base) - behind :]
                case _:
                    if not base or not isinstance(type_of(item), Scalar):
                        return None
                    base.pop(0)
        return (*shape, *base)

    def _divided(self, length: Affine, divisor: int, own: Atom | None) -> Affine | None:
        """What `length // divisor` comes to, the extent `own`; None where only the loops around it tell that it is not negative.

        No extent is taken to be negative anywhere, also where those loops do not run.
        """
        return (
            self.relations.quotient(length, divisor, own) if self.relations.is_nonnegative(length) else None
        )

    def _not_negative(
        self, length: Affine, own: Atom | None, surely: Callable[[Affine], bool]
    ) -> Affine | None:
        """The length of a slice; where it is not proved not to be negative, an atom that all slices of this length have in common.

        That is the extent of the first of them, its `own`; None if none of them has a name.
        """
        if not length.terms or self.is_count(length) or surely(length):
            return length
        if own is None:
            known = self.relations.clips.get(length.key)
            return None if known is None else variable(known)
        return self.relations.clipped(length, own)

    def is_count(self, length: Affine) -> bool:
        """Whether a length is surely not negative, anywhere in the program."""
        return length.key in self.made or self.relations.is_nonnegative(length)

    @cached_property
    def made(self) -> frozenset[Hashable]:
        """The keys of the extents of arrays that each run has, as arguments or made: these are not negative, or the program raises."""
        lengths = (
            self.relations.resolved(dim(node.result, axis, self.definitions))
            for node in self.function.body.nodes
            if isinstance(node, Apply) and kind(node.function) is Kind.NEW and _is_array(node.result)
            for axis in range(len(unknown_shape(node.result)))
        )
        of_parameters = (self.found.get(parameter, ()) for parameter in self.function.body.parameters)
        return frozenset(length.key for length in itertools.chain(lengths, *of_parameters))

    def _is_of_growing_array(self, extent: Affine) -> bool:
        """Whether the extent is that of a growing array: slices of such an array always end within it."""
        return any(extent == variable(Extent(value, 0)) for value in self.growing)


def _is_array(operand: Operand | None) -> TypeGuard[Value]:
    return isinstance(operand, Value) and isinstance(operand.type, Array)
