"""Activity analysis: which values depend on `wrt` (varied) and influence the result (useful)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from backsweep.analysis.alias import Aliases
from backsweep.ir.nodes import (
    Append,
    Apply,
    Custom,
    For,
    Function,
    If,
    Load,
    Node,
    Operand,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.operations import operation
from backsweep.ir.types import is_float, names_memory
from backsweep.ir.walk import blocks, operands, walk

Constant = Callable[[Apply], bool]
"""Whether a function's result carries no derivative whatever its operands."""


@dataclass(frozen=True, slots=True)
class Activity:
    """The values that depend on `wrt` (varied), that influence the result (useful), and that do both (active)."""

    varied: frozenset[Value]
    useful: frozenset[Value]
    active: frozenset[Value]


def find_active(function: Function, wrt: Iterable[Value], aliases: Aliases, constant: Constant) -> Activity:
    """The values that depend on `wrt`, and which of them influence the result of the function."""
    nodes = list(walk(function.body))
    stopped = _stopped(function, nodes, constant)
    edges = [
        (source, target)
        for node in nodes
        for source, target in flows(node, constant)
        if target not in stopped
    ]
    varied = _closure(wrt, edges, aliases)
    results = [value for value in function.body.yields if isinstance(value, Value)]
    useful = _closure(results, [(target, source) for source, target in edges], aliases)
    return Activity(varied, useful, frozenset(value for value in varied & useful if is_float(value.type)))


def _stopped(function: Function, nodes: Iterable[Node], constant: Constant) -> set[Value]:
    """The values that only calls without a derivative read, such as `stop_gradient`; later writes may go to their memory by the result's name."""
    read: set[Operand] = set(function.body.yields)
    read |= {value for node in nodes for block in blocks(node) for value in block.yields}
    held: set[Value] = set()
    for node in nodes:
        if isinstance(node, Apply) and constant(node):
            held.update(value for value in operands(node) if isinstance(value, Value))
        else:
            read.update(operands(node))
    return held - read


def flows(node: Node, constant: Constant) -> Iterable[tuple[Operand, Operand]]:
    """The pairs (source, target) along which the node carries derivatives."""
    match node:
        case Apply(function=Custom() as custom):
            yield from ((operand, node.result) for operand in custom.split(node.operands)[1])
        case Apply():
            if not constant(node):
                # what gives its shape alone, as the array that another is filled like, hands on no derivative
                skipped = operation(node.function).shape_only
                given = (each for place, each in enumerate(node.operands) if place not in skipped)
                yield from (
                    (operand, node.result) for operand in (*given, *(each for _, each in node.keywords))
                )
        case View() | Load():
            yield node.buffer, node.result
        case Store() | Append():
            yield node.value, node.buffer
        case If():
            for result, then, orelse in zip(node.results, node.then.yields, node.orelse.yields, strict=True):
                yield then, result
                yield orelse, result
        case For() | While():
            skip = 1 if isinstance(node, For) else 0
            parts = (node.inits, node.body.parameters[skip:], node.body.yields, node.results)
            for init, parameter, last, result in zip(*parts, strict=True):
                yield init, parameter
                yield init, result
                yield last, parameter
                yield last, result
            if isinstance(node, While):
                yield from zip(node.body.parameters, node.condition.parameters, strict=True)
        case _:
            return


def _closure(
    start: Iterable[Value], edges: list[tuple[Operand, Operand]], aliases: Aliases
) -> frozenset[Value]:
    """The values that the edges lead to from `start`; an array with a shadow brings all arrays that may share its memory."""
    members: dict[Value, list[Value]] = {}
    for value, leader in aliases.leader.items():
        if aliases.in_memory(leader):
            members.setdefault(leader, []).append(value)
    follow: dict[Value, list[Operand]] = {}
    for source, target in edges:
        if isinstance(source, Value):
            follow.setdefault(source, []).append(target)
    reached: dict[Value, None] = {}
    todo: list[Value] = list(start)
    while todo:
        value = todo.pop()
        if value in reached or not is_float(value.type):
            continue
        reached[value] = None
        todo += (target for target in follow.get(value, ()) if isinstance(target, Value))
        if names_memory(value.type):
            todo += members.get(aliases.of(value), ())
    return frozenset(reached)
