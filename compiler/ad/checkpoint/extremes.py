"""A running maximum or minimum records nothing per iteration, only the last iteration that replaced it.

    for j in range(n):
        top = max(top, x[j])

The adjoint of `top` goes to the number that replaced it last. Before that iteration it is zero, so that nothing there has
to be known; after it, `top` was what it is when the loop ends; and in that iteration it was less than the number that
replaced it, for which any lesser number can stand. The same holds for `if x[j] > top: top = x[j]`, where all that the
reverse sweep asks for is whether the condition held.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from backsweep.ad.checkpoint.records.recorder import Carry, Recorder
from backsweep.analysis.structure import ActiveFacts
from backsweep.ir.build import Builder
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import Apply, Block, Const, For, If, Node, Operand, Value, While
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import INT, Scalar
from backsweep.ir.walk import carried_parameters, leaving, operands, results, walk

BOOL = Scalar("bool")
Replaces = Callable[[Builder, Operand, Operand], Value]
"""Writes whether the second number, the new one, takes the place of the first, a tie apart."""


@dataclass(frozen=True, slots=True)
class _Choosing:
    """A function that keeps one of two numbers; `beaten` is one that any new number replaces, with the same derivative."""

    replaces: Replaces
    beaten: float


def _if_new(comparison: Any) -> Replaces:
    return lambda builder, carried, new: builder.apply(comparison, new, carried, type=BOOL)


def _unless_carried(comparison: Any) -> Replaces:
    def write(builder: Builder, carried: Operand, new: Operand) -> Value:
        return builder.apply(operator.not_, builder.apply(comparison, carried, new, type=BOOL), type=BOOL)

    return write


# The builtins keep the first number unless the second one beats it, also where one is nan.
CHOOSING: dict[tuple[Any, int], _Choosing] = {
    (max, 0): _Choosing(_if_new(operator.gt), -math.inf),
    (min, 0): _Choosing(_if_new(operator.lt), math.inf),
    (max, 1): _Choosing(_unless_carried(operator.ge), math.nan),
    (min, 1): _Choosing(_unless_carried(operator.le), math.nan),
}
"""By the function and the position of the carried number."""


@dataclass(frozen=True, slots=True)
class Extreme:
    """A carried number that a loop replaces, and what the reversal of an iteration reads of it.

    `read` is the carried number or, of a branch, the condition under which it is replaced. `at` is the last iteration
    that replaced it: where the forward sweep carries it and as it leaves the loop.
    """

    node: Apply | If
    parameter: Value
    result: Value
    read: Value
    at: tuple[Value, Value]

    def stand_in(self, builder: Builder, number: Operand) -> Value:
        """Write what the reversal of iteration `number` reads in place of `read`."""
        last = builder.apply(operator.eq, number, self.at[1], type=BOOL)
        if isinstance(self.node, If):
            if self.node.orelse.yields[self._position()] is self.parameter:
                return last
            return builder.apply(operator.not_, last, type=BOOL)
        held = Value(self.parameter.name, self.parameter.type, self.parameter.loc)
        beaten, kept = (Block((), (), (each,)) for each in (Const(self._choosing().beaten), self.result))
        builder.add(If(last, beaten, kept, (held,), builder.loc))
        return held

    def note(self, loop: For | While, number: Callable[[Builder], Operand], recorder: Recorder) -> None:
        """Have the forward sweep note the iteration."""
        carried, left = self.at
        builder = Builder(loc=self.node.loc)
        here = number(builder)
        noted = Value(carried.name, INT, self.node.loc)
        if isinstance(self.node, If):
            kept_in_else = self.node.orelse.yields[self._position()] is self.parameter
            sides = (here, carried) if kept_in_else else (carried, here)
            recorder.results.setdefault(self.node, []).append((noted, *sides))
        else:
            (new,) = (each for each in self.node.operands if each is not self.parameter)
            replaced = self._choosing().replaces(builder, self.parameter, new)
            builder.add(
                If(replaced, Block((), (), (here,)), Block((), (), (carried,)), (noted,), self.node.loc)
            )
        recorder.before.setdefault(self.node, []).extend(builder.current.nodes)
        recorder.carries.setdefault(loop, []).append(Carry(Const(-1), carried, left, noted))
        recorder.facts.where[carried] = loop.body
        recorder.define(left, loop)

    def _choosing(self) -> _Choosing:
        assert isinstance(self.node, Apply)
        return CHOOSING[self.node.function, self.node.operands.index(self.parameter)]

    def _position(self) -> int:
        """The position of the carried number among what the branch yields."""
        assert isinstance(self.node, If)
        pairs = zip(self.node.then.yields, self.node.orelse.yields, strict=True)
        (position,) = (k for k, pair in enumerate(pairs) if self.parameter in pair)
        return position


def extremes(loop: For | While, facts: ActiveFacts) -> list[Extreme]:
    """The running maxima and minima of the loop."""
    found: list[Extreme] = []
    carried = zip(carried_parameters(loop), loop.body.yields, loop.results, strict=True)
    for parameter, last, result in carried:
        node = facts.definitions.get(last) if isinstance(last, Value) else None
        if not isinstance(parameter.type, Scalar) or last not in facts.active or node not in loop.body.nodes:
            continue
        match node:
            case Apply() if _keeps_one(node, parameter, loop):
                read = parameter
            case If(condition=Value() as read) if _replaces(node, parameter, loop, facts):
                pass
            case _:
                continue
        name = f"{parameter.name}_at" if parameter.name else "at"
        at = Value(name, INT, loop.loc), Value(name, INT, loop.loc)
        found.append(Extreme(node, parameter, result, read, at))
    return found


def _keeps_one(node: Apply, parameter: Value, loop: For | While) -> bool:
    """Whether the call keeps the carried number or a new one, and nothing else in the loop reads either."""
    places = [k for k, each in enumerate(node.operands) if each is parameter]
    return (
        len(places) == 1
        and (node.function, places[0]) in CHOOSING
        and node.result.type == parameter.type
        and _is_read_by([node], parameter, loop)
        and _is_handed_on(node, loop)
    )


def _replaces(node: If, parameter: Value, loop: For | While, facts: ActiveFacts) -> bool:
    """Whether a branch on a comparison of the carried number replaces it, and others, by what does not depend on them.

    Nothing else in the loop may read the others either: only then the last replacement is all that counts.
    """
    assert isinstance(node.condition, Value)
    test = facts.definitions.get(node.condition)
    keeping = [side for side in (node.then, node.orelse) if parameter in side.yields]
    if not isinstance(test, Apply) or kind(test.function) is not Kind.COMPARISON:
        return False
    if parameter not in test.operands or len(keeping) != 1 or keeping[0].nodes:
        return False
    (kept,) = keeping
    other = node.then if kept is node.orelse else node.orelse
    before = dict(zip(loop.body.yields, carried_parameters(loop), strict=True))
    pairs = zip(node.results, kept.yields, strict=True)
    replaced = {result: old for result, old in pairs if result in facts.active}
    return (
        not any(map(has_effect, other.nodes))
        and all(isinstance(result.type, Scalar) for result in replaced)
        and all(before.get(result) is old for result, old in replaced.items())
        and all(
            isinstance(old, Value) and _is_read_by([test, node] if old is parameter else [node], old, loop)
            for old in replaced.values()
        )
        and not _touches(other, replaced.values())
        and _is_read_by([node], node.condition, loop)
        and _is_handed_on(node, loop)
    )


def _touches(block: Block, values: Collection[Operand]) -> bool:
    """Whether the block reads one of the values or yields it."""
    return any(value in block.yields for value in values) or any(
        value in (*operands(node), *leaving(node)) for value in values for node in walk(block)
    )


def _is_read_by(readers: Sequence[Node], value: Value, loop: For | While) -> bool:
    """Whether these nodes, and nothing else, read the value in an iteration or at its end."""
    found = [node for node in walk(loop.body) if value in (*operands(node), *leaving(node))]
    return found == [*readers] and value not in (*loop.body.yields, loop.exit)


def _is_handed_on(node: Apply | If, loop: For | While) -> bool:
    """Whether only the next iteration reads the node's results, and each is carried as one value."""
    inside = {each for inner in walk(loop.body) for each in (*operands(inner), *leaving(inner))}
    return all(
        each not in inside and loop.body.yields.count(each) <= 1 and each is not loop.exit
        for each in results(node)
    )
