"""Trip counts of loops and the reversal of their ranges, also computed before an outer loop begins."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

import numpy as np

from backsweep.analysis.hoisting import Hoisted, guards, moved, where_it_runs
from backsweep.analysis.integers.affine import literal
from backsweep.analysis.structure import Facts
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, For, If, Node, Operand, Value, While
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import INT
from backsweep.ir.walk import carried_parameters, rename_operands
from backsweep.runtime.lists import sequences

FEW = 8
"""A loop of no more iterations is left as it is: the machine unrolls it."""


def is_short(loop: For) -> bool:
    """Whether the loop has few iterations."""
    start, stop = literal(loop.start), literal(loop.stop)
    return start is not None and stop is not None and abs(stop - start) <= FEW


def unit(operand: Operand) -> int | None:
    """The step as 1 or -1; None for any other."""
    return operand.value if isinstance(operand, Const) and operand.value in (1, -1) else None


def arithmetic(builder: Builder, function: Any, left: Operand, right: Operand) -> Operand:
    """Integer arithmetic, literals folded."""
    if isinstance(left, Const) and isinstance(right, Const) and not left.name and not right.name:
        return Const(function(left.value, right.value))
    if isinstance(right, Const) and right.value == 0 and function in (operator.add, operator.sub):
        return left
    return builder.apply(function, left, right, type=INT)


def iteration(loop: For, builder: Builder) -> Operand:
    """The number of the iteration, from the loop's index."""
    index = loop.body.parameters[0]
    match unit(loop.step):
        case 1:
            return arithmetic(builder, operator.sub, index, loop.start)
        case -1:
            return arithmetic(builder, operator.sub, loop.start, index)
        case _:
            along = arithmetic(builder, operator.sub, index, loop.start)
            return builder.apply(operator.floordiv, along, loop.step, type=INT)


def place(loop: For, builder: Builder) -> Operand:
    """A number that no other iteration has, and that is never negative: the index if it counts up from a known number."""
    start, step = literal(loop.start), literal(loop.step)
    is_own = start is not None and start >= 0 and step is not None and step > 0
    return loop.body.parameters[0] if is_own else iteration(loop, builder)


def counter_of(loop: For | While, facts: Facts) -> tuple[Value, Value] | None:
    """The variable with which the loop counts its iterations from 0: as a parameter and as a result."""
    parameters = carried_parameters(loop)
    for init, parameter, last, result in zip(
        loop.inits, parameters, loop.body.yields, loop.results, strict=True
    ):
        node = facts.definitions.get(last) if isinstance(last, Value) else None
        if literal(init) == 0 and isinstance(node, Apply) and node.function is operator.add:
            left, right = node.operands
            if left is parameter and literal(right) == 1 and node.result.type == parameter.type == INT:
                return parameter, result
    return None


def reversed_range(loop: For, builder: Builder) -> tuple[Operand, Operand, Operand]:
    """Start, stop and step of the range that runs through the loop's index values last to first."""
    step = unit(loop.step)
    if step is not None:
        one = Const(step)
        return (
            arithmetic(builder, operator.sub, loop.stop, one),
            arithmetic(builder, operator.sub, loop.start, one),
            Const(-step),
        )
    count = builder.apply(sequences.trip_count, loop.start, loop.stop, loop.step, type=INT)
    along = builder.apply(
        operator.mul, arithmetic(builder, operator.sub, count, Const(1)), loop.step, type=INT
    )
    first = arithmetic(builder, operator.add, loop.start, along)
    back = -loop.step.value if isinstance(loop.step, Const) else None
    step_back = Const(back) if back is not None else builder.apply(operator.neg, loop.step, type=INT)
    return first, arithmetic(builder, operator.sub, loop.start, loop.step), step_back


def upwards(builder: Builder, loop: For) -> For:
    """A loop that runs down in steps of one, through the same index values upwards."""
    start, stop = (arithmetic(builder, operator.add, each, Const(1)) for each in (loop.stop, loop.start))
    return dataclasses.replace(loop, start=start, stop=stop, step=Const(1))


def trips_here(
    loop: For, builder: Builder, facts: Facts, start: Operand, stop: Operand, step: Operand
) -> Operand:
    """The trip count of a loop, written with these operands for its bounds."""
    match unit(loop.step):
        case 1:
            count = arithmetic(builder, operator.sub, stop, start)
        case -1:
            count = arithmetic(builder, operator.sub, start, stop)
        case _:
            return builder.apply(sequences.trip_count, start, stop, step, type=INT)
    if isinstance(count, Const):
        return Const(max(count.value, 0))
    if count is stop and _is_extent(loop.stop, facts):
        return count
    return builder.apply(max, count, Const(0), type=INT)


def trip_count(loop: For, outermost: Node, facts: Facts) -> Hoisted | None:
    """The loop's trip count, computed before `outermost`; None if it is not known there.

    Where a branch looks at the bounds before it runs the loop, a count that the branch rejects may be huge: it is not used.
    """
    bounds = (loop.start, loop.stop, loop.step)
    parts = [moved(operand, outermost, facts) for operand in bounds]
    builder = Builder(loc=loop.loc)
    operands: list[Operand] = []
    for part in parts:
        if part is None:
            return None
        builder.add(*part.nodes)
        operands.append(part.result)
    with builder.block() as block:
        count = trips_here(loop, builder, facts, *operands)
    counted: Hoisted = [*builder.current.nodes, *block.nodes], count
    if any(part is not None and part.may_fail for part in parts):
        return where_it_runs(counted, loop, outermost, facts)
    if any(guards(operand, loop, outermost, facts) for operand in bounds):
        return where_it_runs(counted, loop, outermost, facts, regions=If) or counted
    return counted


def _is_extent(operand: Operand, facts: Facts) -> bool:
    """Whether the operand is the extent of an array, so that it cannot be negative."""
    if not isinstance(operand, Value):
        return False
    match facts.definitions.get(operand):
        case Apply(function=function) if function in (np.size, len):
            return True
        case Apply(function=operator.getitem, operands=(Value() as shape, _)):
            source = facts.definitions.get(shape)
            return isinstance(source, Apply) and source.function is np.shape
        case _:
            return False


def never_runs(loop: While) -> bool:
    """Whether the condition is false from the start (Numba drops such a loop as well, with all that it says of types)."""
    known = dict(zip(loop.condition.parameters, loop.inits, strict=True))
    (test,) = _outcomes(loop.condition, known)
    return isinstance(test, Const) and test.value is False


def _outcomes(block: Block, known: dict[Value, Operand]) -> list[Operand]:
    """What the block yields if the integers in `known` have these values; comparisons of them are evaluated."""
    for node in block.nodes:
        node = rename_operands(node, lambda operand: known.get(operand, operand))  # type: ignore[arg-type]
        match node:
            case Apply(
                function=function, operands=(Const(value=int() as left), Const(value=int() as right))
            ) if kind(function) is Kind.COMPARISON:
                known[node.result] = Const(function(left, right))
            case If(condition=Const(value=bool(chosen))):
                side = node.then if chosen else node.orelse
                known.update(zip(node.results, _outcomes(side, known), strict=True))
            case If():
                sides = zip(_outcomes(node.then, known), _outcomes(node.orelse, known), strict=True)
                known.update(
                    (result, one)
                    for result, (one, other) in zip(node.results, sides, strict=True)
                    if isinstance(one, Const) and isinstance(other, Const) and one.value is other.value
                )
            case _:
                pass
    return [
        known.get(operand, operand) if isinstance(operand, Value) else operand for operand in block.yields
    ]
