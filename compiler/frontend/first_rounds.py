"""Lower the first round of a loop apart, which makes an array of what is a number before.

    total = 0
    for k in range(n):
        total = total + k * x

In compiled code a variable that a loop carries has one type. Numba's refusal tells which loops these are; the program is
then lowered again.
"""

from __future__ import annotations

import ast
import dataclasses
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from backsweep.frontend import branches
from backsweep.frontend.constructs.iterate import Steps
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Context, Frame
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Block, Const, If, Operand, Raise
from backsweep.reading.control_flow import exit_name, loop_number


class Statements(Protocol):
    """What lowers statements, as far as loops need it."""

    context: Context
    frame: Frame

    @property
    def builder(self) -> Builder:
        """What the nodes are added to."""

    @property
    def expressions(self) -> Lowerer:
        """What lowers expressions."""


def note_numbers(
    statements: Statements, node: ast.For | ast.While, before: Mapping[str, Operand], names: Sequence[str]
) -> None:
    """Note the variables of a loop that are written as numbers before it."""
    found = [name for name in names if _is_written_number(before.get(name))]
    if found:
        place = statements.expressions.loc(node)
        statements.context.expansions.library.numbered[place] = (node.end_lineno or node.lineno, tuple(found))


def _is_written_number(operand: Operand | None) -> bool:
    return isinstance(operand, Const) and type(operand.value) in (int, float, complex)


def has_first_apart(statements: Statements, node: ast.For | ast.While) -> bool:
    """Whether an earlier lowering has found that a variable of the loop is a number before it and an array after it."""
    return statements.expressions.loc(node) in statements.context.expansions.library.apart


def first_and_others(
    statements: Statements,
    node: ast.For,
    over: Steps,
    run: Callable[[Operand], None],
    others: Callable[[Steps], None],
) -> None:
    """Lower the body of a loop for its first number, then the loop over the others."""
    expressions = statements.expressions
    is_upwards = not isinstance(over.step, Const) or over.step.value > 0
    ends = (over.start, over.stop) if is_upwards else (over.stop, over.start)
    _check_that_runs(statements, expressions.apply(operator.ge, ends, node), node)
    with statements.context.expansions.at_item(0):
        run(over.start)
    following = expressions.apply(operator.add, (over.start, over.step), node)
    _unless_left(statements, node, lambda: others(dataclasses.replace(over, start=following)))


def first_while(
    statements: Statements,
    node: ast.While,
    test: Operand,
    run: Callable[[], None],
    others: Callable[[], None],
) -> None:
    """The same for `while`, with what its condition is at first."""
    _check_that_runs(statements, statements.expressions.apply(operator.not_, (test,), node), node)
    with statements.context.expansions.at_item(0):
        run()
    _unless_left(statements, node, others)


def _check_that_runs(statements: Statements, ended: Operand, node: ast.For | ast.While) -> None:
    """Raise ValueError if the loop has no round: what it would leave is a number."""
    loc = statements.expressions.loc(node)
    _, names = statements.context.expansions.library.numbered[loc]
    with statements.builder.block() as wrong:
        text = f"the loop has no round, so that {' and '.join(names)} would stay a number, and not become an array"
        statements.builder.add(Raise(Const(ValueError), (Const(text),), loc))
    statements.builder.add(If(ended, wrong.finish(), Block((), (), ()), (), loc))


def _unless_left(statements: Statements, node: ast.For | ast.While, others: Callable[[], None]) -> None:
    """Go on with the other rounds unless the first leaves the loop."""
    leave = branches.exit_operand(statements.frame.env, exit_name(loop_number(node)))
    if leave is None:
        others()
    elif not isinstance(leave, Const):
        loc = statements.expressions.loc(node)
        branches.branch(statements.context, statements.frame, leave, lambda: None, others, loc)
