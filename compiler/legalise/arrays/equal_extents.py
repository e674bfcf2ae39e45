"""Check that two extents are equal where NumPy raises if they are not, and drop checks that are proved to hold."""

from __future__ import annotations

import operator

from backsweep.analysis.integers.extents import Shapes
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, Function, If, Operand, Raise, Value
from backsweep.ir.types import BOOL
from backsweep.ir.walk import substitute, walk, with_body


def check_equal(builder: Builder, one: Operand, other: Operand, message: str) -> None:
    """Raise ValueError when the program runs and the two extents differ."""
    unequal = builder.apply(operator.ne, one, other, type=BOOL)
    with builder.block() as wrong:
        builder.add(Raise(Const(ValueError), (Const(message),), builder.loc))
    builder.add(If(unequal, Block((), tuple(wrong.nodes), ()), Block((), (), ()), (), builder.loc))


def remove_proved_checks(function: Function) -> Function:
    """The program, where a check for extents that are equal in every run is a constant."""
    tests = {
        node.condition
        for node in walk(function.body)
        if isinstance(node, If) and len(node.then.nodes) == 1 and isinstance(node.then.nodes[0], Raise)
    }
    compared = [
        node
        for node in walk(function.body)
        if isinstance(node, Apply) and node.function is operator.ne and node.result in tests
    ]
    if not compared:
        return function
    shapes = Shapes(function)
    proved: dict[Value, Operand] = {
        node.result: Const(False) for node in compared if shapes.equal(*node.operands)
    }
    return with_body(function, substitute(function.body, proved)) if proved else function
