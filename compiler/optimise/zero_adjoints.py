"""Skip a loop of the reverse sweep that only adds multiples of an adjoint, where that is zero.

The adjoint of a minimum, a branch or a mask is zero for all but some numbers. If a loop computes each of these numbers, as here the
distance from a centroid, then the loop that reverses it has something to add for some of them only:

    square_bar = least_bar if j == least_at else 0.0
    if square_bar != 0.0:
        for d in range(n):
            centroids_bar[j, d] += square_bar * 2.0 * (centroids[j, d] - points[i, d])
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Mapping

import numpy as np

from backsweep.analysis.trip_counts import is_short
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import (
    ZERO,
    Apply,
    Block,
    Comment,
    Const,
    For,
    Function,
    If,
    Load,
    Node,
    Operand,
    Store,
    Value,
    View,
)
from backsweep.ir.operations import canonical
from backsweep.ir.sweeps import rebuild_reverse_sweep
from backsweep.ir.types import BOOL, Scalar, is_float
from backsweep.ir.walk import blocks, definitions_of, free_values, map_blocks, results, walk, with_nodes
from backsweep.runtime.special import along, strong_product, strong_quotient

_QUOTIENTS = (operator.truediv, along, strong_quotient, strong_product)
"""What is a multiple of its first operand."""


def skip_zero_adjoints(function: Function) -> Function:
    """The program, in whose reverse sweep a loop that adds multiples of a number that may be zero runs only where it is not."""
    return rebuild_reverse_sweep(function, _Skipping(function).node)


class _Skipping:
    """Rebuilds blocks, outer loops first."""

    def __init__(self, function: Function) -> None:
        self.definitions = definitions_of(function)

    def node(self, node: Node) -> list[Node]:
        """The node; a loop that adds multiples of an adjoint stands in a branch."""
        if isinstance(node, For) and (adjoint := self.adjoint(node)) is not None:
            return _where_not_zero(node, adjoint)
        return [map_blocks(node, self.block)]

    def block(self, block: Block) -> Block:
        return with_nodes(block, [each for node in block.nodes for each in self.node(node)])

    def adjoint(self, loop: For) -> Value | None:
        """The number that may be zero, and of which the loop adds multiples; None if there is none."""
        if is_short(loop) or loop.exit is not None or loop.parallel:
            return None
        for value in free_values(Block((), (loop,), ())):
            if isinstance(value.type, Scalar) and is_float(value.type) and self.is_zero_somewhere(value):
                if _Multiples(loop, value, self.definitions).are_all():
                    return value
        return None

    def is_zero_somewhere(self, operand: Operand) -> bool:
        """Whether a branch or a choice makes the number zero, as one that has no part in the result."""
        node = self.definitions.get(operand) if isinstance(operand, Value) else None
        match node:
            case If():
                place = node.results.index(operand)
                sides = (node.then.yields[place], node.orelse.yields[place])
                return any(_is_zero(side) or self.is_zero_somewhere(side) for side in sides)
            case Apply(operands=(_, one, other)) if canonical(node.function) is np.where:
                return _is_zero(one) or _is_zero(other)
            case Apply(operands=(one, other)) if node.function is operator.mul:
                return self.is_zero_somewhere(one) or self.is_zero_somewhere(other)
            case Apply(operands=(one, *_)) if node.function in (operator.neg, *_QUOTIENTS):
                return self.is_zero_somewhere(one)
        return False


class _Multiples:
    """Whether a loop does nothing but add multiples of a number."""

    def __init__(self, loop: For, number: Value, definitions: Mapping[Value, Node]) -> None:
        self.loop = loop
        self.number = number
        self.definitions = definitions
        self.inside = {value for node in walk(loop.body) for value in results(node)}
        self.known: dict[Operand, bool] = {}

    def are_all(self) -> bool:
        """Whether the loop changes nothing where the number is zero."""
        sums = zip(self.loop.body.yields, self.loop.body.parameters[1:], strict=True)
        return self.only_adds(self.loop.body.nodes) and all(self.is_sum(*pair) for pair in sums)

    def only_adds(self, nodes: Iterable[Node]) -> bool:
        """Whether the nodes compute, read, and add multiples to elements."""
        for node in nodes:
            match node:
                case Store(accumulate=True) if self.is_multiple(node.value):
                    pass
                case Apply() if not has_effect(node):
                    pass
                case Load() | View() | Comment():
                    pass
                case For(exit=None) | If() if all(self.only_adds(block.nodes) for block in blocks(node)):
                    pass
                case _:
                    return False
        return True

    def is_sum(self, operand: Operand, carried: Value) -> bool:
        """Whether the operand is the carried number plus multiples."""
        if operand is carried:
            return True
        node = self.definitions.get(operand) if isinstance(operand, Value) else None
        match node:
            case Apply(operands=(one, other)) if node.function in (operator.add, operator.sub):
                return (self.is_sum(one, carried) and self.is_multiple(other)) or (
                    node.function is operator.add and self.is_sum(other, carried) and self.is_multiple(one)
                )
            case If():
                place = node.results.index(operand)
                return all(self.is_sum(side.yields[place], carried) for side in (node.then, node.orelse))
        return False

    def is_multiple(self, operand: Operand) -> bool:
        """Whether the operand is zero where the number is."""
        if operand is self.number or _is_zero(operand):
            return True
        if operand not in self.known:
            self.known[operand] = True  # what a loop carries, while its sum is looked at
            self.known[operand] = operand in self.inside and self._is_multiple(operand)
        return self.known[operand]

    def _is_multiple(self, operand: Operand) -> bool:
        assert isinstance(operand, Value)
        node = self.definitions[operand]
        match node:
            case Apply(operands=(one, other)) if node.function is operator.mul:
                return self.is_multiple(one) or self.is_multiple(other)
            case Apply(operands=(one, other)) if node.function in (operator.add, operator.sub):
                return self.is_multiple(one) and self.is_multiple(other)
            case Apply(operands=(one, *_)) if node.function in (operator.neg, *_QUOTIENTS):
                return self.is_multiple(one)
            case If():
                place = node.results.index(operand)
                return all(self.is_multiple(side.yields[place]) for side in (node.then, node.orelse))
            case For():
                place = node.results.index(operand)
                sums = self.is_sum(node.body.yields[place], node.body.parameters[1 + place])
                return self.is_multiple(node.inits[place]) and sums
        return False


def _is_zero(operand: Operand) -> bool:
    return isinstance(operand, Const) and isinstance(operand.value, float) and operand.value == 0.0


def _where_not_zero(loop: For, adjoint: Value) -> list[Node]:
    """The loop in a branch; without it, its sums are what they were."""
    condition = Value("", BOOL, loop.loc)
    sums = tuple(dataclasses.replace(each) for each in loop.results)
    then = Block((), (dataclasses.replace(loop, results=sums),), sums)
    test = Apply(condition, operator.ne, (adjoint, ZERO), loop.loc)
    return [test, If(condition, then, Block((), (), loop.inits), loop.results, loop.loc)]
