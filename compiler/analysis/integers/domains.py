"""The place of each node in the program, and the constraints on integers that hold whenever the node runs.

A `Place` is a node's position in the text, its enclosing loops and the branches that lead to it.
`Places` reads a function once; `context` gives the constraints that hold at a node: bounds of loop
indices, affine conditions of branches and `while`, and facts of min, max, // and %.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from backsweep.analysis.integers.affine import (
    Affine,
    Atom,
    Constraint,
    Dim,
    Known,
    at_least,
    equal,
    infeasible,
    is_integer_type,
    literal,
    to_affine,
    variable,
)
from backsweep.ir.nodes import Apply, Block, Const, For, Function, If, Node, Operand, Value, While, fact
from backsweep.ir.operations import operation
from backsweep.ir.types import Scalar
from backsweep.ir.walk import growing, results

Loop = For | While


@dataclass(frozen=True, slots=True)
class Counter:
    """The atom for the number of a loop's iteration, from 0."""

    loop: Loop


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition that holds (or fails, where `holds` is False) whenever the node runs."""

    condition: Operand
    holds: bool


@dataclass(frozen=True, slots=True)
class Place:
    """A node's position in the text, its loops and branches from the outside in, its guards."""

    position: int
    loops: tuple[Loop, ...] = ()
    branches: tuple[tuple[If, bool], ...] = ()
    guards: tuple[Guard, ...] = ()


@fact
def places_of(function: Function) -> Places:
    """The places of a program's nodes."""
    return Places(function)


class Places:
    """The places of a function's nodes, its definitions, and affine forms of its integers."""

    def __init__(self, function: Function) -> None:
        self.places: dict[Node, Place] = {}
        self.definitions: dict[Value, Node] = {}
        self.depths: dict[Value, int] = {}
        self.known: Known = {}
        self.integers: set[Atom] = set()
        self._contexts: dict[tuple[object, ...], list[Constraint]] = {}
        self._growing = growing(function.body)
        self._read(function.body, Place(0))

    def draft(self) -> Places:
        """A copy for a transformation that puts new nodes in the places of these."""
        own = copy.copy(self)
        own.places = dict(self.places)
        return own

    def affine(self, operand: Operand) -> Affine:
        """The operand as an affine expression over the program's atoms."""
        return to_affine(operand, self.definitions, self.known)

    def depth(self, atom: Atom) -> int:
        """How many loops enclose the atom's definition: it has one value per iteration of these."""
        match atom:
            case Value():
                return self.depths[atom]
            case Dim(value, _):
                return self.depths[value]
            case Counter(loop):
                return len(self.places[loop].loops) + 1
            case _:
                return 0

    def surely_integer(self, operand: Operand) -> bool:
        """Whether the operand is an integer scalar: by its type or, before types, because a range uses it."""
        if isinstance(operand, Const):
            return literal(operand) is not None
        if operand.type is not None:
            return is_integer_type(operand.type)
        return all(
            isinstance(atom, Dim | Counter)
            or atom in self.integers
            or (isinstance(atom, Value) and is_integer_type(atom.type))
            for atom in self.affine(operand).terms
        )

    def context(self, node: Node) -> list[Constraint]:
        """The constraints that hold at each execution of the node."""
        place = self.places[node]
        key = (*place.loops, *place.guards)
        if key not in self._contexts:
            found: list[Constraint] = []
            for loop in place.loops:
                found += self.bounds(loop)
            for guard in place.guards:
                found += self.condition(guard.condition, guard.holds)
            self._contexts[key] = found
        return self._contexts[key]

    def is_from_front(self, loop: For) -> bool:
        """Whether the loop's index is surely never negative, so that different indices select different elements."""
        index = self.known.get(loop.body.parameters[0])
        if index is None:
            return False
        negative = [*self.context(loop), *self.bounds(loop), at_least(-index, 1)]
        return infeasible(self.with_facts(negative))

    def with_facts(self, constraints: Iterable[Constraint]) -> list[Constraint]:
        """The constraints and the facts of every atom that occurs in them or in such facts."""
        return self.completed(constraints, self.facts, lambda affine: affine)

    def completed(
        self,
        constraints: Iterable[Constraint],
        facts: Callable[[Atom], Iterable[Constraint]],
        resolve: Callable[[Affine], Affine],
    ) -> list[Constraint]:
        """The constraints with the facts of their atoms, as one `resolve`s them, and with the ranges of remainders."""
        found, seen = list(constraints), set[Atom]()

        def complete(start: list[Constraint]) -> list[Constraint]:
            pending = list(start)
            while pending:
                for atom in pending.pop().affine.terms:
                    if atom not in seen:
                        seen.add(atom)
                        new = [Constraint(resolve(each.affine), each.equal) for each in facts(atom)]
                        start += new
                        pending += new
            return start

        complete(found)
        for atom in list(seen):
            if (divisor := self._divisor(atom)) is None:
                continue
            divisor = resolve(divisor)
            found += complete([at_least(divisor, 0)])[1:]
            if infeasible([*found, at_least(-divisor, 1)]):  # zero raises before there is a remainder
                found += [at_least(variable(atom), 0), at_least(divisor, variable(atom) + 1)]
        return found

    def _divisor(self, atom: Atom) -> Affine | None:
        """By what an integer is the remainder, if only the run knows by which."""
        match self.definitions.get(atom) if isinstance(atom, Value) else None:
            case Apply(function=operator.mod, operands=(left, right), loc=loc) if (
                loc.by_zero and self._comparable(left, right)
            ):
                divisor = self.affine(right)
                return divisor if divisor.terms else None
            case _:
                return None

    # Reading the program ---------------------------------------------------------------------

    def _read(self, block: Block, place: Place) -> None:
        """Place each node of the block and of the blocks within."""
        for parameter in block.parameters:
            self.depths[parameter] = len(place.loops)
        for node in block.nodes:
            here = Place(len(self.places), place.loops, place.branches, place.guards)
            self.places[node] = here
            for result in results(node):
                if result not in self._growing:  # of which the extent is not what it was made with
                    self.definitions[result] = node
                self.depths[result] = len(place.loops)
            match node:
                case Apply():
                    self.affine(node.result)  # in program order, so that long chains do not recurse
                case If():
                    self._read_if(node, here)
                case For():
                    self._read_for(node, here)
                case While():
                    self._read_while(node, here)
                case _:
                    pass

    def _read_if(self, node: If, place: Place) -> None:
        """Place the nodes of both branches, each under its guard."""
        for block, holds in ((node.then, True), (node.orelse, False)):
            branches = (*place.branches, (node, holds))
            guards = (*place.guards, Guard(node.condition, holds))
            self._read(block, Place(place.position, place.loops, branches, guards))

    def _read_for(self, node: For, place: Place) -> None:
        """Place the loop's nodes; its index and the integers that it increments become affine in its counter."""
        for bound in (node.start, node.stop, node.step):
            self.integers.update(self.affine(bound).terms)
        index, step = node.body.parameters[0], literal(node.step)
        self.integers.add(index)
        if step and (index.type is None or _signed(index)):
            self.known[index] = self.affine(node.start) + variable(Counter(node)).scale(step)
        inside = Place(place.position, (*place.loops, node), place.branches, place.guards)
        self._induce(node, node.body.parameters[1:], node.body)
        self._read(node.body, inside)

    def _read_while(self, node: While, place: Place) -> None:
        """Place the loop's nodes; those of its body run under its condition."""
        inside = Place(place.position, (*place.loops, node), place.branches, place.guards)
        for block in (node.condition, node.body):
            self._induce(node, block.parameters, node.body)
        self._read(node.condition, inside)
        guards = (*place.guards, Guard(node.condition.yields[0], holds=True))
        self._read(node.body, Place(place.position, inside.loops, place.branches, guards))

    def _induce(self, loop: Loop, parameters: tuple[Value, ...], body: Block) -> None:
        """Make a carried integer that each iteration changes by a constant affine in the counter."""
        carried = body.parameters[-len(parameters) :] if parameters else ()
        definitions = {node.result: node for node in body.nodes if isinstance(node, Apply)}
        rows = zip(parameters, loop.inits, carried, body.yields, strict=True)
        for parameter, start, value, following in rows:
            if not self.surely_integer(start) or not (parameter.type is None or _is_int64(parameter)):
                continue
            change = to_affine(following, definitions, {}) - variable(value)
            if not change.terms:
                self.known[parameter] = self.affine(start) + variable(Counter(loop)).scale(change.const)

    # What is known of atoms ------------------------------------------------------------------

    def bounds(self, loop: Loop) -> list[Constraint]:
        """The counter is not negative, and the index lies before the stop."""
        counter = variable(Counter(loop))
        found = [at_least(counter, 0)]
        if isinstance(loop, For):
            index, step = self.known.get(loop.body.parameters[0]), literal(loop.step)
            if index is not None and step:
                stop = self.affine(loop.stop)
                found.append(at_least(stop, index + 1) if step > 0 else at_least(index, stop + 1))
        return found

    def condition(self, condition: Operand, holds: bool) -> list[Constraint]:
        """The constraints that hold if a condition holds, or does not: it may compare integers and tuples of them, with `and` and `or`."""
        match self.definitions.get(condition) if isinstance(condition, Value) else None:
            case If() as joined:
                number = next(k for k, result in enumerate(joined.results) if result is condition)
                return self._joined(joined, number, holds)
            case Apply(
                function=operator.eq | operator.ne as function, operands=(Value() as one, Value() as other)
            ) if holds is (function is operator.eq) and (pairs := self._pairs(one, other)):
                return [equal(self.affine(left), self.affine(right)) for left, right in pairs]
            case Apply(function=operator.not_, operands=(inner,)):
                return self.condition(inner, not holds)
            case Apply(function=function, operands=(left, right)) if self._comparable(left, right):
                return _compared(function, self.affine(left), self.affine(right), holds)
            case _:
                return []

    def _joined(self, joined: If, number: int, holds: bool) -> list[Constraint]:
        """The constraints of `a and b` where it holds, and of `a or b` where it fails."""
        sides = (joined.then.yields[number], joined.orelse.yields[number])
        absorbing = sides[1 if holds else 0]
        if not isinstance(absorbing, Const) or absorbing.value is not (not holds):
            return []
        other = sides[0 if holds else 1]
        return self.condition(joined.condition, holds) + self.condition(other, holds)

    def _pairs(self, one: Value, other: Value) -> list[tuple[Operand, Operand]]:
        """The items of two tuples of as many integers, which are equal where the tuples are."""
        made = self.definitions.get(one), self.definitions.get(other)
        items = [node.operands for node in made if isinstance(node, Apply) and node.function is tuple]
        if len(items) < len(made) or len(items[0]) != len(items[1]):
            return []
        found = list(zip(*items, strict=True))
        return found if all(self._comparable(*pair) for pair in found) else []

    def _comparable(self, left: Operand, right: Operand) -> bool:
        """Whether both sides are integers that compare exactly, without a conversion that changes a value."""
        sides = (left, right)
        return all(
            self.surely_integer(side) and (isinstance(side, Const) or side.type is None or _signed(side))
            for side in sides
        )

    def facts(self, atom: Atom) -> list[Constraint]:
        """What is always true of an atom: an extent's sign, an integer's definition by min, max, // or %."""
        if isinstance(atom, Dim):
            return [at_least(variable(atom), 0)]
        if not isinstance(atom, Value):
            return []
        if isinstance(atom.type, Scalar) and atom.type.dtype.startswith("uint"):
            return [at_least(variable(atom), 0)]
        match self.definitions.get(atom):
            case Apply(function=function, operands=(left, right)) if self._comparable(left, right):
                found = _defined(function, variable(atom), self.affine(left), self.affine(right))
                least, most = self._limit(atom, max), self._limit(atom, min)
                if function is min and least is not None:
                    found.append(at_least(variable(atom), least))
                if function is max and most is not None:
                    found.append(at_least(Affine(most), variable(atom)))
                return found
            case _:
                return []

    def _limit(self, operand: Operand, by: Callable[[list[int]], int]) -> int | None:
        """A number that the integer is not below, if `by` is `max`, or not above, if it is `min`: as in `min(max(i, 0), 5)`."""
        if isinstance(operand, Const):
            return operand.value if type(operand.value) is int else None
        match self.definitions.get(operand):
            case Apply(function=function, operands=(left, right)) if function in (
                min,
                max,
            ) and self._comparable(left, right):
                found = [self._limit(left, by), self._limit(right, by)]
                known = [each for each in found if each is not None]
                if function is by:
                    return by(known) if known else None
                other = min if by is max else max
                return other(known) if len(known) == 2 else None
            case _:
                return None


def _signed(value: Value) -> bool:
    """Whether the value is a signed integer."""
    return isinstance(value.type, Scalar) and value.type.dtype.startswith("int")


def _is_int64(value: Value) -> bool:
    """Whether arithmetic on the value is plain integer arithmetic."""
    return value.type == Scalar("int64")


def _compared(function: object, left: Affine, right: Affine, holds: bool) -> list[Constraint]:
    """`left function right`, or its negation, as a constraint; `!=` says nothing."""
    relation = function if holds else operation(function).negation
    if relation is operator.lt:
        return [at_least(right, left + 1)]
    if relation is operator.le:
        return [at_least(right, left)]
    if relation is operator.gt:
        return [at_least(left, right + 1)]
    if relation is operator.ge:
        return [at_least(left, right)]
    return [equal(left, right)] if relation is operator.eq else []


def _defined(function: object, result: Affine, left: Affine, right: Affine) -> list[Constraint]:
    """The constraints that `result = function(left, right)` puts on integers."""
    if function is min:
        return [at_least(left, result), at_least(right, result)]
    if function is max:
        return [at_least(result, left), at_least(result, right)]
    if right.terms or right.const <= 0:
        return []
    if function is operator.floordiv:
        remainder = left - result.scale(right.const)
        return [at_least(remainder, 0), at_least(Affine(right.const - 1), remainder)]
    if function is operator.mod:
        return [at_least(result, 0), at_least(Affine(right.const - 1), result)]
    return []
