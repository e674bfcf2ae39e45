"""Make slopes that were chosen at kinks nan there, in programs that are differentiated again.

The tangent of a length or an absolute value is 0 where the length is: one of its slopes. It is right for the tangent alone. A second derivative
that took it for the slope of a smooth function would be a wrong number.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.integers.extents import shapes_of
from backsweep.ir.build import Builder
from backsweep.ir.nodes import ZERO, Apply, Const, Function, Load, Node, Operand, Value, View
from backsweep.ir.operations import Kind, canonical, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import changed, results, rewrite, substitute, walk, with_body
from backsweep.runtime.gather import first_among, last_among
from backsweep.runtime.special import (
    CHOSEN,
    SHARES,
    UNCHOSEN,
    UNKNOWN_AGAIN,
    shared,
    touching,
)


def leave_slopes_unchosen(function: Function) -> Function:
    """The typed program, in which no slope is chosen at zero."""

    def written(node: Node) -> list[Node]:
        if isinstance(node, Apply) and node.function in UNCHOSEN:
            return [changed(node, function=UNCHOSEN[node.function])]
        return [node]

    return rewrite(function, written)


def with_one_side(function: Function) -> Function:
    """A derivative of which no value is asked for, in which one side of a tie has the whole cotangent: what that is multiplied with is differentiated, too.

    It is the first, of smallest entries the last: the largest and the smallest are different ones. At the kink of a length no side is right: its cotangent
    is nan there, unless the length is that of a difference between entries of one array, of which each has the distance zero from itself, wherever it moves.
    """
    made = {value: node for node in walk(function.body) for value in results(node)}
    aliases = find_aliases(function)
    unknown: list[Value] = []

    def written(node: Node) -> list[Node]:
        if isinstance(node, Apply) and node.function is shared:
            share, _, at_tie = node.operands
            if not isinstance(at_tie, Value):
                return [node]
            builder = Builder(loc=node.loc)
            compared = made.get(at_tie)
            is_least = isinstance(compared, Apply) and compared.function in (operator.le, np.less_equal)
            one = builder.apply(last_among if is_least else first_among, at_tie, type=at_tie.type)
            return [*builder.current.nodes, changed(node, operands=(share, share, one))]
        if isinstance(node, Apply) and node.function in SHARES:
            return [changed(node, operands=(node.operands[0], Const(0.0)))]
        if isinstance(node, Apply) and node.function in UNKNOWN_AGAIN:
            if node.function in CHOSEN:
                if _is_within_one(node.operands[1], made, aliases):
                    return [node]
                unknown.append(node.result)
            return [changed(node, function=UNKNOWN_AGAIN[node.function])]
        return [node]

    found = rewrite(function, written)
    return _once(found, function, aliases, unknown) if unknown else found


def _once(function: Function, before: Function, aliases: Aliases, unknown: Sequence[Value]) -> Function:
    """The program, in which nothing else says that the derivative at these kinks is not known."""
    made = {value: node for node in walk(before.body) for value in results(node)}
    kinks = {node.operands[-1] for node in map(made.get, unknown) if isinstance(node, Apply)}
    shapes = shapes_of(before)
    nothing: set[Operand] = set()
    instead: dict[Value, Operand] = {}

    def written(node: Node) -> list[Node]:
        match node:
            case Apply(function=function) if (
                function is touching and _sized(node.operands[-1], made) in kinks
            ):
                if not aliases.is_buffer(node.result):  # another contribution may be added to it in place
                    nothing.add(node.result)
                like = [
                    each
                    for each in node.operands
                    if isinstance(each, Value) and shapes.same(each, node.result)
                ]
                if isinstance(type_of(node.result), Scalar):
                    instead[node.result] = ZERO
                elif like:
                    return [changed(node, function=np.zeros_like, operands=(like[0],))]
                else:
                    return [node]
            case Apply(function=function, operands=(one,)) if function is np.sum and one in nothing:
                instead[node.result] = ZERO
            case Apply(operands=(one, Value() as other)) if (
                canonical(node.function) is operator.add
                and one in nothing
                and shapes.same(other, node.result)
            ):
                instead[node.result] = other
            case _:
                return [node]
        return []

    found = rewrite(function, written)
    return with_body(found, substitute(found.body, instead))


def _sized(operand: Operand, made: Mapping[Value, Node]) -> Operand:
    """What the operand is the least size of, or else the operand."""
    node = made.get(operand) if isinstance(operand, Value) else None
    if isinstance(node, Apply) and kind(node.function) in (Kind.REDUCTION, Kind.MAGNITUDE):
        return _sized(node.operands[0], made)
    return operand


def _is_within_one(operand: Operand, made: Mapping[Value, Node], aliases: Aliases) -> bool:
    """Whether this is a difference between entries of one array, or a multiple of it."""
    node = made.get(operand) if isinstance(operand, Value) else None
    match node:
        case Apply(operands=(first, second)) if canonical(node.function) is operator.sub:
            return (memory := _memory(first, made, aliases)) is not None and memory is _memory(
                second, made, aliases
            )
        case Apply(operands=(first, second)) if canonical(node.function) in (operator.mul, operator.truediv):
            return _is_within_one(first, made, aliases) or _is_within_one(second, made, aliases)
        case _:
            return False


def _memory(operand: Operand, made: Mapping[Value, Node], aliases: Aliases) -> Operand | None:
    """The array that holds the entries."""
    node = made.get(operand) if isinstance(operand, Value) else None
    held = node.buffer if isinstance(node, Load | View) else operand
    if not isinstance(held, Value):
        return None
    return aliases.of(held) if isinstance(type_of(held), Array) else None
