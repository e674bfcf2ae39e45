"""What names mean where syntax is rewritten, and the places of new syntax."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence

from backsweep.reading.origins import constant

Resolve = Callable[[str], object]
"""What a name means where the function begins; None if that is not known."""


def rewritten_by(writer: ast.NodeTransformer, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """What a writer makes of copies of statements."""
    found: list[ast.stmt] = []
    for each in copy.deepcopy(list(statements)):
        made = writer.visit(each)
        found += made if isinstance(made, list) else [made]
    return found


def call_of(function: Callable[..., object], *args: ast.expr) -> ast.expr:
    """A call of a function that stands in the syntax itself, whatever the program's names mean."""
    return ast.Call(constant(function), list(args), [])
