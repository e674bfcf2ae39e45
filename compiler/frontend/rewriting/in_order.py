"""The parts of a statement as Python evaluates them, and what stands in place of one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any


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
