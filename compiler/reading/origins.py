"""Where the statements of a function are from that another function's text has lent, so that their places are told right."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from backsweep.diagnostics import Loc
from backsweep.reading.functions import Source, locate

Node = TypeVar("Node", bound=ast.AST)

ORIGIN = "backsweep_origin"
"""The attribute of a statement that another function's text has lent: an `Origin`."""


@dataclass(frozen=True, eq=False)
class Origin:
    """Where a statement is from that stands in another function: the source, the call that it is written out for."""

    source: Source
    call: ast.AST
    outer: Origin | None = None

    def __deepcopy__(self, memo: object) -> Origin:
        return self


def mark_origin(statements: Iterable[ast.AST], origin: Origin | None) -> None:
    """Note on statements, and on those within them, where they are from; marks that are there stay."""
    for each in statements:
        for part in ast.walk(each) if origin is not None else ():
            if isinstance(part, ast.stmt) and not hasattr(part, ORIGIN):
                setattr(part, ORIGIN, origin)


def located(made: Node, at: ast.AST) -> Node:
    """The syntax with the place of another piece, in the same text."""
    if hasattr(at, ORIGIN):
        setattr(made, ORIGIN, getattr(at, ORIGIN))
    return ast.copy_location(made, at)


def placed(made: Node, node: ast.AST) -> Node:
    """The syntax, each new part of which has the place of the node."""
    for part in ast.walk(made):
        if isinstance(part, ast.expr | ast.stmt) and not hasattr(part, "lineno"):
            located(part, node) if isinstance(part, ast.stmt) else ast.copy_location(part, node)
    return made


def constant(value: object) -> ast.Constant:
    """A known object, as a part of the text."""
    return ast.Constant(value)  # type: ignore[arg-type]  # lowering takes any object


def place_in(source: Source, name: str, node: ast.AST, statement: ast.AST | None, caller: Loc | None) -> Loc:
    """The place of a piece of syntax of the function `name`, whose statement may be from another function."""
    origin: Origin | None = getattr(statement, ORIGIN, None)
    around = [origin] if origin is not None else []
    while around and around[-1].outer is not None:
        around.append(around[-1].outer)
    for each in reversed(around):
        caller = locate(source, name, each.call, None, caller)
        source, name = each.source, each.source.name
    return locate(source, name, node, statement, caller)
