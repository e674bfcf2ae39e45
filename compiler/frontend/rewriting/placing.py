"""What names mean where syntax is rewritten, in what order its parts are evaluated, and what stands in place of one."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

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


def in_order(node: ast.AST, is_sure: bool = True) -> Iterator[tuple[ast.AST, bool]]:
    """The parts of a statement or expression as Python evaluates them, each with whether it is evaluated once for sure."""
    parts: list[tuple[ast.AST, bool]]
    match node:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            parts = [(test, is_sure), (body, False), (orelse, False)]
        case ast.BoolOp(values=[first, *others]):
            parts = [(first, is_sure), *((each, False) for each in others)]
        case ast.Compare(left=left, comparators=[first, *others]):
            parts = [(left, is_sure), (first, is_sure), *((each, False) for each in others)]
        case ast.Lambda() | ast.FunctionDef():
            parts = []
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
            parts = [(each, False) for each in ast.iter_child_nodes(node)]
        case ast.Assign(targets=targets, value=value):
            parts = [(each, is_sure) for each in (value, *targets)]
        case ast.If(test=test) | ast.Assert(test=test):
            parts = [(test, is_sure)]
        case ast.For(iter=over):
            parts = [(over, is_sure)]
        case ast.While() | ast.With() | ast.Raise():
            parts = []
        case _:
            parts = [(each, is_sure) for each in ast.iter_child_nodes(node)]
    for each, sure in parts:
        yield from in_order(each, sure)
    yield node, is_sure


class Replaced(ast.NodeTransformer):
    """Writes something else in place of a part."""

    def __init__(self, part: ast.AST, by: ast.expr) -> None:
        self.part = part
        self.by = by

    def visit(self, node: ast.AST) -> Any:
        """The part, or what holds it."""
        return self.by if node is self.part else self.generic_visit(node)
