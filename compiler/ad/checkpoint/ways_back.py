"""How to get what a loop carries at the start of an iteration from what it is at the end.

An exact step has a way back: `k += c`, `bits ^= m`, `sign = -sign`, `flag = not flag`, and a branch of which each side leaves the
value or takes such a step. What the way reads besides is computed again of the iteration's index and of what lies outside of the loop.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable

from backsweep.analysis.structure import Facts
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, For, If, Load, Operand, Value, While
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, INT, Array, Scalar
from backsweep.ir.walk import index_operands, rename_operands

Way = Callable[[Builder, Operand], Operand]
"""Writes the value at the start of the iteration, of that at the end."""

OPPOSITE = {operator.add: operator.sub, operator.sub: operator.add, operator.xor: operator.xor}
CHEAP = (Kind.ARITHMETIC, Kind.COMPARISON, Kind.LOGIC, Kind.INTEGER_DIVISION, Kind.CONVERSION, Kind.CHOICE)


class WaysBack:
    """The ways back of the values that one loop carries."""

    def __init__(self, loop: For | While, facts: Facts) -> None:
        self.loop = loop
        self.facts = facts
        self.index = loop.body.parameters[0] if isinstance(loop, For) else None
        self.known: dict[Operand, bool] = {}

    def of(self, position: int, parameter: Value) -> Way | None:
        """The way back from what the body yields at the position to the parameter; None if there is none."""
        if not isinstance(parameter.type, Scalar):
            return None
        return self.back(self.loop.body.yields[position], parameter)

    def back(self, operand: Operand, parameter: Value) -> Way | None:
        """The way back from the operand to the parameter."""
        if operand is parameter:
            return lambda _, after: after
        if not isinstance(operand, Value) or type_of(operand) != parameter.type:
            return None
        node = self.facts.definitions.get(operand)
        if node is None or not self.facts.is_within(operand, self.loop):
            return None
        match node:
            case Apply(operands=(before,)) if self.is_own_opposite(node):
                inner = self.back(before, parameter)
                return inner and _then(lambda builder, after: _call(builder, node.function, after), inner)
            case Apply(operands=(left, right)) if node.result.type == INT and node.function in OPPOSITE:
                return self.of_step(node, left, right, parameter)
            case If():
                return self.of_branch(node, node.results.index(operand), parameter)
        return None

    def is_own_opposite(self, node: Apply) -> bool:
        """Whether the call is undone by itself."""
        is_negation = node.function is operator.not_ and node.result.type == type_of(node.operands[0]) == BOOL
        return node.function is operator.neg or is_negation

    def of_step(self, node: Apply, left: Operand, right: Operand, parameter: Value) -> Way | None:
        """The way back over the sum, difference or exclusive or of integers, one of which comes from the parameter."""
        opposite = OPPOSITE[node.function]
        if type_of(left) != INT or type_of(right) != INT:
            return None
        if self.is_known(right) and (inner := self.back(left, parameter)) is not None:
            return _then(lambda b, after: _call(b, opposite, after, self.again(b, right)), inner)
        if self.is_known(left) and (inner := self.back(right, parameter)) is not None:
            if node.function is operator.sub:
                return _then(lambda b, after: _call(b, operator.sub, self.again(b, left), after), inner)
            return _then(lambda b, after: _call(b, opposite, after, self.again(b, left)), inner)
        return None

    def of_branch(self, node: If, place: int, parameter: Value) -> Way | None:
        """The way back over a branch: the same condition chooses the side that is undone."""
        sides = [self.back(side.yields[place], parameter) for side in (node.then, node.orelse)]
        if not self.is_known(node.condition) or any(side is None for side in sides):
            return None

        def way(builder: Builder, after: Operand) -> Operand:
            condition = self.again(builder, node.condition)
            written = []
            for side in sides:
                assert side is not None
                with builder.block() as block:
                    before = side(builder, after)
                written.append(Block((), tuple(block.nodes), (before,)))
            result = Value(parameter.name, parameter.type, builder.loc)
            then, orelse = written
            builder.add(If(condition, then, orelse, (result,), builder.loc))
            return result

        return way

    def is_known(self, operand: Operand) -> bool:
        """Whether the operand can be computed again of the index and of what lies outside of the loop, at little cost."""
        if operand not in self.known:
            self.known[operand] = self._is_known(operand)
        return self.known[operand]

    def _is_known(self, operand: Operand) -> bool:
        if not isinstance(operand, Value) or operand is self.index:
            return True
        if not self.facts.is_within(operand, self.loop):
            return operand not in self.loop.body.parameters
        node = self.facts.definitions.get(operand)
        if operand in self.facts.unassigned or not isinstance(operand.type, Scalar):
            return False
        match node:
            case Apply(keywords=()) if kind(node.function) in CHEAP:
                return all(map(self.is_known, node.operands))
            case Load(buffer=Value() as buffer):
                return (
                    isinstance(buffer.type, Array)
                    and not self.facts.is_within(buffer, self.loop)
                    and not self.facts.aliases.is_buffer(buffer)
                    and all(map(self.is_known, index_operands(node.index)))
                )
        return False

    def again(self, builder: Builder, operand: Operand) -> Operand:
        """The operand, computed again."""
        if (
            not isinstance(operand, Value)
            or not self.facts.is_within(operand, self.loop)
            or operand is self.index
        ):
            return operand
        node = self.facts.definitions[operand]
        assert isinstance(node, Apply | Load)
        new = Value(operand.name, operand.type, operand.loc)
        renamed = rename_operands(node, lambda each: self.again(builder, each))
        assert isinstance(renamed, Apply | Load)
        builder.add(dataclasses.replace(renamed, result=new))
        return new


def _then(step: Way, inner: Way) -> Way:
    """First the last step back, then those before it."""
    return lambda builder, after: inner(builder, step(builder, after))


def _call(builder: Builder, function: object, *operands: Operand) -> Value:
    typed = next(each for each in operands if isinstance(each, Value))
    return builder.apply(function, *operands, name=typed.name, type=typed.type)
