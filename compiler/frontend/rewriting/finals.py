"""Have `finally` blocks run behind their `try`, before what leaves it, and before what it raises gets to a handler around them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence

from backsweep.reading.origins import constant, placed

LEAVE = (ast.Return, ast.Break, ast.Continue)
"""Statements that leave a block."""


def with_final(
    body: Sequence[ast.stmt], final: Sequence[ast.stmt], free: Callable[[str], str]
) -> list[ast.stmt]:
    """The statements of a block, each way out of which, and its end, runs the `final` statements."""
    found: list[ast.stmt] = _Leaving(final, free).visit(ast.Module(list(body), [])).body
    ends = not body or not isinstance(body[-1], (*LEAVE, ast.Raise))
    return [*found, *final] if ends else found


class Finals(ast.NodeTransformer):
    """Writes the statements of a `finally` block into handlers of what the `try` statements around it catch, which raise it again."""

    def __init__(self) -> None:
        self.caught: list[list[ast.expr]] = []

    def visit_Try(self, node: ast.Try) -> ast.Try:
        """A `try` within another, or around one."""
        types = [
            each
            for handler in node.handlers
            for each in (handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type])
        ]
        self.caught.append([constant(BaseException) if each is None else each for each in types])
        node.body = self.block(node.body)
        self.caught.pop()
        node.orelse, node.finalbody = self.block(node.orelse), self.block(node.finalbody)
        for handler in node.handlers:
            handler.body = self.block(handler.body)
        around = [each for caught in reversed(self.caught) for each in caught]
        if not around or all(isinstance(each, ast.Pass) for each in node.finalbody):
            return node
        handlers = [
            ast.ExceptHandler(
                copy.deepcopy(each), None, [*copy.deepcopy(node.finalbody), ast.Raise(None, None)]
            )
            for each in around
        ]
        inner = ast.Try(node.body, node.handlers, node.orelse, [])
        body: list[ast.stmt] = [placed(inner, node)] if node.handlers else node.body
        return placed(ast.Try(body, handlers, [], node.finalbody), node)

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The statements of a block."""
        return [self.visit(each) for each in statements]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Leave an inner function as it is."""
        return node


class _Leaving(ast.NodeTransformer):
    """Runs the `final` statements before each statement that leaves a block."""

    def __init__(self, final: Sequence[ast.stmt], free: Callable[[str], str]) -> None:
        self.final = final
        self.free = free
        self.loops = 0

    def before(self, node: ast.stmt) -> list[ast.stmt]:
        """The final statements, and the one that leaves."""
        return [*copy.deepcopy(list(self.final)), node]

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        """Compute what is returned first."""
        if node.value is None:
            return self.before(node)
        name = self.free("found")
        held = ast.Assign([ast.Name(name, ast.Store())], node.value)
        returned = ast.Return(ast.Name(name, ast.Load()))
        return [placed(held, node), *self.before(placed(returned, node))]

    def visit_Break(self, node: ast.Break) -> ast.stmt | list[ast.stmt]:
        """Leave a loop around the block; a loop within it may be left."""
        return node if self.loops else self.before(node)

    def visit_Continue(self, node: ast.Continue) -> ast.stmt | list[ast.stmt]:
        """Likewise."""
        return node if self.loops else self.before(node)

    def visit_For(self, node: ast.For) -> ast.stmt:
        """Look into a loop, whose own statements leave it alone."""
        return self.loop(node)

    def visit_While(self, node: ast.While) -> ast.stmt:
        """Likewise."""
        return self.loop(node)

    def loop(self, node: ast.For | ast.While) -> ast.stmt:
        """The loop, of which only what returns leaves the block."""
        self.loops += 1
        node.body = self.visit(ast.Module(node.body, [])).body
        self.loops -= 1
        node.orelse = self.visit(ast.Module(node.orelse, [])).body
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Leave an inner function as it is."""
        return node
