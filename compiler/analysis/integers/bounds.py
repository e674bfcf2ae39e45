"""Find the subscripts that may be out of bounds and the divisors that may be zero, and the earliest place to check each.

A subscript is *proved* where loop bounds, extents and guards leave no iteration in which it is out of bounds. Of the
others, a subscript that each iteration of its loops surely uses is checked before these loops: the constraints under
which it fails are projected on the values known there. The rest are checked at the access. A check goes as early as
possible in its block, so that one check replaces all checks that it implies, and none is made twice.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from backsweep.analysis.integers.affine import (
    Affine,
    Atom,
    Constraint,
    Dim,
    at_least,
    equal,
    infeasible,
    is_integer,
    literal,
    variable,
)
from backsweep.analysis.integers.domains import Counter, Loop, places_of
from backsweep.analysis.integers.extents import Shapes
from backsweep.analysis.integers.failures import (
    Access,
    Check,
    Failure,
    Length,
    Positions,
    as_checks,
    implies,
    is_whole_power,
    projected,
    shares,
)
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Const,
    Dots,
    For,
    Function,
    If,
    Load,
    NewAxis,
    Node,
    Operand,
    Raise,
    Slice,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, List, Scalar
from backsweep.ir.walk import blocks, growing, results, walk
from backsweep.runtime.lists.sequences import shortened
from backsweep.runtime.support.marks import expect_length

Checks = dict[Block, dict[int, list[Check]]]
"""The checks by the block that they stand in and the number of the node that they stand before."""


@dataclass(slots=True, eq=False)
class _Scope:
    """A block that is being read, up to the node number `at`.

    `loop` is the loop whose body it is, if all iterations of that are sure to run to their end. `known` are constraints
    that hold from here to its end, `nonzero` values that are not zero, `failed` the failures that are ruled out.
    """

    block: Block
    loop: Loop | None
    at: int = 0
    known: list[Constraint] = field(default_factory=list)
    nonzero: set[Operand] = field(default_factory=set)
    failed: list[Failure] = field(default_factory=list)


def find_checks(function: Function, shapes: Shapes) -> Checks:
    """The checks that the program needs so that each subscript that is out of bounds raises."""
    finder = _Finder(function, shapes)
    finder.read(function.body, None)
    return finder.checks


class _Finder:
    """Reads a program in its order; `scopes` are the blocks around the place, from the outside in."""

    def __init__(self, function: Function, shapes: Shapes) -> None:
        self.places = places_of(function).draft()
        self.shapes = shapes
        self.checks: Checks = {}
        self.scopes: list[_Scope] = []
        self.born: dict[Value, tuple[_Scope, int]] = {}
        """The scope and the number of the node from which each value in scope is known."""
        self.growing = growing(function.body)
        self.tested: dict[Value, Affine] = {}
        """For each value of a `while` loop's body, the expression of the same value in the loop's test."""
        self.resolved: dict[Atom, Affine] = {}
        self.extents: dict[Atom, list[Value]] = {}
        """The values that the program has of extents."""
        self.lengths: list[tuple[_Scope, Length]] = []
        """The lengths of lists at the places read so far, the latest last."""
        self.appends = any(isinstance(node, Append) for node in walk(function.body))
        self.shortens = any(
            isinstance(node, Apply) and node.function is shortened for node in walk(function.body)
        )

    # Reading the program ---------------------------------------------------------------------

    def read(self, block: Block, loop: Loop | None, nonzero: Iterable[Operand] = ()) -> None:
        """Find the checks of a block, in which the `nonzero` values are not zero, and of the blocks within."""
        scope = _Scope(block, loop, nonzero=set(nonzero))
        self.scopes.append(scope)
        for parameter in block.parameters:
            self.born[parameter] = scope, 0
        for number, node in enumerate(block.nodes):
            scope.at = number
            self._read_node(node)
            for result in results(node):
                self.born[result] = scope, number + 1
        self.scopes.pop()
        for value in [value for value, (where, _) in self.born.items() if where is scope]:
            del self.born[value]

    def _read_node(self, node: Node) -> None:
        match node:
            case For():
                self.read(node.body, node if _runs_through(node) else None)
            case While():
                for one, other in zip(node.condition.parameters, node.body.parameters, strict=True):
                    if one not in self.places.known:
                        self.tested[one] = variable(other)
                self.read(node.condition, None)
                self.read(node.body, node if _runs_through(node) else None)
            case If():
                self.read(node.then, None, self._nonzero(node.condition, holds=True))
                self.read(node.orelse, None, self._nonzero(node.condition, holds=False))
                for arm, holds in ((node.then, False), (node.orelse, True)):
                    if arm.nodes and isinstance(arm.nodes[-1], Raise):
                        self.scopes[-1].known += self.places.condition(node.condition, holds)
                        self.scopes[-1].nonzero.update(self._nonzero(node.condition, holds=holds))
            case Load() | View() | Store() if node.loc.is_checked:
                self._check(node)
            case Apply(
                function=np.take, operands=(Value(type=Array(ndim=1)) as source, index), keywords=()
            ) if node.loc.is_checked:
                read = Load(node.result, source, (index,), node.loc)
                self.places.places[read] = self.places.places[node]
                self._check(read)
            case Apply(function=function, result=Value() as result, operands=(_, divisor)) if (
                kind(function) is Kind.INTEGER_DIVISION and node.loc.by_zero and is_integer(result)
            ):
                if isinstance(divisor, Const) and isinstance(divisor.value, bool):
                    divisor = Const(int(divisor.value))
                    whole = replace(node, operands=(node.operands[0], divisor))
                    self.places.places[whole] = self.places.places[node]
                    node = whole
                if not literal(divisor):
                    self._check(node)
            case Apply(operands=(_, exponent)) if is_whole_power(node) and node.loc.is_checked:
                if literal(exponent) is None:
                    self._check(node)
            case Apply(function=function) if function is expect_length:
                self._check(node)
            case Apply(function=function, result=Value(type=Scalar(dtype="int64")) as result) if kind(
                function
            ) in (Kind.EXTENT, Kind.ITEM):
                terms = self._affine(result)
                for atom in terms.terms:
                    if isinstance(atom, Dim) and terms == variable(atom):
                        self.extents.setdefault(atom, []).append(result)
            case _:
                pass

    # One access ------------------------------------------------------------------------------

    def _check(self, node: Access | Apply) -> None:
        """Find the checks of one access or division; those at the same place are merged."""
        together: dict[int, list[Failure | Positions]] = {}
        within = len(self.scopes) - 1
        if not isinstance(node, Apply):
            failures = self._failures(node)
        else:
            found_by = self._misfits if node.function is expect_length else self._by_zero
            failures = self._negative_powers(node) if is_whole_power(node) else found_by(node)
        for written, failure in failures:
            if isinstance(failure, Positions):
                together.setdefault(within, []).append(failure)
                continue
            if self._is_ruled_out(failure, node):
                continue
            depth, found = self._outermost(failure)
            self.scopes[-1].failed.append(failure)
            if depth < within:
                scope = self.scopes[depth]
                found = self._simplest(found, scope.block.nodes[scope.at])
                scope.failed.append(found)
                own = {atom for each in failure for atom in each.affine.terms if isinstance(atom, Dim)}
                spelled = [Constraint(self._spelled(each.affine), each.equal) for each in found]
                written = tuple(sorted(spelled, key=lambda each: not own.isdisjoint(each.affine.terms)))
            together.setdefault(depth, []).append(written)
        for depth, ways in together.items():
            for check in as_checks(ways, node):
                self._add(self.scopes[depth], check)

    def _by_zero(self, node: Apply) -> Iterator[tuple[Failure, Failure]]:
        """The failure of a division: its divisor is zero."""
        _, divisor = node.operands
        if any(divisor in scope.nonzero for scope in self.scopes):
            return
        plain = variable(divisor) if isinstance(divisor, Value) else self._affine(divisor)
        yield (equal(plain, 0),), (equal(self._affine(divisor), 0),)

    def _negative_powers(self, node: Apply) -> Iterator[tuple[Failure, Failure]]:
        """The failure of a power of whole numbers: its exponent is negative."""
        _, exponent = node.operands
        plain = variable(exponent) if isinstance(exponent, Value) else self._affine(exponent)
        yield (at_least(Affine(-1), plain),), (at_least(Affine(-1), self._affine(exponent)),)

    def _misfits(self, node: Apply) -> Iterator[tuple[Failure, Failure]]:
        """The failure of an unpacking: the array or list has another length than there are variables."""
        items, count = node.operands
        wanted = self._affine(count)
        match type_of(items):
            case List():
                assert isinstance(items, Value)
                length = variable(Length(items, node))
                self.lengths.append((self.scopes[-1], Length(items, node)))
                yield from self._unequal((length, length), (wanted, wanted))
            case Array(ndim=ndim) if ndim:
                yield from self._unequal(self._extent(items, 0), (wanted, wanted))
            case _:
                pass

    def _nonzero(self, condition: Operand, *, holds: bool) -> list[Operand]:
        """The values that are not zero where the condition, or its negation, holds."""
        if isinstance(condition, Value) and is_integer(condition):
            return [condition] if holds else []
        match self.places.definitions.get(condition) if isinstance(condition, Value) else None:
            case Apply(function=function, operands=(value, other)) if literal(other) == 0:
                return [value] if function is (operator.ne if holds else operator.eq) else []
            case Apply(function=operator.not_, operands=(inner,)):
                return self._nonzero(inner, holds=not holds)
            case _:
                return []

    def _failures(self, node: Access) -> Iterator[tuple[Failure, Failure | Positions]]:
        """How each item of the index may fail: in the program's values at this place, and in resolved atoms."""
        buffer = node.buffer
        if buffer in self.growing:
            return
        if isinstance(buffer, Value) and isinstance(buffer.type, List):
            (place,) = node.index
            if isinstance(place, Value | Const) and is_integer(place):
                length = variable(Length(buffer, node))
                self.lengths.append((self.scopes[-1], Length(buffer, node)))
                yield from self._outside(place, length, length)
            return
        ndim = _axes(buffer)
        if ndim is None:
            return
        for item, axis in _taken(node, ndim):
            written, extent = self._extent(buffer, axis)
            match item:
                case Const(value=np.ndarray() as places) if places.dtype.kind in "iu" and places.size:
                    yield from self._outside(Const(int(places.max())), extent, written)
                    yield from self._outside(Const(int(places.min())), extent, written)
                case Value(type=Array(dtype="bool", ndim=width)) | Const(value=np.ndarray(ndim=width)):
                    for number in range(width if _is_mask(item) else 0):
                        yield from self._unequal(
                            self._extent(item, number), self._extent(buffer, axis + number)
                        )
                case Value(type=Array(dtype=dtype)) if dtype.startswith(("int", "uint")):
                    yield (), Positions(item, written)
                case Value() | Const() if is_integer(item):
                    yield from self._outside(item, extent, written)
                case _:
                    pass

    def _extent(self, array: Operand, axis: int) -> tuple[Affine, Affine]:
        """An array's extent: in the program's values at this place, and in resolved atoms."""
        if isinstance(array, Const):
            length = Affine(array.value.shape[axis])
            return length, length
        known = self._resolve(self.shapes.of(array)[axis])
        return known if self._is_known(known.terms) else variable(Dim(array, axis)), known

    def _outside(
        self, item: Value | Const, extent: Affine, written: Affine
    ) -> Iterator[tuple[Failure, Failure]]:
        """The two ways in which an integer is out of bounds: behind the last position, and before the first."""
        position, plain = (
            self._affine(item),
            variable(item) if isinstance(item, Value) else self._affine(item),
        )
        yield (at_least(plain, written),), (at_least(position, extent),)
        yield (at_least(-written, plain + 1),), (at_least(-extent, position + 1),)

    def _unequal(
        self, one: tuple[Affine, Affine], other: tuple[Affine, Affine]
    ) -> Iterator[tuple[Failure, Failure]]:
        """The two ways in which a mask does not have an array's extent: it is shorter, or longer."""
        for (written, known), (written_there, known_there) in ((one, other), (other, one)):
            yield (at_least(written_there, written + 1),), (at_least(known_there, known + 1),)

    # Proving ---------------------------------------------------------------------------------

    def _affine(self, operand: Operand) -> Affine:
        return self._resolve(self.places.affine(operand))

    def _resolve(self, affine: Affine) -> Affine:
        """The expression in terms of loop counters, extents that no other value determines, and other unknown integers."""
        total = Affine(affine.const)
        for atom, times in affine.terms.items():
            if atom not in self.resolved:
                self.resolved[atom] = variable(atom)
                self.resolved[atom] = self._resolve_atom(atom)
            total += self.resolved[atom].scale(times)
        return total

    def _resolve_atom(self, atom: Atom) -> Affine:
        found = variable(atom)
        if isinstance(atom, Dim) and isinstance(atom.value.type, Array) and atom.value not in self.growing:
            found = self.shapes.of(atom.value)[atom.axis]
        elif isinstance(atom, Value):
            found = self.tested.get(atom) or self.places.affine(atom)
        return found if found == variable(atom) else self._resolve(found)

    def _with_facts(self, node: Node, asked: Sequence[Constraint]) -> list[Constraint]:
        """The constraints, with all that is known when the node runs."""
        known = [*self.places.context(node), *(each for scope in self.scopes for each in scope.known)]
        found = [*asked, *(Constraint(self._resolve(each.affine), each.equal) for each in known)]
        return self.places.completed(found, self._facts, self._resolve)

    def _facts(self, atom: Atom) -> list[Constraint]:
        if not isinstance(atom, Length):
            return self.places.facts(atom)
        if self.shortens:
            return [at_least(variable(atom), 0)]
        made = self.places.definitions.get(atom.buffer)
        first = len(made.operands) if isinstance(made, Apply) and made.function is list else 0
        lengths = [
            variable(value)
            for value in self.born
            if isinstance(each := self.places.definitions.get(value), Apply)
            and each.function is len
            and each.operands[0] is atom.buffer
        ]  # no list of this program shrinks
        for scope, before in self.lengths:
            if before == atom:
                break
            if before.buffer is atom.buffer and scope in self.scopes:
                lengths.append(variable(before))
        exact = not self.appends and isinstance(made, Apply) and made.function is list
        whole = variable(atom)
        return [
            equal(whole, Affine(first)) if exact else at_least(whole, first),
            *(at_least(whole, length) for length in lengths),
        ]

    def _is_ruled_out(self, failure: Failure, node: Node) -> bool:
        """Whether the failure cannot happen, or would have raised before."""
        system = self._with_facts(node, failure)
        if infeasible(system):
            return True
        atoms = {atom for each in system for atom in each.affine.terms}
        return any(
            shares(atoms, other) and implies(system, other) for scope in self.scopes for other in scope.failed
        )

    def _simplest(self, failure: Failure, node: Node) -> Failure:
        """The failure without the constraints that follow from its others, or from what is known at the node."""
        found = list(failure)
        for each in failure:
            rest = [other for other in found if other is not each]
            if rest and implies(self._with_facts(node, rest), (each,)):
                found = rest
        return tuple(found)

    # Placing ---------------------------------------------------------------------------------

    def _outermost(self, failure: Failure) -> tuple[int, Failure]:
        """The nesting depth of the outermost block that can test for the failure, and the failure in that block's values."""
        depth, found = len(self.scopes) - 1, failure
        best = depth, found
        while depth and (loop := self.scopes[depth].loop) is not None:
            outer = self._before(loop, found)
            if outer is None:
                break
            depth, found = depth - 1, outer
            atoms = [atom for each in found for atom in self._spelled(each.affine).terms]
            if self._is_known(atoms):
                best = depth, found
        return best

    def _before(self, loop: Loop, failure: Failure) -> Failure | None:
        """The constraints that hold before the loop if an iteration of it fails; None if they cannot be computed."""
        counter = Counter(loop)
        bounds = [at_least(variable(counter), 0)]
        if isinstance(loop, For):
            bounds = self.places.bounds(loop)
            if len(bounds) == 1:
                return None
        else:
            test = self.places.condition(loop.condition.yields[0], holds=True)
            if (
                len(test) != 1
                or test[0].equal
                or loop.condition.nodes[-1:]
                != (
                    self.places.definitions.get(loop.condition.yields[0]),  # type: ignore[arg-type]
                )
            ):
                return None
            bounds += test
        bounds = [Constraint(self._resolve(each.affine), each.equal) for each in bounds]
        if any(each.affine.terms.get(counter, 0) >= 0 for each in bounds[1:]):
            return None  # it does not end with the iterations in which the bound holds
        found = projected([*bounds, *failure], counter)
        if found is None:
            return None
        within = len(self.places.places[loop].loops)
        atoms = [atom for each in found for atom in each.affine.terms]
        return found if all(self._depth(atom) <= within for atom in atoms) else None

    def _depth(self, atom: Atom) -> int:
        return len(self.scopes) if isinstance(atom, Length) else self.places.depth(atom)

    def _is_known(self, atoms: Iterable[Atom]) -> bool:
        """Whether all atoms are values that the program has at this place."""
        return all(_value(atom) in self.born for atom in atoms)

    def _spelled(self, affine: Affine) -> Affine:
        """The expression with loop indices in place of iteration counters, for loops with a step of one."""
        total = Affine(affine.const)
        for atom, times in affine.terms.items():
            total += self._counted(atom).scale(times)
        return total

    def _counted(self, atom: Atom) -> Affine:
        """A counter in terms of its loop's index and start; any other atom as it is."""
        counter = variable(atom)
        if not isinstance(atom, Counter) or not isinstance(atom.loop, For):
            return counter
        index = atom.loop.body.parameters[0]
        place = self.places.affine(index)
        step = place.terms.get(atom, 0)
        if abs(step) != 1:
            return counter
        start = place - counter.scale(step)
        return (variable(index) - self._spelled(start)).scale(step)

    def _earliest(self, scope: _Scope, check: Check) -> int:
        """The number of the first node of the scope before which the check may stand."""
        at = self._barrier(scope)
        if any(isinstance(each, Positions) for each in check.ways):
            return scope.at
        for atom in check.atoms:
            value = _value(atom)
            if value is None or isinstance(atom, Length):
                return scope.at
            where, number = self.born[value]
            at = max(at, number if where is scope else 0)
        return at

    def _names(self, check: Check, scope: _Scope, at: int) -> dict[Atom, Value]:
        """The program's own values for extents, as far as it has some at that place."""
        found: dict[Atom, Value] = {}
        outside = self.scopes[: self.scopes.index(scope)]
        for atom in check.atoms:
            for value in self.extents.get(atom, ()):
                where, number = self.born.get(value, (None, 0))
                if where in outside or (where is scope and number <= at):
                    found.setdefault(atom, value)
        return found

    def _barrier(self, scope: _Scope) -> int:
        """The position right after the last node before this place that holds a `raise` of the user's: no check moves further up."""
        for number in range(scope.at - 1, -1, -1):
            if _raises(scope.block.nodes[number]):
                return number + 1
        return 0

    def _add(self, scope: _Scope, check: Check) -> None:
        """Add a check before this place; it replaces earlier checks that raise in no other case."""
        there = self.checks.setdefault(scope.block, {})
        at, earliest = scope.at, self._earliest(scope, check)
        system = self._with_facts(scope.block.nodes[at], ())
        for number in [number for number in sorted(there) if number >= earliest]:
            kept = [each for each in there[number] if not self._stands_for(check, each, system)]
            at = min(at, number) if len(kept) < len(there[number]) else at
            there[number] = kept
        there.setdefault(at, []).append(replace(check, names=self._names(check, scope, at)))

    def _stands_for(self, check: Check, other: Check, system: list[Constraint]) -> bool:
        """Whether a check raises wherever the other one does."""

        def resolved(constraints: Iterable[Constraint | Positions]) -> list[Constraint]:
            return [
                Constraint(self._resolve(each.affine), each.equal)
                for each in constraints
                if isinstance(each, Constraint)
            ]

        common, ways = resolved(check.common), resolved(check.ways)
        if len(resolved(other.ways)) < len(other.ways):
            return False
        known = [*system, *resolved(other.common)]
        return all(
            any(implies([*known, one], (*common, each)) for each in ways) for one in resolved(other.ways)
        )


def _value(atom: Atom) -> Value | None:
    """The program's value that the atom is computed from; None for an atom without such a value."""
    match atom:
        case Value():
            return atom
        case Dim(value, _) | Length(value, _):
            return value
        case _:
            return None


def _axes(array: Operand) -> int | None:
    """How many axes an array has; None for an operand that is no array."""
    if isinstance(array, Const):
        return array.value.ndim if isinstance(array.value, np.ndarray) else None
    return array.type.ndim if isinstance(array.type, Array) else None


def _is_mask(item: Value | Const) -> bool:
    """Whether an index array holds truth values."""
    if isinstance(item, Const):
        return bool(item.value.dtype == np.bool_)
    return isinstance(item.type, Array) and item.type.dtype == "bool"


def _taken(node: Access, ndim: int) -> Iterator[tuple[Operand, int]]:
    """The items of an index that take axes, each with the first axis that it takes."""
    items = [item for item in node.index if not isinstance(item, NewAxis)]
    widths = [_width(item) for item in items]
    rest = ndim - sum(widths)
    axis = 0
    for item, width in zip(items, widths, strict=True):
        if not isinstance(item, Slice | Dots):
            yield item, axis
        axis += rest if isinstance(item, Dots) else width


def _width(item: object) -> int:
    """How many axes an item of an index takes."""
    if isinstance(item, Dots):
        return 0
    if isinstance(item, Value | Const) and (_axes(item) or 0) > 1 and _is_mask(item):
        return _axes(item) or 0
    return 1


def _runs_through(loop: Loop) -> bool:
    """Whether each iteration runs to its end and the next one follows, unless a subscript is out of bounds."""
    return loop.exit is None and not _raises(loop)


def _raises(node: Node) -> bool:
    """Whether the node contains a `raise` of the user's."""
    return any(isinstance(each, Raise) for block in blocks(node) for each in walk(block))
