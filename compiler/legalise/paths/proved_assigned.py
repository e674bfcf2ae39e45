"""Prove that variables are assigned where they are read, from the conditions around that place, and by induction over the rounds of loops."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from backsweep.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Const,
    For,
    Function,
    If,
    Node,
    Operand,
    Raise,
    Value,
    While,
)
from backsweep.ir.walk import carried_parameters, definitions_of, walk

Truths = Mapping[Operand, bool]
"""Conditions of which it is known whether they hold."""
DEEPEST, MOST = 40, 400
"""How many merges within one another, and in all, are followed for one proof; what needs more is not proved."""


class Proofs:
    """What is certainly assigned where some conditions are known; `gaps` are the values that some path leaves unassigned."""

    def __init__(self, function: Function, gaps: AbstractSet[Value]) -> None:
        self.gaps = gaps
        self.made = definitions_of(function)
        self.loops: dict[Value, tuple[For | While, tuple[Value, ...]]] = {}
        for loop in walk(function.body):
            if isinstance(loop, For | While):
                carried = carried_parameters(loop)
                self.loops.update((value, (loop, carried)) for value in carried)
            if isinstance(loop, While):
                tested = loop.condition.parameters
                self.loops.update((value, (loop, tested)) for value in tested)
        self.around: dict[For, list[For]] = {}
        self._look_around(function.body, [])
        self.depth = self.steps = 0
        self.assumed: dict[Value, Truths] = {}
        """What rounds of loops begin with, by induction: assigned, where these conditions are as given."""

    def _look_around(self, block: Block, around: list[For]) -> None:
        for node in block.nodes:
            match node:
                case For():
                    self.around[node] = around
                    self._look_around(node.body, [*around, node])
                case While():
                    self._look_around(node.condition, around)
                    self._look_around(node.body, around)
                case If():
                    self._look_around(node.then, around)
                    self._look_around(node.orelse, around)
                case _:
                    pass

    # Conditions

    def truth(self, operand: Operand, known: Truths) -> bool | None:
        """Whether a condition holds, if that is known."""
        if operand in known:
            return known[operand]
        if isinstance(operand, Const):
            return bool(operand.value) if isinstance(operand.value, bool | int | float) else None
        match self.made.get(operand):
            case Apply(operands=(inner,)) as node if node.function in (operator.not_, bool):
                found = self.truth(inner, known)
                return found if found is None or node.function is bool else not found
            case If() as node:
                place = node.results.index(operand)
                side = self.truth(node.condition, known)
                ends = [each.yields[place] for each in (node.then, node.orelse)]
                if side is not None:
                    return self.truth(ends[0 if side else 1], known)
                found, other = (
                    self.truth(end, {**known, node.condition: holds})
                    for end, holds in zip(ends, (True, False), strict=True)
                )
                return found if found is other else None
            case _:
                return None

    def also(self, known: Truths, condition: Operand, *, holds: bool) -> Truths:
        """What is known where, besides, a condition holds, or does not."""
        found, waiting = dict(known), [(condition, holds)]
        while waiting:
            operand, truth = waiting.pop()
            if operand in found or isinstance(operand, Const):
                continue
            found[operand] = truth
            match self.made.get(operand):
                case Apply(function=operator.not_, operands=(inner,)):
                    waiting.append((inner, not truth))
                case Apply(operands=(inner,)) as node if node.function is bool:
                    waiting.append((inner, truth))
                case If() as node:
                    place = node.results.index(operand)
                    ends = (node.then.yields[place], node.orelse.yields[place])
                    for side, end, other in ((True, *ends), (False, *ends[::-1])):
                        there = {**found, node.condition: side}
                        if self.truth(end, there) is (not truth):  # so the other side ran
                            waiting += [(node.condition, not side), (other, truth)]
                case _:
                    pass
        return found

    # Values

    def is_there(self, operand: Operand, known: Truths) -> bool:
        """Whether the operand is certainly assigned where this is known."""
        if operand is UNDEFINED:
            return False
        if not isinstance(operand, Value) or operand not in self.gaps:
            return True
        if operand in self.assumed:
            told = self.assumed[operand]
            return all(self.truth(each, known) is holds for each, holds in told.items())
        self.steps = self.steps + 1 if self.depth else 0
        if self.depth > DEEPEST or self.steps > MOST:
            return False
        self.depth += 1
        found = self._is_there(operand, known)
        self.depth -= 1
        return found

    def _is_there(self, value: Value, known: Truths) -> bool:
        match self.made.get(value):
            case If() as node:
                return self._is_chosen(node, node.results.index(value), known)
            case For() | While() as loop:
                place = loop.results.index(value)
                told = {number: known[each] for number, each in enumerate(loop.results) if each in known}
                return self._is_carried(loop, place, told, known)
            case _:
                loop_or_none = self.loops.get(value)
                if loop_or_none is None:
                    return False
                loop, parameters = loop_or_none
                place = parameters.index(value)
                if isinstance(loop, For) and self._is_later(loop, known):
                    return self.is_there(loop.body.yields[place], {})
                told = {number: known[each] for number, each in enumerate(parameters) if each in known}
                return self._is_carried(loop, place, told, {}, is_begun=True)

    def _is_chosen(self, node: If, place: int, known: Truths) -> bool:
        """Whether each side of a branch that may have run assigns the variable."""
        truth = self.truth(node.condition, known)
        told = [(number, known[result]) for number, result in enumerate(node.results) if result in known]
        for side, holds in ((node.then, True), (node.orelse, False)):
            if truth is (not holds) or raises(side):
                continue
            inner = self.also(known, node.condition, holds=holds)
            if any(self.truth(side.yields[number], inner) is (not yielded) for number, yielded in told):
                continue
            for number, yielded in told:
                inner = self.also(inner, side.yields[number], holds=yielded)
            if not self.is_there(side.yields[place], inner):
                return False
        return True

    def _is_carried(
        self,
        loop: For | While,
        place: int,
        told: Mapping[int, bool],
        known: Truths,
        *,
        is_begun: bool = False,
    ) -> bool:
        """Whether a loop leaves a variable assigned where what it carries at some places is known: by induction over its rounds.

        With `is_begun`, whether it hands the variable on to any of its rounds.
        """
        first = known
        for number, holds in told.items():
            first = self.also(first, loop.inits[number], holds=holds)
        begins = self.is_there(loop.inits[place], first) or any(
            self.truth(loop.inits[number], known) is (not holds) for number, holds in told.items()
        )
        if not begins and (is_begun or not self.runs(loop)):
            return False
        inner = known
        for number, holds in told.items():
            inner = self.also(inner, loop.body.yields[number], holds=holds)
        if isinstance(loop, While) and loop.exit is not None and not is_begun and _is_endless(loop):
            inner = self.also(inner, loop.exit, holds=True)
        parameter = carried_parameters(loop)[place]
        if begins:
            self.assumed[parameter] = {
                carried_parameters(loop)[number]: holds for number, holds in told.items()
            }
        found = self.is_there(loop.body.yields[place], inner)
        self.assumed.pop(parameter, None)
        return found

    def _is_later(self, loop: For, known: Truths) -> bool:
        """Whether this is not the first round, by what is known of its number."""
        start, index = number_of(loop.start), loop.body.parameters[0]
        if start is None or (number_of(loop.step) or 0) < 1:
            return False
        if known.get(index) is True and start == 0:
            return True
        return any(
            _is_above(self.made.get(each), index, start, holds=holds)
            for each, holds in known.items()
            if isinstance(each, Value)
        )

    def runs(self, loop: For | While) -> bool:
        """Whether a loop certainly runs."""
        if isinstance(loop, While):
            pairs = zip(loop.condition.parameters, loop.inits, strict=True)
            begun: dict[Operand, bool] = {}
            for parameter, init in pairs:
                truth = self.truth(init, {})
                if truth is not None:
                    begun[parameter] = truth
            return self.truth(loop.condition.yields[0], begun) is True
        start, stop, step = map(number_of, (loop.start, loop.stop, loop.step))
        if start is not None and stop is not None and step:
            return (stop - start) * step > 0
        return any(_same_range(outer, loop) for outer in self.around[loop])


def raises(side: Block) -> bool:
    """Whether a side of a branch ends with an exception."""
    return bool(side.nodes) and isinstance(side.nodes[-1], Raise)


def _is_endless(loop: While) -> bool:
    """Whether only the exit ends a loop."""
    test = loop.condition.yields[0]
    return isinstance(test, Const) and bool(test.value)


def number_of(operand: Operand) -> int | None:
    """The whole number that a constant is."""
    value = operand.value if isinstance(operand, Const) else None
    return value if isinstance(value, int) else None


def _same_range(one: For, other: For) -> bool:
    """Whether two loops certainly have the same range."""
    pairs = zip((one.start, one.stop, one.step), (other.start, other.stop, other.step), strict=True)
    return all(a is b or (number_of(a) is not None and number_of(a) == number_of(b)) for a, b in pairs)


COMPARED: Mapping[Any, tuple[Any, Any]] = {
    operator.gt: (operator.lt, operator.le),
    operator.ge: (operator.le, operator.lt),
    operator.lt: (operator.gt, operator.ge),
    operator.le: (operator.ge, operator.gt),
    operator.eq: (operator.eq, operator.ne),
    operator.ne: (operator.ne, operator.eq),
}
"""What a comparison is with its sides exchanged, and what holds where it does not."""


def _is_above(node: Node | None, index: Value, start: int, *, holds: bool) -> bool:
    """Whether a comparison that holds, or does not, says that the index is above where its range starts."""
    if not isinstance(node, Apply) or node.function not in COMPARED or len(node.operands) != 2:
        return False
    function, (one, other) = node.function, node.operands
    if other is index:
        function, one, other = COMPARED[function][0], other, one
    limit = number_of(other)
    if one is not index or limit is None:
        return False
    if not holds:
        function = COMPARED[function][1]
    match function:
        case operator.gt:
            return limit >= start
        case operator.ge | operator.eq:
            return limit > start
        case operator.ne:
            return limit == start
        case _:
            return False
