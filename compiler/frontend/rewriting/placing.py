"""What names mean where syntax is rewritten, and the places of new syntax."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from typing import TypeVar

from backsweep.reading.origins import located

T = TypeVar("T", bound=ast.AST)
Resolve = Callable[[str], object]
"""What a name means where the function begins; None if that is not known."""


def rewritten_by(writer: ast.NodeTransformer, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """What a writer makes of copies of statements."""
    found: list[ast.stmt] = []
    for each in copy.deepcopy(list(statements)):
        made = writer.visit(each)
        found += made if isinstance(made, list) else [made]
    return found


def placed(made: T, node: ast.AST) -> T:
    """The syntax, each new part of which has the place of the node."""
    for part in ast.walk(made):
        if isinstance(part, ast.expr | ast.stmt) and not hasattr(part, "lineno"):
            located(part, node) if isinstance(part, ast.stmt) else ast.copy_location(part, node)
    return made


def call_of(function: Callable[..., object], *args: ast.expr) -> ast.expr:
    """A call of a function that stands in the syntax itself, whatever the program's names mean."""
    return ast.Call(ast.Constant(function), list(args), [])  # type: ignore[arg-type]
