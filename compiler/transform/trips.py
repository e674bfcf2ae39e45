"""Trip counts and the reversal of ranges, and what of them is known before a loop begins."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

import numpy as np

from backsweep.analysis.affine import Affine, Atom, Dim, literal, variable
from backsweep.analysis.facts import Facts
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Const, For, Load, Node, Operand, Value, While
from backsweep.ir.types import INT, Array
from backsweep.ir.walk import operands, rename_operands
from backsweep.runtime import ranges

Hoisted = tuple[list[Node], Operand]

MOVABLE = {
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.mod,
    operator.neg,
    operator.getitem,
    np.shape,
    np.size,
    len,
    min,
    max,
    int,
}

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


def counter_of(loop: For | While, facts: Facts) -> tuple[Value, Value] | None:
    """What the loop itself counts its iterations with, from 0 on: as a parameter, and as a result."""
    parameters = loop.body.parameters[1:] if isinstance(loop, For) else loop.body.parameters
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
    count = builder.apply(ranges.trip_count, loop.start, loop.stop, loop.step, type=INT)
    along = builder.apply(
        operator.mul, arithmetic(builder, operator.sub, count, Const(1)), loop.step, type=INT
    )
    first = arithmetic(builder, operator.add, loop.start, along)
    back = -loop.step.value if isinstance(loop.step, Const) else None
    step_back = Const(back) if back is not None else builder.apply(operator.neg, loop.step, type=INT)
    return first, arithmetic(builder, operator.sub, loop.start, loop.step), step_back


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
            return builder.apply(ranges.trip_count, start, stop, step, type=INT)
    if isinstance(count, Const):
        return Const(max(count.value, 0))
    if count is stop and _is_extent(loop.stop, facts):
        return count
    return builder.apply(max, count, Const(0), type=INT)


def trip_count(loop: For, outermost: Node, facts: Facts) -> Hoisted | None:
    """The loop's trip count, computed before `outermost`; None if it is not known there."""
    parts = [hoisted(operand, outermost, facts) for operand in (loop.start, loop.stop, loop.step)]
    builder = Builder(loc=loop.loc)
    operands: list[Operand] = []
    for part in parts:
        if part is None:
            return None
        builder.add(*part[0])
        operands.append(part[1])
    with builder.block() as block:
        count = trips_here(loop, builder, facts, *operands)
    return [*builder.current.nodes, *block.nodes], count


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


def hoisted(operand: Operand, outermost: Node, facts: Facts) -> Hoisted | None:
    """The operand with whatever it is computed from, as it can be computed before `outermost`; None if it cannot."""
    if not isinstance(operand, Value) or not facts.is_within(operand, outermost):
        return [], operand
    node = facts.definitions.get(operand)
    measured = _measured(node, facts)
    if measured is not None and facts.is_within(measured[0], outermost):
        return extent_before(facts.shapes.of(measured[0])[measured[1]], outermost, facts)
    movable = isinstance(node, Apply) and node.function in MOVABLE
    readable = isinstance(node, Load) and not facts.aliases.is_buffer(node.buffer)
    if not (movable or readable):
        return None
    assert isinstance(node, Apply | Load)
    nodes: list[Node] = []
    renamed: dict[Operand, Operand] = {}
    for source in operands(node):
        part = hoisted(source, outermost, facts)
        if part is None:
            return None
        nodes += part[0]
        renamed[source] = part[1]
    copy = dataclasses.replace(operand)
    moved = rename_operands(node, lambda each: renamed.get(each, each))
    assert isinstance(moved, Apply | Load)
    return [*nodes, dataclasses.replace(moved, result=copy)], copy


def _measured(node: Node | None, facts: Facts) -> tuple[Value, int] | None:
    """The array and the axis whose extent the node is; None if it is none."""
    match node:
        case Apply(function=function, operands=(Value(type=Array(ndim=ndim)) as array,)) if (
            function is len or (function is np.size and ndim == 1)
        ):
            return array, 0
        case Apply(function=operator.getitem, operands=(Value() as shape, Const(value=int() as axis))):
            source = facts.definitions.get(shape)
            if isinstance(source, Apply) and source.function is np.shape:
                (base,) = source.operands
                if isinstance(base, Value) and isinstance(base.type, Array):
                    return base, axis
            return None
        case _:
            return None


def _is_visible(value: Value, outermost: Node, facts: Facts) -> bool:
    """Whether no branch or loop that `outermost` does not stand in keeps the value to itself."""
    where = facts.where.get(value)
    holders = [facts.holder[outermost]]
    holders += [facts.holder[region] for region in facts.path(holders[0])]
    return where is None or where in holders or facts.is_within(value, outermost)


def _measurable(atom: Atom, outermost: Node, facts: Facts) -> Dim | None:
    """An axis with this extent of an array that is there before `outermost`; None if there is none."""
    if isinstance(atom, Dim) and isinstance(atom.value.type, Array):
        if _is_before(atom.value, outermost, facts):
            return atom
    elif not isinstance(atom, Value) or _is_visible(atom, outermost, facts):
        return None
    wanted = variable(atom)
    for value in facts.where:
        if (
            isinstance(value.type, Array)
            and value in facts.definitions
            and _is_before(value, outermost, facts)
        ):
            found = facts.shapes.of(value)
            if wanted in found and facts.is_there(value, facts.holder[outermost]):
                return Dim(value, found.index(wanted))
    return None


def _is_before(value: Value, outermost: Node, facts: Facts) -> bool:
    """Whether the value is made before `outermost`, and visible there."""
    made = facts.definitions.get(value)
    earlier = made is None or facts.position.get(made, -1) < facts.position[outermost]
    return earlier and _is_visible(value, outermost, facts) and not facts.is_within(value, outermost)


def extent_before(extent: Affine, outermost: Node, facts: Facts) -> Hoisted | None:
    """An array extent, computed before `outermost`; None if it depends on what happens inside."""
    builder = Builder(loc=outermost.loc)
    total: Operand | None = None
    for atom, coefficient in extent.terms.items():
        measured = _measurable(atom, outermost, facts)
        if measured is not None:
            shape = builder.apply(np.shape, measured.value)
            term: Operand = builder.apply(operator.getitem, shape, Const(measured.axis), type=INT)
        elif isinstance(atom, Value) and _is_visible(atom, outermost, facts):
            part = hoisted(atom, outermost, facts)
            if part is None:
                return None
            builder.add(*part[0])
            term = part[1]
        else:
            return None
        if coefficient != 1:
            term = builder.apply(operator.mul, Const(coefficient), term, type=INT)
        total = term if total is None else builder.apply(operator.add, total, term, type=INT)
    if total is None:
        return [], Const(extent.const)
    if extent.const > 0:
        total = builder.apply(operator.add, total, Const(extent.const), type=INT)
    if extent.const < 0:
        total = builder.apply(operator.sub, total, Const(-extent.const), type=INT)
        total = builder.apply(max, total, Const(0), type=INT)
    return list(builder.current.nodes), total
