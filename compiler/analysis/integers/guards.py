"""Read the checks at the beginning of a function as facts about its integers and extents, and tell what follows from them.

The facts hold behind the checks. `KnownRelations` keeps them: it solves the equations and proves what is not negative.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Hashable, Sequence
from typing import Any

from backsweep.analysis.integers.affine import (
    Affine,
    Atom,
    Constraint,
    Dim,
    at_least,
    infeasible,
    is_extent,
    variable,
)
from backsweep.analysis.integers.domains import places_of
from backsweep.analysis.integers.relations import name_of_item
from backsweep.ir.nodes import Apply, Block, Comment, Const, Function, If, Node, Operand, Raise, Value
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Tuple
from backsweep.ir.walk import with_body


def checks_on_entry(function: Function) -> int:
    """The number of nodes from the beginning up to the last check; between the checks, the function only computes integers."""
    last = 0
    for number, node in enumerate(function.body.nodes, 1):
        if not _leads(node):
            break
        if is_check(node):
            last = number
    return last


def facts_on_entry(function: Function) -> list[Constraint]:
    """What holds behind the checks at the beginning."""
    leading = function.body.nodes[: checks_on_entry(function)]
    if not leading:
        return []
    places = places_of(with_body(function, Block(function.body.parameters, leading, ())))
    found: list[Constraint] = []
    for check in leading:
        if isinstance(check, If) and is_check(check):
            found += places.condition(check.condition, _stops(check.orelse))
    return found


def parts_on_entry(function: Function) -> dict[str, Value]:
    """The items of tuples among the arguments that the function takes out first, by their names."""
    names: dict[Operand, str] = {parameter: parameter.name for parameter in function.body.parameters}
    found: dict[str, Value] = {}
    for node in function.body.nodes[: parts_end(function)]:
        if isinstance(node, Apply) and _is_item(node) and node.operands[0] in names:
            source, position = node.operands
            assert isinstance(source, Value)
            assert isinstance(source.type, Tuple)
            assert isinstance(position, Const)
            name = name_of_item(names[source], position.value, source.type.names)
            names[node.result] = name
            found.setdefault(name, node.result)
    return found


def parts_end(function: Function) -> int:
    """The number of nodes with which a function begins that take items out of tuples, or make tuples of them."""
    nodes = function.body.nodes
    others = (k for k, node in enumerate(nodes) if not (isinstance(node, Comment) or _makes_parts(node)))
    return next(others, len(nodes))


def given_to(function: Function) -> list[Value]:
    """The parameters, and the items of tuples among the arguments that are taken out first."""
    return [*function.body.parameters, *parts_on_entry(function).values()]


def _makes_parts(node: Node) -> bool:
    return isinstance(node, Apply) and (
        _is_item(node)
        or (isinstance(node.result.type, Tuple) and node.function in (tuple, node.result.type.cls))
    )


def _is_item(node: Apply) -> bool:
    """Whether the node takes an item, at a place that is known, out of a tuple."""
    return (
        node.function is operator.getitem
        and isinstance(type_of(node.operands[0]), Tuple)
        and isinstance(node.operands[1], Const)
    )


def is_check(node: Node) -> bool:
    """Whether the node is a branch that raises on exactly one of its sides."""
    return isinstance(node, If) and _stops(node.then) != _stops(node.orelse)


def _leads(node: Node) -> bool:
    """Whether checks may stand behind the node: it computes no array but a copy, whose extents are the same, or an item."""
    match node:
        case Comment():
            return True
        case Apply(result=result, function=function):
            is_new = isinstance(result.type, Array) and not _makes_parts(node)
            return not is_new or kind(function) in (Kind.COPY, Kind.ALIKE)
        case If(then=then, orelse=orelse):
            return all(isinstance(inner, Raise) or _leads(inner) for inner in (*then.nodes, *orelse.nodes))
        case _:
            return False


def _stops(block: Block) -> bool:
    """Whether the block raises."""
    return bool(block.nodes) and isinstance(block.nodes[-1], Raise)


class KnownRelations:
    """Relations between the parameters' extents and integers: equations, and expressions that are never negative.

    An equation determines an extent rather than an integer, and that of the last parameter.
    """

    def __init__(self, parameters: Sequence[Value], facts: Sequence[Constraint]) -> None:
        self.position = {parameter: number for number, parameter in enumerate(parameters)}
        self.equations: dict[Atom, Affine] = {}
        self.inequalities: list[Constraint] = []
        self.quotients: dict[tuple[Any, int], Affine] = {}
        """What `length // divisor` comes to, by both."""
        self.dividends: dict[Atom, tuple[Affine, int]] = {}
        """For an atom that stands for such a quotient: the length and the divisor."""
        self.proved: set[Hashable] = set()
        """The expressions that were proved not to be negative: further facts leave them so."""
        self.clips: dict[Hashable, Atom] = {}
        """What `max(length, 0)` comes to, by the length."""
        for fact in facts:
            self.add(fact)

    def draft(self) -> KnownRelations:
        """A copy, to which further facts may be added."""
        own = copy.copy(self)
        own.equations, own.inequalities = dict(self.equations), list(self.inequalities)
        own.quotients, own.dividends = dict(self.quotients), dict(self.dividends)
        own.clips, own.proved = dict(self.clips), set(self.proved)
        return own

    def forget(self, before: KnownRelations) -> None:
        """Know no more than an earlier copy."""
        vars(self).update(vars(before))

    def add(self, fact: Constraint) -> None:
        """Take a fact into account."""
        fact = Constraint(self.resolved(fact.affine), fact.equal).reduced()
        rest = fact.affine
        units = [atom for atom, times in rest.terms.items() if times in (1, -1) and self._rank(atom)[1] >= 0]
        if not fact.equal or not units:
            self.inequalities.append(fact)
            return
        atom = max(units, key=self._rank)
        solved = variable(atom) + rest.scale(-rest.terms[atom])
        self.equations = {other: _replaced(known, atom, solved) for other, known in self.equations.items()}
        self.equations[atom] = solved
        others = [Constraint(_replaced(each.affine, atom, solved), each.equal) for each in self.inequalities]
        self.inequalities = [each for each in others if not each.equal]
        if isinstance(atom, Dim):
            self.inequalities.append(at_least(solved, 0))
        for each in others:
            if each.equal and each.affine.terms:  # it may be solved now
                self.add(each)

    def _rank(self, atom: Atom) -> tuple[bool, int]:
        """The rank of an atom; of the atoms of an equation, the one of the highest rank is expressed by the others."""
        value = atom.value if isinstance(atom, Dim) else atom
        return isinstance(atom, Dim), self.position.get(value, -1) if isinstance(value, Value) else -1

    def resolved(self, length: Affine) -> Affine:
        """The expression in extents and integers that no equation determines."""
        if self.equations.keys().isdisjoint(length.terms):
            return length
        total = Affine(length.const)
        for atom, times in length.terms.items():
            total += self.equations.get(atom, variable(atom)).scale(times)
        return total

    def bound(self, integer: Affine, most: Affine) -> None:
        """Take it that an integer is not negative, and not larger than another one."""
        for length in (integer, most - integer):
            if not self.is_nonnegative(length):
                self.add(at_least(length, 0))

    def quotient(self, length: Affine, divisor: int, own: Atom | None) -> Affine | None:
        """`length // divisor`, which the atom `own` is: the same expression for all that are equal; None if the first has no name."""
        terms = {atom: times for atom, times in length.terms.items() if times % divisor}
        rest = Affine(length.const % divisor, terms)
        divided = length - rest
        whole = Affine(divided.const // divisor, {a: n // divisor for a, n in divided.terms.items()})
        if not terms:
            return whole
        key = (rest.key, divisor)
        if key not in self.quotients and own is None:
            return None
        if key not in self.quotients:
            self.dividends[own] = length, divisor
            self.quotients[key] = part = variable(own) - whole
            remainder = rest - part.scale(divisor)
            self.add(at_least(remainder, 0))
            self.add(at_least(Affine(divisor - 1), remainder))
        return whole + self.resolved(self.quotients[key])

    def clipped(self, length: Affine, own: Atom) -> Affine:
        """`max(length, 0)`, which the atom `own` is: the same expression for all that are equal."""
        return variable(self.clips.setdefault(length.key, own))

    def is_nonnegative(self, length: Affine) -> bool:
        """Whether the expression is proved not to be negative."""
        if is_extent(length) or length.key in self.proved:
            return True
        facts, atoms = self._facts_of(set(length.terms))
        nonnegative = [at_least(variable(atom), 0) for atom in atoms if isinstance(atom, Dim)]
        if not facts or not infeasible([at_least(-length, 1), *facts, *nonnegative]):
            return False
        self.proved.add(length.key)
        return True

    def _facts_of(self, atoms: set[Atom]) -> tuple[list[Constraint], set[Atom]]:
        """What is known of the atoms, and of those beside them in it; with all of these atoms."""
        facts, others = list[Constraint](), self.inequalities
        while found := [each for each in others if not atoms.isdisjoint(each.affine.terms)]:
            others = [each for each in others if atoms.isdisjoint(each.affine.terms)]
            facts += found
            atoms = atoms.union(*(each.affine.terms for each in found))
        return facts, atoms


def _replaced(length: Affine, atom: Atom, solved: Affine) -> Affine:
    """The expression with another in place of the atom."""
    times = length.terms.get(atom, 0)
    return length + (solved - variable(atom)).scale(times) if times else length
