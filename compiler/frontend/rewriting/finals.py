"""Have `finally` blocks run before what their `try` raises gets to a handler around them."""

from __future__ import annotations

import ast
import copy

from backsweep.reading.origins import constant, placed


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
