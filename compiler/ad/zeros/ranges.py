"""Find the ranges of numbers: which divisors are certainly not zero, which logarithms are of positive numbers."""

from __future__ import annotations

import operator

import numpy as np

from backsweep.analysis.structure import Facts
from backsweep.ir.nodes import Apply, Block, Const, For, If, Load, Operand, Value, View, While
from backsweep.ir.operations import Kind, kind, operation
from backsweep.ir.typed import dtype_of
from backsweep.ir.types import Tuple
from backsweep.ir.walk import carried_parameters, chain_to
from backsweep.rules.limits import (
    ANY,
    EXTENT,
    NOT_NEGATIVE,
    Range,
    compared,
    either,
    exactly,
    range_of,
    within,
)

DEEP = 64
"""Of how many values one is made of the next where a chain of them is settled from its beginning."""


class Ranges:
    """The range of each real number of a typed program; of an array, the range of its entries."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._known: dict[Value, Range] = {}
        self._depth = 0
        """How many values are looked for."""

    def at(self, operand: Operand, block: Block) -> Range:
        """The range of an operand in a block, given the conditions under which the block runs."""
        found = self.of(operand)
        if not isinstance(operand, Value):
            return found
        while block in self.facts.parents:
            region, outer = self.facts.parents[block]
            if isinstance(region, If):
                found = within(found, self._under(region.condition, operand, holds=block is region.then))
            block = outer
        return found

    def of(self, operand: Operand) -> Range:
        """The range of an operand wherever it is computed."""
        if isinstance(operand, Const):
            is_number = isinstance(operand.value, bool | int | float | np.floating | np.integer)
            return exactly(float(operand.value)) if is_number else ANY
        if dtype_of(operand).startswith("complex"):
            return ANY
        if operand not in self._known:
            self._depth += 1
            if self._depth % DEEP == 0:
                # what the operand is made of first: else the recursion is as deep as a chain is long
                for value in [*chain_to(operand, self.facts.definitions, self._known)][:-1]:
                    self.of(value)
            self._known[operand] = ANY  # while it is looked for
            self._known[operand] = self._found(operand)
            self._depth -= 1
        return self._known[operand]

    def _found(self, value: Value) -> Range:
        """The range of a value, from its definition."""
        match self.facts.definitions.get(value):
            case Apply(function=operator.getitem, operands=(Value(type=Tuple()) as shape, Const())):
                made = self.facts.definitions.get(shape)
                is_shape = isinstance(made, Apply) and kind(made.function) is Kind.EXTENT
                return EXTENT if is_shape else ANY
            case _ if self.facts.aliases.is_buffer(value):
                return ANY
            case Apply(function=np.where, operands=(condition, one, other)):
                chosen = self._chosen(condition, one, holds=True)
                return either(chosen, self._chosen(condition, other, holds=False))
            case Apply() as node:
                block = self.facts.holder[node]
                ranges = [self.at(operand, block) for operand in node.operands]
                square = len(node.operands) == 2 and self.alike(*node.operands)
                return range_of(node.function, ranges, square=square)
            case Load(buffer=Value() as array) | View(buffer=array) if not self.facts.aliases.is_buffer(
                array
            ):
                return self.of(array)
            case If() as node:
                place = node.results.index(value)
                sides = (node.then, node.orelse)
                return either(*(self.at(side.yields[place], side) for side in sides))
            case For() | While() as node:
                place = node.results.index(value)
                return self._carried(node, place)
            case None:
                return self._parameter(value)
            case _:
                return ANY

    def _chosen(self, condition: Operand, operand: Operand, *, holds: bool) -> Range:
        """The range of an operand of `np.where` at the places where it is chosen."""
        known = self.of(operand)
        return (
            within(known, self._under(condition, operand, holds=holds))
            if isinstance(operand, Value)
            else known
        )

    def _parameter(self, value: Value) -> Range:
        """The range of a parameter of a loop: its index, or what it carries."""
        region, _ = self.facts.parents.get(self.facts.where[value], (None, None))
        if isinstance(region, For) and value is region.body.parameters[0]:
            step = region.step
            forwards = isinstance(step, Const) and isinstance(step.value, int) and step.value > 0
            return Range(self.of(region.start).low) if forwards else ANY
        if isinstance(region, For | While) and value in carried_parameters(region):
            return self._carried(region, carried_parameters(region).index(value))
        return ANY

    def _carried(self, loop: For | While, place: int) -> Range:
        """The range of what a loop carries: a number that begins so and only grows is never smaller, one that only falls never larger."""
        begun = self.of(loop.inits[place])
        parameter, result = carried_parameters(loop)[place], loop.results[place]
        guesses: list[Range] = []
        if begun.low >= 0.0:
            guesses += [Range(begun.low, nonzero=begun.nonzero), NOT_NEGATIVE]
        if begun.high <= 0.0:
            guesses += [Range(high=begun.high, nonzero=begun.nonzero), Range(high=0.0)]
        for guess in dict.fromkeys(guesses):
            before = dict(self._known)
            self._known[parameter] = self._known[result] = guess
            after = self.at(loop.body.yields[place], loop.body)
            self._known = before
            inside = after.low >= guess.low and after.high <= guess.high
            if inside and (after.is_nonzero or not guess.is_nonzero):
                return guess
        return ANY

    def _under(self, condition: Operand, operand: Value, *, holds: bool) -> Range:
        """The range of a number of which a condition holds, or does not hold."""
        made = self.facts.definitions.get(condition) if isinstance(condition, Value) else None
        match made:
            case Apply(function=operator.not_, operands=(inner,)):
                return self._under(inner, operand, holds=not holds)
            case Apply(function=operator.and_ | np.logical_and, operands=(one, other)) if holds:
                parts = (self._under(each, operand, holds=True) for each in (one, other))
                return within(*parts)
            case Apply(function=function, operands=(one, other)) if kind(function) is Kind.COMPARISON:
                function = function if holds else operation(function).negation
                if self.alike(one, operand):
                    return compared(function, self.of(other))
                if self.alike(other, operand):
                    return compared(function, self.of(one), swapped=True)
        return ANY

    def alike(self, one: Operand, other: Operand, deep: int = 2) -> bool:
        """Whether two operands are certainly one number: one value, one element of an array that nothing writes, or computed from such.

        Not more than `deep` operations are looked through.
        """
        if one is other:
            return True
        if isinstance(one, Const) and isinstance(other, Const):
            return one.value is other.value or (
                type(one.value) is type(other.value)
                and not isinstance(one.value, np.ndarray)
                and bool(one.value == other.value)
            )
        if not isinstance(one, Value) or not isinstance(other, Value):
            return False
        match self.facts.definitions.get(one), self.facts.definitions.get(other):
            case Load() as left, Load() as right if left.buffer is right.buffer:
                same = len(left.index) == len(right.index) and not self.facts.aliases.is_buffer(left.buffer)
                pairs = zip(left.index, right.index, strict=True) if same else ()
                return same and all(
                    isinstance(i, Value | Const) and isinstance(j, Value | Const) and self.alike(i, j)
                    for i, j in pairs
                )
            case Apply(keywords=()) as left, Apply(keywords=()) as right if (
                deep > 0 and left.function is right.function and len(left.operands) == len(right.operands)
            ):
                is_pure = kind(left.function) in (Kind.ARITHMETIC, Kind.VIEW)
                written = self.facts.aliases.in_memory(one) or self.facts.aliases.in_memory(other)
                pairs = zip(left.operands, right.operands, strict=True)
                return is_pure and not written and all(self.alike(i, j, deep - 1) for i, j in pairs)
            case _:
                return False
