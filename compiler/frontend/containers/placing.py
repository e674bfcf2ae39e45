"""What names mean where syntax is rewritten, and the places of new syntax."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

from backsweep.reading.origins import located

T = TypeVar("T", bound=ast.AST)
Resolve = Callable[[str], object]
"""What a name means where the function begins; None if that is not known."""


def placed(made: T, node: ast.AST) -> T:
    """The syntax, each new part of which has the place of the node."""
    for part in ast.walk(made):
        if isinstance(part, ast.expr | ast.stmt) and not hasattr(part, "lineno"):
            located(part, node) if isinstance(part, ast.stmt) else ast.copy_location(part, node)
    return made
