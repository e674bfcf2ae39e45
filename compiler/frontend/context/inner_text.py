"""Lower Python text of ours as the body of an inner function that is called where it stands."""

from __future__ import annotations

import ast
import copy
import operator
from collections.abc import Mapping, Sequence
from typing import TypeVar

from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Inner, known_elements, walrus_names
from backsweep.ir.nodes import UNDEFINED, Const, Operand

N = TypeVar("N", bound=ast.AST)
Hidden = Mapping[str, Operand]
"""The operands of hidden variables."""


def run(
    lowerer: Lowerer, name: str, statements: Sequence[ast.stmt], hidden: Hidden, node: ast.AST
) -> Operand:
    """Lower statements as the body of an inner function that is called here with hidden variables."""
    lowerer.check_items(None, tuple(hidden.values()), node)
    definition = definition_of(name, statements, list(hidden), node)
    return lowerer.inline(Inner(definition, lowerer.frame, {}), tuple(hidden.values()), {}, node)


def run_and_assign(
    lowerer: Lowerer,
    name: str,
    statements: list[ast.stmt],
    hidden: Hidden,
    node: ast.ListComp | ast.GeneratorExp,
) -> Operand:
    """Lower the loops of a comprehension; what it assigns by `:=` and others read becomes theirs."""
    names = [each for each in walrus_names(node) if _is_read_outside(lowerer, each, node)]
    if not names:
        return run(lowerer, name, statements, hidden, node)
    before = {each: lowerer.find(each, lowerer.frame) for each in names if each in lowerer.frame.locals}
    begun = {
        f".{each}": found for each, found in before.items() if found is not None and found is not UNDEFINED
    }
    begin = [
        ast.Assign([ast.Name(each.removeprefix("."), ast.Store())], ast.Name(each, ast.Load()))
        for each in begun
    ]
    for part in (inner for each in statements for inner in ast.walk(each)):
        if isinstance(part, ast.Return) and part.value is not None:
            given = [ast.Name(each, ast.Load()) for each in names]
            part.value = placed_at(ast.Tuple([part.value, *given], ast.Load()), node)
    found = run(lowerer, name, [*begin, *statements], {**hidden, **begun}, node)
    items = known_elements(lowerer.context, found)
    if items is None:
        items = tuple(lowerer.apply(operator.getitem, (found, Const(k)), node) for k in range(1 + len(names)))
    for each, value in zip(names, items[1:], strict=True):
        lowerer.bind(each, value)
    return items[0]


def _is_read_outside(lowerer: Lowerer, name: str, node: ast.expr) -> bool:
    """Whether the function has the variable anywhere but within the comprehension; elsewhere, it is one of the loop's own."""
    source = lowerer.frame.source
    if source is None:
        return True
    first, last = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    places = [
        (part.lineno, part.col_offset)
        for part in ast.walk(source.node)
        if isinstance(part, ast.Name) and part.id == name
    ]
    return not places or not all(first <= place < last for place in places)


def definition_of(
    name: str, statements: Sequence[ast.stmt], parameters: Sequence[str], node: ast.AST
) -> ast.FunctionDef:
    """An inner function with these statements and parameters."""
    names = [ast.arg(each) for each in parameters]
    arguments = ast.arguments(posonlyargs=[], args=names, kwonlyargs=[], kw_defaults=[], defaults=[])
    return placed_at(ast.FunctionDef(name, arguments, list(statements), []), node)


def placed_at(made: N, node: ast.AST) -> N:
    """The syntax, each new part of which has the place of the node."""
    for part in ast.walk(made):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return made


def statements_of(text: str, node: ast.AST) -> list[ast.stmt]:
    """Statements of ours at the place of the node: a name that begins with `_` is a hidden variable."""
    made = ast.parse(text)
    for part in ast.walk(made):
        if isinstance(part, ast.Name) and part.id.startswith("_"):
            part.id = f".{part.id[1:]}"
        ast.copy_location(part, node)
    return copy.deepcopy(made.body)


def expression_of(text: str, node: ast.AST) -> ast.expr:
    """The same for one expression."""
    (statement,) = statements_of(text, node)
    assert isinstance(statement, ast.Expr)
    return statement.value
