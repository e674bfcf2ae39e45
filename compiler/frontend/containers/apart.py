"""Write assignments of several dicts at once, or with annotations, as plain ones."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from backsweep.frontend.containers.placing import Resolve, placed, rewritten_by


def apart(statements: Sequence[ast.stmt], resolve: Resolve) -> list[ast.stmt]:
    """The statements, in which `a, b = {}, 0` is two assignments, and `a: dict[str, float] = {}` a plain one; a changed one is a copy."""
    found = list(statements)
    writer = _Apart(resolve)
    if not any(writer.changes(part) for each in found for part in ast.walk(each)):
        return found
    return rewritten_by(writer, found)


class _Apart(ast.NodeTransformer):
    """Writes assignments of tuples that hold dicts one by one."""

    def __init__(self, resolve: Resolve) -> None:
        self.resolve = resolve

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Leave an inner function as it is."""
        return node

    def changes(self, node: ast.AST) -> bool:
        """Whether the node is written otherwise."""
        if isinstance(node, ast.AnnAssign):
            return self.is_made(node)
        return isinstance(node, ast.Assign) and bool(self.pairs(node))

    def is_made(self, node: ast.AnnAssign) -> bool:
        return isinstance(node.target, ast.Name) and node.value is not None and self.holds(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """A dict without its annotation."""
        if not self.is_made(node) or node.value is None:
            return node
        return placed(ast.Assign([node.target], node.value), node)

    def pairs(self, node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
        """The variables and what they become; none if the statement must stay whole."""
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pass
            case _:
                return []
        if len(targets) != len(values) or not any(map(self.holds, values)):
            return []
        names = {each.id for each in targets if isinstance(each, ast.Name)}
        read = {part.id for each in values for part in ast.walk(each) if isinstance(part, ast.Name)}
        return (
            list(zip(targets, values, strict=True)) if len(names) == len(targets) and not names & read else []
        )

    def holds(self, node: ast.expr) -> bool:
        """Whether the expression makes a dict."""
        match node:
            case ast.Dict():
                return True
            case ast.Call(func=ast.Name(id=name)):
                return self.resolve(name) is dict
            case _:
                return False

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        """One assignment for each variable."""
        found = [placed(ast.Assign([target], value), node) for target, value in self.pairs(node)]
        return [*found] or [node]
