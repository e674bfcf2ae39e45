"""Assume relations between extents of the arguments that hold at a call, and check them on entry.

`p[:, 0:1] * m` broadcasts in one of several ways unless it is known that `p` has at least one column and `m` as many
rows as `p`. The arrays of a call show such relations. A specialisation takes those for granted that make broadcasting
and slicing certain, after one check at its beginning; a call with other relations gets another specialisation.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import TypeGuard

import numpy as np

from backsweep.analysis.integers.affine import (
    Affine,
    Atom,
    Constraint,
    Dim,
    Shape,
    literal,
    quotient,
    to_affine,
    variable,
)
from backsweep.analysis.integers.extents import Shapes, hoped_shapes, shapes_of
from backsweep.analysis.integers.guards import (
    KnownRelations,
    checks_on_entry,
    facts_on_entry,
    given_to,
    parts_end,
    parts_on_entry,
)
from backsweep.analysis.integers.relations import (
    Quantity,
    Relation,
    Relations,
    Seen,
    by_parameter,
    message_of,
)
from backsweep.analysis.integers.small import is_product, is_small_product, is_small_system, is_system
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    Apply,
    Block,
    Const,
    For,
    Function,
    If,
    NewAxis,
    Operand,
    Raise,
    Slice,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.operations import operation
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, INT, Array
from backsweep.ir.walk import walk, with_body, with_nodes
from backsweep.legalise.arrays.neighbours import stencil_margins
from backsweep.rules.declare import is_elementwise
from backsweep.runtime.broadcasting import aligned, sum_to

_MOST_ROUNDS = 6
"""Relations that are found make further extents known; few programs need a third round."""
_MOST_LOOPS = 4
"""How many loops are followed from an index to the extent that it runs to."""


def check_on_entry(function: Function, relations: Relations) -> Function:
    """The typed program behind a check that raises ValueError unless the relations hold.

    What its own checks on entry say already, as those of an emitted program do, is not checked again.
    """
    given = _named(function)
    if relations:
        known = KnownRelations(list(given.values()), facts_on_entry(function))
        divided = _divided_on_entry(function)
        relations = tuple(each for each in relations if not _is_known(each, given, divided, known))
    if not relations:
        return function
    builder = Builder(loc=function.loc)
    extents: dict[Quantity, Operand] = {}
    order = list(given)
    for quantity in sorted(
        {each for relation in relations for each, _ in relation.terms},
        key=lambda each: (order.index(each.name), each.axis, each.divisor),
    ):
        extents[quantity] = _read(builder, given[quantity.name], quantity, extents)
    for group in by_parameter(relations):
        failed = _any(builder, [_fails(builder, relation, extents) for relation in group])
        with builder.block() as wrong:
            builder.add(Raise(Const(ValueError), (Const(message_of(group)),), function.loc))
        builder.add(If(failed, wrong.finish(), Block((), (), ()), (), function.loc))
    first, rest = function.body.nodes[: parts_end(function)], function.body.nodes[parts_end(function) :]
    return with_body(function, with_nodes(function.body, [*first, *builder.current.nodes, *rest]))


def _is_known(
    relation: Relation, given: Mapping[str, Value], divided: Mapping[Hashable, Value], known: KnownRelations
) -> bool:
    """Whether the relation follows from what is known; `divided` has what the program's own checks divide."""
    total = Affine(relation.const)
    for quantity, times in relation.terms:
        atom = _atom(given[quantity.name], quantity.axis)
        if quantity.divisor > 1:
            found = divided.get((variable(atom).key, quantity.divisor))
            if found is None:
                return False
            atom = found
        total += variable(atom).scale(times)
    rest = known.resolved(total)
    return rest == Affine() if relation.equal else known.is_nonnegative(rest)


def _divided_on_entry(function: Function) -> dict[Hashable, Value]:
    """What the checks at the beginning divide by a number, by the dividend and that number."""
    nodes = function.body.nodes[: checks_on_entry(function)]
    definitions = {node.result: node for node in nodes if isinstance(node, Apply)}
    found = {value: quotient(value, definitions) for value in definitions}
    return {
        (to_affine(each.whole, definitions).key, each.by): value
        for value, each in found.items()
        if each is not None and each.rounds_down
    }


def _read(
    builder: Builder, parameter: Value, quantity: Quantity, extents: Mapping[Quantity, Operand]
) -> Operand:
    """The value of a quantity; some have been read."""
    whole = extents.get(quantity.whole)
    if whole is None:
        whole = parameter if quantity.axis < 0 else builder.extent(parameter, quantity.axis)
    if quantity.divisor == 1:
        return whole
    return builder.apply(operator.floordiv, whole, Const(quantity.divisor), type=INT)


def _fails(builder: Builder, relation: Relation, extents: Mapping[Quantity, Operand]) -> Value:
    """Whether the relation does not hold."""
    one, more, other, rest = relation.sides()
    sides = []
    for terms, const in ((one, more), (other, rest)):
        total: Operand | None = None
        for quantity, times in terms:
            part = extents[quantity]
            if times != 1:
                part = builder.apply(operator.mul, Const(times), part, type=INT)
            total = part if total is None else builder.apply(operator.add, total, part, type=INT)
        if total is None:
            total = Const(const)
        elif const:
            total = builder.apply(operator.add, total, Const(const), type=INT)
        sides.append(total)
    return builder.apply(operator.ne if relation.equal else operator.lt, *sides, type=BOOL)


def _any(builder: Builder, failures: list[Value]) -> Operand:
    """`one or other or ...`."""
    first, *others = failures
    if not others:
        return first
    with builder.block() as orelse:
        orelse.yields = (_any(builder, others),)
    result = builder.value("", BOOL)
    builder.add(If(first, Block((), (), (Const(value=True),)), orelse.finish(), (result,), builder.loc))
    return result


def relations_of_call(function: Function, seen: Seen, *, gathers: bool, sizes: bool) -> Relations | None:
    """The relations that hold in a call with these extents and integers, and without which extents are not certain.

    Where the derivative `gathers`, also those that say which loops are long; with `sizes`, also how many rows and columns
    the matrices have that are small enough to be computed with in loops. None where extents are certain as they are, in every call.
    """
    atoms: dict[Atom, Quantity] = {
        _atom(value, axis): quantity
        for name, value in _named(function).items()
        for axis in _axes(value)
        if (quantity := Quantity(name, axis)) in seen
    }
    numbers = _Numbers(atoms, seen)

    def rounds(shapes_now: Callable[[Function], Shapes]) -> list[Relation]:
        return _found_in_rounds(function, numbers, shapes_now, gathers=gathers, sizes=sizes)

    found = rounds(hoped_shapes)
    if not shapes_of(check_on_entry(function, tuple(found))).keep_in_loops():
        found = rounds(shapes_of)
    if not numbers.asked:
        return None
    return _without_implied(function, found, {quantity: atom for atom, quantity in atoms.items()})


def _found_in_rounds(
    function: Function,
    numbers: _Numbers,
    shapes_now: Callable[[Function], Shapes],
    *,
    gathers: bool,
    sizes: bool,
) -> list[Relation]:
    """The relations that hold in the call, until no more of them make further extents known."""
    places = {quantity: number for number, quantity in enumerate(numbers.atoms.values())}
    found: list[Relation] = []
    for _ in range(_MOST_ROUNDS):
        shapes = shapes_now(check_on_entry(function, tuple(found))).draft()
        numbers.shapes = shapes
        before = len(found)
        wanted = [_wanted(function, shapes, numbers)]
        if sizes:
            wanted.append(_small_matrices(function, shapes, numbers))
        if gathers:
            wanted.append(_long_enough(function, shapes, numbers))
        for fact in chain.from_iterable(wanted):
            rest = Constraint(shapes.relations.resolved(fact.affine), fact.equal).reduced()
            if not rest.affine.terms or (not fact.equal and shapes.relations.is_nonnegative(rest.affine)):
                continue
            terms = sorted(
                ((numbers.known(atom), times) for atom, times in rest.affine.terms.items()),
                key=lambda term: (places[term[0].whole], -term[0].divisor),
            )
            sign = -1 if fact.equal and terms[-1][1] < 0 else 1
            signed = tuple((quantity, sign * times) for quantity, times in terms)
            found.append(Relation(signed, sign * rest.affine.const, fact.equal))
            shapes.relations.add(rest)
        if len(found) == before:
            break
    return found


def _without_implied(function: Function, found: list[Relation], atoms: Mapping[Quantity, Atom]) -> Relations:
    """The relations without bounds that the others imply; equations stay, since extents are computed from them."""
    facts = {
        each: Constraint(
            Affine(each.const, {atoms.get(quantity, quantity): times for quantity, times in each.terms}),
            each.equal,
        )
        for each in found
    }
    for bound in [each for each in found if not each.equal]:
        others = [fact for relation, fact in facts.items() if relation != bound]
        known = KnownRelations(given_to(function), others)
        if known.is_nonnegative(known.resolved(facts[bound].affine)):
            del facts[bound]
    return tuple(facts)


def _named(function: Function) -> dict[str, Value]:
    """The parameters, and the items of those that are tuples, by their names."""
    return {parameter.name: parameter for parameter in function.body.parameters} | parts_on_entry(function)


def _axes(value: Value) -> Iterable[int]:
    """The axes of an array; -1 for an integer."""
    return range(value.type.ndim) if isinstance(value.type, Array) else (-1,) if value.type == INT else ()


def _atom(parameter: Value, axis: int) -> Dim | Value:
    """The atom for a quantity."""
    return parameter if axis < 0 else Dim(parameter, axis)


class _Numbers:
    """What expressions over the extents and integers of a call come to."""

    def __init__(self, atoms: Mapping[Atom, Quantity], seen: Seen) -> None:
        self.atoms = atoms
        self.seen = seen
        self.shapes: Shapes | None = None
        """What is known of the program in this round."""
        self.asked = False
        """Whether anything was uncertain."""

    def of(self, length: Affine) -> int | None:
        """The number that the expression comes to; None where it depends on anything else."""
        total = length.const
        for atom, times in length.terms.items():
            found = self.number(atom)
            if found is None:
                return None
            total += times * found
        return total

    def number(self, atom: Atom) -> int | None:
        """The number that an atom is."""
        quantity = self.quantity(atom)
        if quantity is not None:
            return quantity.number(self.seen)
        length, divisor = self.dividend(atom)
        whole = self.of(length) if length.terms else None
        return None if whole is None else whole // divisor

    def dividend(self, atom: Atom) -> tuple[Affine, int]:
        """What is divided, by which number, for an atom that is a quotient; an empty sum for any other."""
        nothing = Affine(), 1
        return nothing if self.shapes is None else self.shapes.relations.dividends.get(atom, nothing)

    def quantity(self, atom: Atom) -> Quantity | None:
        """What an atom is of what the call is given: an extent, an integer, or how often a number goes into one of these."""
        if isinstance(atom, Quantity):
            return atom
        if atom in self.atoms:
            return self.atoms[atom]
        length, divisor = self.dividend(atom)
        base = next((self.atoms.get(each) for each in length.terms if length == variable(each)), None)
        return None if base is None else replace(base, divisor=divisor)

    def known(self, atom: Atom) -> Quantity:
        """The same of an atom that has a number in this call."""
        quantity = self.quantity(atom)
        assert quantity is not None
        return quantity

    def related(self, length: Affine, *, equal: bool) -> Iterator[Constraint]:
        """The relation that a length, which has a number in this call, is zero or at least zero.

        A quotient such as `(n + 1) // 2` is no quantity: which it is follows from the remainder of `n`, and then the relation.
        """
        if all(self.quantity(atom) is not None for atom in length.terms):
            yield Constraint(length, equal)
        for atom in length.terms:
            whole, divisor = self.dividend(atom) if self.quantity(atom) is None else (Affine(), 1)
            for part in whole.terms:
                base = self.atoms.get(part)
                if base is not None and base.divisor == 1:
                    quotient = replace(base, divisor=divisor)
                    remainder = base.number(self.seen) % divisor
                    yield Constraint(
                        variable(part) - variable(quotient).scale(divisor) - remainder, equal=True
                    )

    def same(self, one: Affine, other: Affine) -> Iterator[Constraint]:
        """The relation that makes two extents broadcast: they are equal, or one of them is 1; none if they do not fit in this call."""
        if one == other:
            return
        self.asked = True
        left, right = self.of(one), self.of(other)
        if left is None or right is None:
            return
        if left == right:
            yield from self.related(one - other, equal=True)
        elif left == 1:
            yield from self.related(one - 1, equal=True)
        elif right == 1:
            yield from self.related(other - 1, equal=True)

    def compared(self, one: Affine, other: Affine) -> Iterator[Constraint]:
        """The relation that two extents are equal which the program compares."""
        are_extents = all(isinstance(atom, Dim) for each in (one, other) for atom in each.terms)
        if one == other or not one.terms or not other.terms or not are_extents:
            return
        self.asked = True
        found = self.of(one)
        if found is not None and found == self.of(other):
            yield from self.related(one - other, equal=True)

    def one(self, extent: Affine) -> Iterator[Constraint]:
        """The relation that an extent is 1."""
        self.asked = self.asked or bool(extent.terms)
        if extent.terms and self.of(extent) == 1:
            yield from self.related(extent - 1, equal=True)

    def nonnegative(self, length: Affine) -> Iterator[Constraint]:
        """The relation that an expression is not negative."""
        self.asked = True
        number = self.of(length)
        if number is not None and number >= 0:
            yield from self.related(length, equal=False)


def _wanted(function: Function, shapes: Shapes, numbers: _Numbers) -> Iterator[Constraint]:
    """The relations that hold in the call and make it certain what a node broadcasts and where its slices end."""
    for node in walk(function.body):
        match node:
            case View() as view:
                yield from _unclipped(view, shapes, numbers)
            case Store(value=Value(type=Array()) as stored):
                part = View(stored, node.buffer, node.index, node.loc)
                yield from _unclipped(part, shapes, numbers)
                found = shapes.of_view(part)
                if found is not None:
                    yield from _agreeing([found, shapes.of(stored)], numbers)
            case Apply(function=operator.ne, operands=(left, right)) if (
                type_of(left) == type_of(right) == INT
            ):
                yield from numbers.compared(shapes.length(left), shapes.length(right))
            case Apply(function=np.reshape, operands=(_, lengths)):
                for length in shapes.lengths_of(lengths) or ():
                    if length.terms and not shapes.relations.is_nonnegative(length):
                        yield from numbers.nonnegative(length)
            case Apply(function=function_) if operation(function_).shapes:
                for length in shapes.undecided(node):
                    yield from numbers.nonnegative(length)
            case Apply(function=function_) if function_ in (aligned, sum_to) or is_elementwise(node):
                yield from _agreeing(_known(node.operands, shapes), numbers)
            case Apply(operands=(Value(type=Array()) as first, *_)) if operation(node.function).joined:
                yield from _joined(node, shapes, numbers)
                if operation(node.function).square:
                    yield from numbers.same(*shapes.of(first)[-2:])
            case Apply(operands=(Value(type=Array()) as first, *_)) if operation(node.function).square:
                yield from numbers.same(*shapes.of(first)[-2:])
            case For() | While():
                for init, last in zip(node.inits, node.body.yields, strict=True):
                    if _is_array(init) and _is_array(last):
                        for one, other in zip(shapes.of(init), shapes.of(last), strict=True):
                            yield from numbers.same(one, other)
            case _:
                pass


def _small_matrices(function: Function, shapes: Shapes, numbers: _Numbers) -> Iterator[Constraint]:
    """The extents of matrices in loops that are so small in the call that they are computed with in loops.

    A product with one vector says less: that of a program tried on a few numbers is meant for many. Parts of arrays, as
    in `turns[i] @ points[i]`, are meant to be small.
    """
    loops = [node for node in walk(function.body) if isinstance(node, For | While)]
    for node in {inner: None for loop in loops for inner in walk(loop.body)}:
        if not (is_product(node) or is_system(node)):
            continue
        arrays = _known(node.operands, shapes)
        known = [[numbers.of(extent) for extent in shape] for shape in arrays]
        numbers.asked = True
        of_matrices = all(len(shape) == 2 and 1 not in shape for shape in known)
        if is_product(node) and not of_matrices and not any(_is_part(each, shapes) for each in node.operands):
            continue
        if (is_small_product if is_product(node) else is_small_system)(*known):
            for extent, number in zip(chain(*arrays), chain(*known), strict=True):
                if extent.terms and number is not None:
                    yield from numbers.related(extent - number, equal=True)


def _known(operands: Iterable[Operand], shapes: Shapes) -> list[Shape]:
    """The shapes of those operands that are arrays."""
    return [shape for each in operands if (shape := shapes.of_operand(each)) is not None]


def _is_part(array: Operand, shapes: Shapes) -> bool:
    """Whether the operand is a vector or matrix of an array with more axes, or computed from such, entry by entry."""
    if not _is_array(array):
        return False
    made = shapes.definitions.get(array)
    if isinstance(made, Apply) and is_elementwise(made):
        return any(_is_part(each, shapes) for each in made.operands)
    return (
        isinstance(made, View)
        and _is_array(made.buffer)
        and len(shapes.of(made.buffer)) > len(shapes.of(array))
    )


def _long_enough(function: Function, shapes: Shapes, numbers: _Numbers) -> Iterator[Constraint]:
    """The relations that loops and slices are longer than the stencils that they read: only then are their adjoints gathered."""
    for length in stencil_margins(function, shapes):
        if not shapes.relations.is_nonnegative(length):
            yield from numbers.nonnegative(length)


def _is_array(operand: object) -> TypeGuard[Value]:
    return isinstance(operand, Value) and isinstance(operand.type, Array)


def _agreeing(known: list[Shape], numbers: _Numbers) -> Iterator[Constraint]:
    """The relations that make it certain how arrays of these shapes broadcast."""
    if len(known) < 2:
        return
    longest = max(known, key=len)
    for shape in known:
        for axis in range(1, len(shape) + 1):
            if len(longest) > 1:
                yield from numbers.one(shape[-axis])
            yield from numbers.same(shape[-axis], longest[-axis])


def _joined(node: Apply, shapes: Shapes, numbers: _Numbers) -> Iterator[Constraint]:
    """The relation between the extents along which a call joins two arrays; one column or row is taken for such."""
    places = operation(node.function).joined
    assert places is not None
    known = _known((node.operands[place] for place in places if place < len(node.operands)), shapes)
    if len(known) < 2 or not all(known):
        return
    for shape in known:
        if len(shape) > 1:
            for extent in shape:
                yield from numbers.one(extent)
    left, right = known
    is_last = len(right) == 1 or operation(node.function).joins_last
    yield from numbers.same(left[-1], right[-1 if is_last else -2])


def _as_far_as_loops(stop: Affine, extent: Affine, shapes: Shapes, numbers: _Numbers) -> Iterator[Constraint]:
    """The relations that slices which end at a loop's index end within the array: the axis is as long as the loop runs."""
    if not any(isinstance(atom, Value) and atom in shapes.loops for atom in stop.terms):
        return
    for _ in range(_MOST_LOOPS):
        indices = [atom for atom in stop.terms if numbers.of(variable(atom)) is None]
        if not indices:
            break
        loop = shapes.loops.get(indices[0]) if isinstance(indices[0], Value) else None
        if loop is None:
            return
        forwards = literal(loop.step) == 1
        bound = shapes.length(loop.stop if forwards else loop.start)
        stop = stop + (bound - variable(indices[0])).scale(stop.terms[indices[0]])
    if len(stop.terms) == 1 and stop.const in (-1, 0, 1):
        yield from numbers.same(Affine(0, stop.terms), extent)


def _unclipped(view: View, shapes: Shapes, numbers: _Numbers) -> Iterator[Constraint]:
    """The relations that leave a view's slices within its buffer."""
    if not _is_array(view.buffer) or any(_is_array(item) for item in view.index):
        return
    extents = list(shapes.of(view.buffer))
    for item in view.index:
        if isinstance(item, NewAxis):
            continue
        if not isinstance(item, Slice | Value | Const) or not extents:
            return
        extent = extents.pop(0)
        if not isinstance(item, Slice) or not (item.step is None or literal(item.step) == 1):
            continue
        start, stop = Affine(), extent
        for end, read in (("start", item.start), ("stop", item.stop)):
            if read is None:
                continue
            place = shapes.length(read)
            place = extent + place if not place.terms and place.const < 0 else place
            start, stop = (place, stop) if end == "start" else (start, place)
        for length in (start, stop - start, extent - stop):
            if not shapes.relations.is_nonnegative(length):
                yield from numbers.nonnegative(length)
        yield from _as_far_as_loops(start, extent, shapes, numbers)
        yield from _as_far_as_loops(stop, extent, shapes, numbers)
