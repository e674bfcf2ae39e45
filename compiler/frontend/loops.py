"""Loops that an earlier lowering has found to be lowered otherwise.

The first round of a loop is lowered apart if it makes an array of what is a number before:

    total = 0
    for k in range(n):
        total = total + k * x

In compiled code a variable that a loop carries has one type. Numba's refusal tells which loops these are; the program is
then lowered again.

A loop over numbers that are written out, as `for t in [0.5, 1.0, 2.0]`, is written out with them, so that each is known where it
may have to be. If its body is long, so that the text would be too long, it stays a loop over a table of the numbers.
"""

from __future__ import annotations

import ast
import dataclasses
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from backsweep.frontend import branches
from backsweep.frontend.constructs.going_through import place_of
from backsweep.frontend.constructs.iterate import Items, Steps
from backsweep.frontend.constructs.kinds import is_implementation
from backsweep.frontend.context.long_programs import LONG_LOOP
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.rounds import FoundObjectsError
from backsweep.frontend.context.scope import Context, Frame, known_items
from backsweep.frontend.context.tables import NUMBERS, table
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Block, Const, If, Operand, Raise
from backsweep.ir.walk import walk
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


def as_table(lowerer: Lowerer, node: ast.For, over: object) -> Steps | None:
    """The loop over numbers, or tuples of them, which an earlier lowering has found to be too long when written out; else None."""
    long = lowerer.context.expansions.library.helpers.loops
    if not isinstance(over, Items) or place_of(lowerer, node) not in long:
        return None
    element = _from_table(lowerer, over.items, node.iter, node)
    return None if element is None else Steps(Const(0), Const(len(over.items)), Const(1), element)


def _from_table(
    lowerer: Lowerer, items: Sequence[Operand], shown: ast.expr, node: ast.For
) -> Callable[[Operand], Operand] | None:
    """What lowers one of the items by its index; None if they are not all numbers of one type, or tuples of such. `shown` is what they are read as."""
    known = [item.value for item in items if isinstance(item, Const) and isinstance(item.value, NUMBERS)]
    if len(known) == len(items):
        found = table(known, shown) if len(set(map(type, known))) == 1 else None
        if found is None:
            return None
        if known == list(range(len(known))):
            return lambda index: index
        return lambda index: lowerer.builder.load(found, (index,), loc=lowerer.loc(node))
    rows = [row for row in (known_items(lowerer.context, item) for item in items) if row is not None]
    if len(rows) < len(items) or len(set(map(len, rows))) > 1:
        return None
    names = _columns(shown, len(rows[0]))
    columns = [
        _from_table(lowerer, column, name, node)
        for column, name in zip(zip(*rows, strict=True), names, strict=True)
    ]
    found_columns = [column for column in columns if column is not None]
    if len(found_columns) < len(columns):
        return None
    return lambda index: lowerer.make_tuple(tuple(column(index) for column in found_columns), node.iter)


def _columns(shown: ast.expr, count: int) -> list[ast.expr]:
    """What the items of tuples are read as, by their places: the arguments of `zip`, and that of `enumerate`."""
    match shown:
        case ast.Call(args=args) if len(args) == count:
            return list(args)
        case ast.Call(args=[only]):
            return [shown, only]
    return [shown] * count


def check_length(statements: Statements, node: ast.For, items: Sequence[Operand], begun: int) -> None:
    """Have the program lowered again with a loop in place of this one, of which one item was written out, if all of them are too long.

    `begun` is how many nodes the block had before that item.
    """
    lowerer = statements.expressions
    helpers = lowerer.context.expansions.library.helpers
    made = Block((), tuple(statements.builder.current.nodes[begun:]), ())
    is_long = sum(1 for _ in walk(made)) * len(items) > LONG_LOOP
    is_ours = lowerer.frame.fixed is not None or is_implementation(lowerer)
    if (
        is_long
        and not (helpers.refused or is_ours)
        and _from_table(lowerer, items, node.iter, node) is not None
    ):
        helpers.loops.add(place_of(lowerer, node))
        raise FoundObjectsError(())
