"""Lower Python text of ours as the body of an inner function that is called where it stands."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from typing import TypeVar

from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Inner
from backsweep.ir.nodes import Const, Operand

N = TypeVar("N", bound=ast.AST)
Hidden = Mapping[str, Operand]
"""The operands of hidden variables."""
BUILTINS = {".len": Const(len), ".range": Const(range), ".error": Const(ValueError)}
"""Hidden variables for builtins, whose names the program may use otherwise."""


def run(
    lowerer: Lowerer, name: str, statements: Sequence[ast.stmt], hidden: Hidden, node: ast.AST
) -> Operand:
    """Lower statements as the body of an inner function that is called here with hidden variables."""
    lowerer.check_items(None, tuple(hidden.values()), node)
    definition = definition_of(name, statements, list(hidden), node)
    return lowerer.inline(Inner(definition, lowerer.frame, {}), tuple(hidden.values()), {}, node)


def run_text(lowerer: Lowerer, name: str, text: str, hidden: Hidden, node: ast.AST) -> Operand:
    """Lower statements of ours, given as text, as the body of a function that is called here with hidden variables.

    In the text, the name of a hidden variable begins with `_` in place of the dot.
    """
    return run(lowerer, name, statements_of(text, node), hidden, node)


def for_each(names: Sequence[str], iterables: Sequence[str]) -> str:
    """The text of the loop of a comprehension over iterables side by side, whose `zip` is a hidden variable."""
    if len(names) == 1:
        return f"for {names[0]} in {iterables[0]}"
    return f"for {', '.join(names)} in _zip({', '.join(iterables)})"


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
