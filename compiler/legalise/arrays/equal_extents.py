"""Check that two extents are equal where NumPy raises if they are not, and drop checks that are proved to hold."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from backsweep.analysis.integers.extents import shapes_of
from backsweep.analysis.integers.guards import checks_on_entry, is_check
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, Function, If, Node, Operand, Raise, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, INT
from backsweep.ir.walk import substitute, walk, with_body, with_nodes


def check_equal(
    builder: Builder, one: Operand, other: Operand, message: str, error: type[Exception] = ValueError
) -> None:
    """Raise the error when the program runs and the two extents differ."""
    raise_if(builder, builder.apply(operator.ne, one, other, type=BOOL), error, message)


def raise_if(builder: Builder, condition: Operand, error: type[Exception], message: str) -> None:
    """Raise the error when the program runs and the condition holds."""
    with builder.block() as wrong:
        builder.add(Raise(Const(error), (Const(message),), builder.loc))
    builder.add(If(condition, Block((), tuple(wrong.nodes), ()), Block((), (), ()), (), builder.loc))


def remove_proved_checks(function: Function) -> Function:
    """The program, where a comparison of extents that are equal in every run is a constant.

    What the checks at its beginning let through proves others, but not these themselves.
    """
    first = function.body.nodes[: checks_on_entry(function)]
    leading, others = _compared(walk(Block((), first, ()))), _compared(walk(function.body))
    others = [node for node in others if node not in leading]
    proved: dict[Value, Operand] = {}
    if others:
        shapes = shapes_of(function)
        proved |= {node.result: Const(False) for node in others if shapes.equal(*node.operands)}
    if leading:
        rest = [node for node in function.body.nodes if node not in first or not is_check(node)]
        shapes = shapes_of(with_body(function, with_nodes(function.body, rest)))
        proved |= {node.result: Const(False) for node in leading if shapes.equal(*node.operands)}
    return with_body(function, substitute(function.body, proved)) if proved else function


def _compared(nodes: Iterable[Node]) -> list[Apply]:
    """The comparisons of whole numbers for inequality."""
    return [
        node
        for node in nodes
        if isinstance(node, Apply)
        and node.function is operator.ne
        and all(type_of(operand) == INT for operand in node.operands)
    ]
