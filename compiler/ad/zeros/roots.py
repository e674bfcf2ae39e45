"""Find what depends on roots, and what tells whether one is where its slope is infinite.

A root is finite where its slope is not: `sqrt` at 0, `arccos` at 1. What comes in may be zero there for two reasons. Nothing of the
result depends on the root, as behind a mask: then it contributes nothing. Or the function that reads the root is flat there, as the cosine is at
0: then the two make zero times infinity, `cos(sqrt(u))` has the slope -½, and what goes on to the root is nan.
"""

from __future__ import annotations

import ast
import functools
import itertools
import operator
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from backsweep.ad.zeros.infinities import Infinities
from backsweep.ad.zeros.lengths import parts_of_length
from backsweep.ad.zeros.ranges import Ranges
from backsweep.ad.zeros.squares import Squares
from backsweep.analysis.structure import ActiveFacts, Facts
from backsweep.ir.nodes import Apply, Callee, Const, Custom, For, If, Load, Operand, Tap, Value, View, While
from backsweep.ir.operations import Kind, canonical, kind
from backsweep.ir.types import Array, is_float
from backsweep.ir.walk import carried_parameters, walk
from backsweep.rules.declare import Rule
from backsweep.rules.limits import JUMPS, steep_where
from backsweep.rules.matching import is_complex, matched
from backsweep.runtime.broadcasting import aligned, stretched
from backsweep.runtime.special import before_length, before_root

Expression = tuple[ast.expr, dict[str, Operand]]
"""An expression, and what its names stand for."""
MOST = 16
"""The largest number of roots that one expression tells of."""


class Roots:
    """The roots of a typed program, and the values that are computed from them."""

    mark: Callable[..., Any] = staticmethod(before_root)
    """What a cotangent is written with that goes on to a root."""

    def __init__(self, facts: Facts, ranges: Ranges, infinities: Infinities, squares: Squares) -> None:
        self.facts = facts
        self.ranges = ranges
        self.infinities = infinities
        self.squares = squares
        self._own: dict[Value, bool] = {}
        self._numbers = itertools.count()

    @cached_property
    def _steep(self) -> dict[Value, tuple[str, Apply]]:
        """The roots, each with the expression that is zero where its slope is infinite."""
        found = {}
        for node in walk(self.facts.function.body):
            if not isinstance(node, Apply) or not is_float(node.result.type) or not node.operands:
                continue
            block = self.facts.where[node.result]
            ranges = [self.ranges.at(operand, block) for operand in node.operands]
            where = steep_where(node.function, ranges)
            if (
                where is not None
                and any(map(self.varies, node.operands))
                and not self.ranges.at(node.result, block).is_nonzero
                and self.is_among(node)
            ):
                found[node.result] = where, node
        return found

    def is_among(self, node: Apply) -> bool:
        """Whether the derivative of a root at zero is infinite, not chosen as that of a length is."""
        return not self.squares.has_root(node)

    def varies(self, operand: Operand) -> bool:
        """Whether the operand has a derivative."""
        return isinstance(operand, Value) and operand in getattr(self.facts, "active", ())

    @cached_property
    def _rooted(self) -> frozenset[Value]:
        return self.infinities.reached_from(self._steep)

    @cached_property
    def _jumping(self) -> frozenset[Value]:
        angles = [value for value, (_, node) in self._steep.items() if node.function in JUMPS]
        return self.infinities.reached_from(angles)

    def reach_jump(self, operand: Operand) -> bool:
        """Whether the operand is computed from an angle, which has no value at the origin that all directions agree on.

        Its slope is so steep that the product with anything that vanishes there may be any number.
        """
        return self.infinities.is_in(operand, self._jumping)

    def reach(self, operand: Operand) -> bool:
        """Whether the operand is computed from a root."""
        return self.infinities.is_in(operand, self._rooted)

    def is_zero_with(self, operand: Operand) -> bool:
        """Whether the operand is certainly zero where the slopes of all roots that it is computed from are infinite, and there alone.

        A sum of roots is, a square root itself, and what a loop adds up of them.
        """
        if not isinstance(operand, Value) or not self.reach(operand):
            return False
        if operand not in self._own:
            before = dict(self._own)
            self._own[operand] = True  # what a loop goes on with
            if not self._is_zero_with(operand):
                self._own = before
                self._own[operand] = False
        return self._own[operand]

    def _is_zero_with(self, value: Value) -> bool:
        is_nothing = self._is_nothing
        match self.facts.definitions.get(value):
            case _ if value in self._steep:
                return self._steep[value][0] == "y"
            case Load(buffer=Value() as array) | View(buffer=array) if self.facts.aliases.is_buffer(array):
                stored = [each.value for each in self.facts.stores_to(array)]
                return bool(stored) and all(is_nothing(each) or self.is_zero_with(each) for each in stored)
            case Load(buffer=Value() as array) | View(buffer=array):
                return self.is_zero_with(array)
            case Apply(function=np.where, operands=(_, *sides)):
                return all(is_nothing(each) or self.is_zero_with(each) for each in sides)
            case Apply(operands=(one, *more)) as node:
                function = canonical(node.function)
                if function is operator.add:
                    return all(map(self.is_zero_with, (one, *more))) and self._is_not_negative(one, *more)
                if function in (np.sum, np.mean):
                    return self.is_zero_with(one) and self._is_not_negative(one)
                same = kind(node.function) in (Kind.VIEW, Kind.COPY, Kind.REARRANGEMENT)
                return (
                    same or node.function in (aligned, stretched, float, np.float64)
                ) and self.is_zero_with(one)
            case If() as node:
                place = node.results.index(value)
                sides = [side.yields[place] for side in (node.then, node.orelse)]
                return all(self.is_zero_with(each) or not self.varies(each) for each in sides)
            case For() | While() as node:
                return self._is_carried(node, node.results.index(value))
            case None:
                loop, _ = self.facts.parents.get(self.facts.where[value], (None, None))
                if isinstance(loop, For | While) and value in carried_parameters(loop):
                    return self._is_carried(loop, carried_parameters(loop).index(value))
                return False
            case _:
                return False

    def _is_carried(self, loop: For | While, place: int) -> bool:
        begun = loop.inits[place]
        return (self._is_nothing(begun) or self.is_zero_with(begun)) and self.is_zero_with(
            loop.body.yields[place]
        )

    def _is_not_negative(self, *operands: Operand) -> bool:
        return all(self.ranges.of(each).low >= 0.0 for each in operands)

    def _is_nothing(self, operand: Operand) -> bool:
        """Whether the operand is the literal zero."""
        return isinstance(operand, Const) and isinstance(operand.value, int | float) and operand.value == 0

    def told(self, operand: Operand) -> Expression | None:
        """An expression of the operand's shape, or one that it broadcasts, that is zero where the slope of a root in the operand is infinite.

        None if nothing at hand tells that, as of the sum of a root and a number that a loop added up.
        """
        names: dict[str, Operand] = {}
        telling = [*dict.fromkeys(self._telling(operand))][:MOST]
        found = [self._named(part, names, by_entry=by_entry) for part, by_entry in telling]
        if not found:
            return None
        return functools.reduce(lambda one, other: ast.BinOp(one, ast.Mult(), other), found), names

    def told_by(self, root: Value) -> Expression | None:
        """The expression that is zero where the slope of this root is infinite; None if the value is no root, or its slope jumps there."""
        if root not in self._steep or self._steep[root][1].function in JUMPS:
            return None
        names: dict[str, Operand] = {}
        return self._named(root, names, by_entry=True), names

    def _telling(self, operand: Operand, *, by_entry: bool = True) -> Iterator[tuple[Value, bool]]:
        """The values that tell of the roots in an operand, and whether entry by entry, or all for all, as in a product of matrices."""
        if not isinstance(operand, Value) or not self.reach(operand):
            return
        node = self.facts.definitions.get(operand)
        is_sum = isinstance(node, Apply) and canonical(node.function) in (np.sum, np.mean, operator.add)
        is_zero_with = self.is_zero_with(operand) and not is_sum
        if operand in self._steep or is_zero_with:
            yield operand, by_entry
        rule = (
            matched(node)
            if isinstance(node, Apply) and not isinstance(node.function, Callee | Custom | Tap)
            else None
        )
        if isinstance(node, Apply) and isinstance(rule, Rule):
            by_entry = by_entry and (rule.elementwise or node.function in (aligned, stretched))
            for each in _differentiated(node, rule):
                if not (is_zero_with and self.is_zero_with(each)):
                    yield from self._telling(each, by_entry=by_entry)

    def _named(self, value: Value, names: dict[str, Operand], *, by_entry: bool) -> ast.expr:
        """The expression of one such value; its names, which no rule has, go into `names`."""
        where, node = self._steep.get(value, ("y", None))
        number = next(self._numbers)
        given = {"y": value, **(dict(zip("ab", node.operands, strict=False)) if node else {})}

        class Renamed(ast.NodeTransformer):
            def visit_Name(self, name: ast.Name) -> ast.expr:
                if name.id == "where":
                    return ast.Constant(np.where)  # type: ignore[arg-type]
                names[f"{name.id} {number}"] = given[name.id]
                read = ast.Name(f"{name.id} {number}", ast.Load())
                if name.id == "b" and is_complex(given["b"]):  # an exponent, of which the real part counts
                    return ast.Call(ast.Constant(np.real), [read], [])  # type: ignore[arg-type]
                return read

        found: ast.expr = Renamed().visit(ast.parse(where, mode="eval").body)
        if by_entry or not isinstance(value.type, Array):
            return found
        every: ast.expr = ast.Constant(np.all)  # type: ignore[arg-type]
        return ast.Call(every, [ast.Compare(found, [ast.NotEq()], [ast.Constant(0.0)])], [])


def _differentiated(node: Apply, rule: Rule) -> Iterator[Operand]:
    """The operands that the result has derivatives by, so that their roots are in it; of others a shape is read, or whether they are zero."""
    places = rule.bind(len(node.operands), [key for key, _ in node.keywords])
    assert places is not None
    given = {
        rule.parameters[place]: each
        for place, each in zip(places, (*node.operands, *(each for _, each in node.keywords)), strict=True)
    }
    for parameter, adjoint in zip(rule.differentiated, rule.adjoints, strict=True):
        if adjoint is not None and parameter in given:
            yield given[parameter]


class Lengths(Roots):
    """The lengths that are written out, and that are not seen as one, as a loop adds up the squares; told of as roots are.

    Where they are zero, a derivative after the first is not known, even if it goes through a function that is flat there.
    """

    mark: Callable[..., Any] = staticmethod(before_length)

    def is_among(self, node: Apply) -> bool:
        """Whether the node is a length of whose parts nothing is known."""
        if not isinstance(self.facts, ActiveFacts) or not self.squares.has_root(node):
            return False
        return parts_of_length(node, self.facts, self.ranges) is None
