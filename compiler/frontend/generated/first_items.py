"""Take single items of generators: the first one by `next`, and one that is equal to another by `in`."""

from __future__ import annotations

import ast

from backsweep.frontend.constructs.comprehensions import decided, generated, loops
from backsweep.frontend.constructs.iterators import next_item
from backsweep.frontend.context.inner_text import placed_at, run_and_assign
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.ir.nodes import Const, Operand

ERROR, DEFAULT, SOUGHT = ".stop", ".default", ".sought"
"""Hidden variables: what is raised where a generator has no item, what `next` gives there, and what `in` looks for."""


def next_of(lowerer: Lowerer, node: ast.Call) -> Operand:
    """Lower `next(items)` and `next(items, default)`: of a generator, which nobody else has, the loop ends at the first item."""
    found = generated(lowerer, node.args[0]) if 1 <= len(node.args) <= 2 and not node.keywords else None
    if found is None:
        return next_item(lowerer, (), dict.fromkeys(map(str, node.args[1:])), node)
    items, hidden = found
    last: ast.stmt = ast.Raise(ast.Call(ast.Name(ERROR, ast.Load()), [], []), None)
    hidden = {**hidden, ERROR: Const(StopIteration)}
    if len(node.args) == 2:
        hidden[DEFAULT] = lowerer.lower(node.args[1])
        last = ast.Return(ast.Name(DEFAULT, ast.Load()))
    statements = [loops(items, ast.Return(items.elt)), placed_at(last, node)]
    return run_and_assign(lowerer, "next", statements, hidden, items)


def held_among(lowerer: Lowerer, item: Operand, node: ast.expr) -> Operand | None:
    """Lower `item in generator`: the loop ends at an item that is equal; None for what is no generator."""
    found = generated(lowerer, node)
    if found is None:
        return None
    items, hidden = found
    equal = ast.Compare(items.elt, [ast.Eq()], [ast.Name(SOUGHT, ast.Load())])
    asked = placed_at(ast.GeneratorExp(equal, items.generators), node)
    return decided(lowerer, asked, {**hidden, SOUGHT: item}, is_any=True)
