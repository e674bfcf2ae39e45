"""Find sums of squares: at zero, all their inner derivatives are exactly zero.

The root of such a sum is a norm, written out: `(dx * dx + dy * dy) ** 0.5`. Where it is zero its partial derivative is
infinite, and what that is multiplied with is zero.
"""

from __future__ import annotations

import math
import operator

import numpy as np

from backsweep.ad.zeros.ranges import Ranges
from backsweep.analysis.structure import Facts
from backsweep.ir.nodes import Apply, Const, For, If, Load, Operand, Tap, Value, View, While
from backsweep.ir.operations import Kind, canonical, kind
from backsweep.ir.typed import dtype_of
from backsweep.ir.walk import carried_parameters
from backsweep.runtime.broadcasting import aligned, stretched


class Squares:
    """Which numbers of a typed program, or all entries of which arrays, are sums of squares of real numbers."""

    def __init__(self, facts: Facts, ranges: Ranges) -> None:
        self.facts = facts
        self.ranges = ranges
        self._known: dict[Value, bool] = {}

    def has_root(self, node: Apply) -> bool:
        """Whether the node takes a root of a sum of squares."""
        if node.function in (np.sqrt, math.sqrt):
            return self.are(node.operands[0])
        if canonical(node.function) is operator.pow and len(node.operands) > 1:
            exponent = _number(node.operands[1])
            return exponent is not None and 0.0 < exponent < 1.0 and self.are(node.operands[0])
        return False

    def are(self, operand: Operand) -> bool:
        """Whether the operand is certainly such a sum; the empty sum is zero."""
        if isinstance(operand, Const):
            return _number(operand) == 0.0
        if dtype_of(operand) not in ("float64", "float32"):
            return False
        if operand not in self._known:
            before = dict(self._known)
            self._known[operand] = True  # a sum that a loop goes on with
            if not self._found(operand):
                self._known = before
                self._known[operand] = False
        return self._known[operand]

    def _found(self, value: Value) -> bool:
        """Whether a value is such a sum, from its definition."""
        if self.facts.aliases.is_buffer(value):
            return False
        match self.facts.definitions.get(value):
            case Apply() as node:
                return self._computed(node)
            case Load(buffer=Value() as array) | View(buffer=array) if not self.facts.aliases.is_buffer(
                array
            ):
                return self.are(array)
            case If() as node:
                place = node.results.index(value)
                return self.are(node.then.yields[place]) and self.are(node.orelse.yields[place])
            case For() | While() as node:
                return self._carried(node, node.results.index(value))
            case None:
                loop, _ = self.facts.parents.get(self.facts.where[value], (None, None))
                if isinstance(loop, For | While) and value in carried_parameters(loop):
                    return self._carried(loop, carried_parameters(loop).index(value))
                return False
            case _:
                return False

    def _carried(self, loop: For | While, place: int) -> bool:
        """Whether what a loop carries is such a sum at its beginning and after each iteration."""
        return self.are(loop.inits[place]) and self.are(loop.body.yields[place])

    def _computed(self, node: Apply) -> bool:
        """Whether a node computes a square, or a sum of squares."""
        function, operands = canonical(node.function), node.operands
        match function, operands:
            case operator.mul | operator.matmul | np.vdot, (one, other) if self.ranges.alike(one, other):
                return _is_real(one)
            case operator.mul, (one, other):
                return (_is_positive(one) and self.are(other)) or (_is_positive(other) and self.are(one))
            case operator.truediv, (one, other):
                return _is_positive(other) and self.are(one)
            case operator.pow, (one, other):
                exponent = _number(other)
                return exponent is not None and exponent > 0.0 and exponent % 2.0 == 0.0 and _is_real(one)
            case np.square, (one,):
                return _is_real(one)
            case operator.add, (one, other):
                return self.are(one) and self.are(other)
            case np.sum | np.mean, (one, *_):
                return self.are(one)
            case _ if isinstance(function, Tap) or kind(function) in (Kind.VIEW, Kind.COPY):
                return self.are(operands[0])
            case _ if node.function in (aligned, stretched):
                return self.are(operands[0])
            case _:
                return False


def _number(operand: Operand) -> float | None:
    """The number that a constant is."""
    value = operand.value if isinstance(operand, Const) else None
    return float(value) if isinstance(value, int | float) else None


def _is_positive(operand: Operand) -> bool:
    number = _number(operand)
    return number is not None and number > 0.0


def _is_real(operand: Operand) -> bool:
    """Whether the operand is a real number, or an array of such."""
    return isinstance(operand, Value) and dtype_of(operand) in ("float64", "float32")
