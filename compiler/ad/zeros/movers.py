"""Find what moves an operand although its tangent is zero: `x` moves `x ** 3` at 0, where the cube is flat.

The infinite slope of a root times such a tangent is not known: `np.cbrt(x ** 3)` has the slope 1. One that is zero because nothing moves
contributes nothing.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from backsweep.ad.zeros.guards import StrongZeros
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    ZERO,
    Apply,
    Block,
    Callee,
    Const,
    Custom,
    For,
    If,
    Load,
    Node,
    Operand,
    Tap,
    Value,
    View,
    While,
)
from backsweep.ir.operations import Kind, canonical, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import walk
from backsweep.rules.declare import Rule
from backsweep.rules.expression import RuleExpression, resolved
from backsweep.rules.matching import is_complex, matched
from backsweep.runtime.broadcasting import aligned, stretched
from backsweep.runtime.special import SHARES

ONE = Const(1.0)
DEEP = 8
"""How many functions are looked through."""


@dataclass(frozen=True, slots=True)
class Mover:
    """A value that a function reads which may be flat there: by its rule, whose names stand for `names`, `adjoint` is that of the value."""

    value: Value
    whole: bool
    """Whether any entry of the value may count for any of the operand's."""
    node: Apply
    rule: Rule
    adjoint: ast.expr
    names: dict[str, Operand]

    @property
    def key(self) -> tuple[Value, Apply, bool]:
        """What tells movers apart: a function that reads a value twice is flat for both or for none."""
        return self.value, self.node, self.whole


def find_movers(operand: Operand, varying: Container[Operand], zeros: StrongZeros) -> Iterator[Mover]:
    """What functions read on the way to an operand that may be flat there, each value with the function that reads it."""
    yield from _movers(operand, varying, zeros, whole=False, deep=DEEP)


class Moves:
    """Writes how far something moves an operand, also where its tangent is zero: the sizes of the tangents that functions read which may be flat.

    A choice hands on what moves the side that it takes.
    """

    def __init__(
        self, builder: Builder, dots: Mapping[Value, Operand], zeros: StrongZeros, block: Block
    ) -> None:
        self.builder = builder
        self.dots = dots
        self.zeros = zeros
        self.facts = zeros.facts
        self.found: dict[Value, Operand | None] = {}
        self.numbers: set[Operand] = {ONE, ZERO}
        """What is one number for all entries of an array."""
        self.around = [block]
        while self.around[-1] in self.facts.parents:
            self.around.append(self.facts.parents[self.around[-1]][1])

    def of(self, operand: Operand, deep: int = DEEP) -> Operand | None:
        """The sizes of what moves an operand, added up, entry by entry or as one number; None if nothing does.

        What a loop or a branch computes within is not at hand behind it: it counts as 1.
        """
        if not isinstance(operand, Value) or operand not in self.dots or deep == 0:
            return None
        if operand not in self.found:
            self.found[operand] = self._of(operand, deep)
        return self.found[operand]

    def _of(self, operand: Value, deep: int) -> Operand | None:
        node = self.facts.definitions.get(operand)
        if node is None and self.facts.where[operand] in self.facts.parents:
            node = self.facts.parents[self.facts.where[operand]][0]
        if isinstance(node, If) and self.facts.holder[node] in self.around:
            return self._of_branch(node, node.results.index(operand), deep)
        if isinstance(node, If | For | While):
            return ONE if any(map(self._is_flat, walk(Block((), (node,), ())))) else None
        stored = [self._whole(self.of(each, deep - 1), each) for each in _stored(operand, node, self.zeros)]
        made = self._of_call(node, deep) if isinstance(node, Apply) else None
        return self._added([*stored, made])

    def _of_branch(self, node: If, place: int, deep: int) -> Operand | None:
        sides: list[Operand] = []
        for block in (node.then, node.orelse):
            given = block.yields[place]
            is_own = isinstance(given, Value) and self.facts.where[given] not in self.around
            found: Operand | None
            if is_own:
                found = ONE if given in self.dots and any(map(self._is_flat, walk(block))) else None
            else:
                found = self._whole(self.of(given, deep - 1), given)
            sides.append(ZERO if found is None else found)
        if sides == [ZERO, ZERO]:
            return None
        chosen = sides[0] if sides[0] is sides[1] else self.builder.apply(np.where, node.condition, *sides)
        return self._number(chosen)

    def _is_flat(self, node: Node) -> bool:
        """Whether a node calls a function that may be flat in an operand that varies."""
        read = _Read.of(node)
        return read is not None and read.rule.elementwise and any(read.flat(self.dots, self.zeros))

    def _of_call(self, node: Apply, deep: int) -> Operand | None:
        if isinstance(node.function, Callee | Custom | Tap):
            return None
        read = None if _passes(node) else _Read.of(node)
        if read is None or not (read.rule.elementwise or read.is_sum):  # any entry may count for any
            return self._added([self._whole(self.of(each, deep - 1), each) for each in node.operands])
        before = {name: self.of(operand, deep - 1) for name, operand, _ in read.varying(self.dots)}
        if read.chooses() and self._is_as_read(node):
            return self._chosen(read, before)
        sizes: list[Operand] = []
        if self.facts.holder[node] in self.around:
            flat = dict.fromkeys(operand for operand, _ in read.flat(self.dots, self.zeros))
            sizes = [self.builder.apply(np.abs, self.dots[operand]) for operand in flat]
        found = self._added([*before.values(), *sizes])
        return self._whole(found, node.operands[0]) if read.is_sum else found

    def _is_as_read(self, node: Apply) -> bool:
        """Whether what a node read is at hand still."""
        return self.facts.holder[node] in self.around and not any(
            isinstance(each, Value)
            and self.facts.aliases.is_buffer(each)
            and self.facts.overwritten_after(each, node)
            for each in node.operands
        )

    def _chosen(self, read: _Read, before: Mapping[str, Operand | None]) -> Operand | None:
        """What a choice lets through of what moves its operands."""
        (bar,) = read.rule.cotangents
        found = []
        for name, _, adjoint in read.varying(self.dots):
            moves = before[name]
            if moves is not None:
                contents = {**read.names, bar: moves}.__getitem__
                found.append(expression_of(read.node, read.rule, self.builder, contents).write(adjoint))
        return self._added(found)

    def _added(self, terms: Iterable[Operand | None]) -> Operand | None:
        found = [each for each in terms if each is not None]
        if not found:
            return None
        total = functools.reduce(lambda one, other: self.builder.apply(operator.add, one, other), found)
        return self._number(total) if self.numbers.issuperset(found) else total

    def _whole(self, moves: Operand | None, operand: Operand) -> Operand | None:
        """One number for all entries of the operand: any of them may count."""
        if moves is None or moves in self.numbers or not isinstance(type_of(operand), Array):
            return moves
        return self._number(self.builder.apply(np.sum, moves))

    def _number(self, moves: Operand) -> Operand:
        self.numbers.add(moves)
        return moves


def _stored(value: Value, node: Node | None, zeros: StrongZeros) -> Iterator[Operand]:
    """What an entry that is read from memory may have been: all that was stored there."""
    facts = zeros.facts
    source = node.buffer if isinstance(node, Load | View) else value
    if not isinstance(source, Value):
        return
    if facts.aliases.is_buffer(source):
        yield from (each.value for each in facts.stores_to(source))
    elif source is not value:
        yield source


def _movers(
    operand: Operand, varying: Container[Operand], zeros: StrongZeros, *, whole: bool, deep: int
) -> Iterator[Mover]:
    node = zeros.facts.definitions.get(operand) if isinstance(operand, Value) else None
    if isinstance(operand, Value) and operand in varying and deep > 0:
        for stored in _stored(operand, node, zeros):
            yield from _movers(stored, varying, zeros, whole=True, deep=deep - 1)
    if not isinstance(node, Apply):
        return
    if _passes(node):
        for passed in node.operands:
            if deep > 0 and passed in varying:
                yield from _movers(passed, varying, zeros, whole=True, deep=deep - 1)
        return
    read = _Read.of(node)
    if deep == 0 or read is None or not (read.rule.elementwise or read.is_sum):
        return
    whole = whole or (read.is_sum and isinstance(getattr(node.operands[0], "type", None), Array))
    flat = dict(read.flat(varying, zeros))
    for _, each, adjoint in read.varying(varying):
        if flat.get(each) is adjoint:
            yield Mover(each, whole, node, read.rule, adjoint, read.names)
        yield from _movers(each, varying, zeros, whole=whole, deep=deep - 1)


def _passes(node: Apply) -> bool:
    """Whether the entries of the result are entries of the operands."""
    if node.keywords or isinstance(node.function, Callee | Custom | Tap):
        return False
    moved = kind(node.function) in (Kind.VIEW, Kind.COPY, Kind.REARRANGEMENT)
    return moved or node.function in (complex, aligned, stretched)


@dataclass(frozen=True, slots=True)
class _Read:
    """What a call reads, by its rule, whose names stand for `names`."""

    node: Apply
    rule: Rule
    names: dict[str, Operand]

    @classmethod
    def of(cls, node: Node) -> _Read | None:
        """None if the node is no call of a function with a rule that names all that it reads."""
        if not isinstance(node, Apply) or isinstance(node.function, Callee | Custom | Tap) or node.keywords:
            return None
        rule = matched(node)
        if not isinstance(rule, Rule):
            return None
        places = rule.bind(len(node.operands), [])
        assert places is not None
        names = {rule.parameters[place]: each for place, each in zip(places, node.operands, strict=True)}
        return cls(node, rule, {**names, rule.results[0]: node.result})

    @property
    def is_sum(self) -> bool:
        """Whether it adds up all entries."""
        return canonical(self.node.function) in (np.sum, np.mean) and len(self.node.operands) == 1

    def varying(self, varying: Container[Operand]) -> Iterator[tuple[str, Value, ast.expr]]:
        """The parameters whose operands vary, with the adjoints that the rule has for them."""
        for parameter, adjoint in zip(self.rule.differentiated, self.rule.adjoints, strict=True):
            each = self.names.get(parameter)
            if isinstance(each, Value) and each in varying and adjoint is not None:
                yield parameter, each, adjoint

    def flat(self, varying: Container[Operand], zeros: StrongZeros) -> Iterator[tuple[Value, ast.expr]]:
        """The operands that it may be flat in; the side that a choice does not take is constant, not flat."""
        linear = {each for group in self.rule.linear for each in group}
        for parameter, each, adjoint in self.varying(varying):
            bars = self.rule.cotangents
            if (
                parameter not in linear
                and not is_choice(adjoint, self.rule)
                and zeros.may_be_flat(adjoint, self.node, self.rule, self.names, bars, varying)
            ):
                yield each, adjoint

    def chooses(self) -> bool:
        """Whether it hands on one of its operands, or a share of each."""
        adjoints = [each for each in self.rule.adjoints if each is not None]
        return self.rule.elementwise and all(is_choice(each, self.rule) for each in adjoints)


def is_choice(adjoint: ast.expr, rule: Rule) -> bool:
    """Whether an adjoint is the cotangent, a share of it, or nothing, by a condition."""
    match adjoint:
        case ast.Call(func, [_, one, other], []) if resolved(func, rule.globals) is np.where:
            return is_choice(one, rule) and is_choice(other, rule)
        case ast.Call(func, [share, _], []):
            return resolved(func, rule.globals) in SHARES[:2] and is_choice(share, rule)
        case ast.Name(name):
            return name in rule.cotangents
        case ast.Constant(number):
            return number == 0.0
        case _:
            return False


def expression_of(
    node: Apply, rule: Rule, builder: Builder, contents: Callable[[str], Operand]
) -> RuleExpression:
    """A writer of expressions of the rule of a call; `contents` says what their names stand for."""
    return RuleExpression(
        builder,
        contents=contents,
        shapes=contents,
        known=lambda _function, _operands: None,
        names=rule.globals,
        as_math=getattr(node.function, "__module__", "") == "math",
        on_scalars=rule.elementwise and isinstance(node.result.type, Scalar),
        of_complex=any(map(is_complex, node.operands)),
    )
