"""What names mean where syntax is rewritten, the places of new syntax, and comprehensions as loops."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from typing import TypeVar

from backsweep.reading.origins import located

T = TypeVar("T", bound=ast.AST)
Resolve = Callable[[str], object]
"""What a name means where the function begins; None if that is not known."""


class StaysError(Exception):
    """The container of this name is used in a way that lists cannot stand for."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


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


def method_of(name: str, method: str, *args: str) -> ast.expr:
    """A call of a method of a variable, which is given other variables."""
    given: list[ast.expr] = [ast.Name(each, ast.Load()) for each in args]
    return ast.Call(ast.Attribute(ast.Name(name, ast.Load()), method, ast.Load()), given, [])


def with_own_names(node: ast.DictComp | ast.SetComp, free: Callable[[str], str]) -> None:
    """Give the variables of a comprehension names that the function does not use otherwise."""
    targets = [part for each in node.generators for part in ast.walk(each.target)]
    new = {part.id: free(part.id) for part in targets if isinstance(part, ast.Name)}
    outside = set(map(id, ast.walk(node.generators[0].iter)))
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and id(part) not in outside:
            part.id = new.get(part.id, part.id)


def in_loops(generators: Sequence[ast.comprehension], inner: list[ast.stmt]) -> list[ast.stmt]:
    """The loops of a comprehension around what it does for each item."""
    for each in reversed(generators):
        for test in reversed(each.ifs):
            inner = [ast.If(test, inner, [])]
        inner = [ast.For(each.target, each.iter, inner, [])]
    return inner
