"""Have `finally` blocks run behind their `try`, before what leaves it, and before what it raises gets to a handler around them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence

from backsweep.frontend.rewriting.syntax import LEAVE, Rewriter, assign, variable, with_exits
from backsweep.reading.origins import constant, placed


def with_final(
    body: Sequence[ast.stmt], final: Sequence[ast.stmt], free: Callable[[str], str]
) -> list[ast.stmt]:
    """The statements of a block, each way out of which, and its end, runs the `final` statements."""

    def leave(node: ast.stmt, _: bool) -> list[ast.stmt]:
        held: list[ast.stmt] = []
        if isinstance(node, ast.Return) and node.value is not None:  # which is computed first
            name = free("found")
            held = [assign(name, node.value)]
            node = ast.Return(variable(name))
        return [*held, *copy.deepcopy(list(final)), node]

    found = with_exits(body, leave)
    ends = not body or not isinstance(body[-1], (*LEAVE, ast.Raise))
    return [*found, *final] if ends else found


class Finals(Rewriter):
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
