"""The text of a called function in terms of what a call gives it."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Mapping
from types import FunctionType

from backsweep.frontend.rewriting.placing import Resolve
from backsweep.reading.origins import constant

SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)
"""Expressions with variables of their own."""


class Meant(ast.NodeTransformer):
    """Writes arguments in place of a function's parameters, and objects in place of its other names."""

    def __init__(self, given: Mapping[str, ast.expr], resolve: Resolve) -> None:
        self.given = given
        self.resolve = resolve

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A parameter or another name."""
        if node.id in self.given:
            return copy.deepcopy(self.given[node.id])
        return constant(self.resolve(node.id))


def given(function: FunctionType, node: ast.Call) -> dict[str, ast.expr] | None:
    """The arguments of a call by the names of the parameters, with defaults; None if that is not known."""
    starred = any(isinstance(each, ast.Starred) for each in node.args)
    if starred or any(each.arg is None for each in node.keywords):
        return None
    parameters = inspect.signature(function).parameters.values()
    if any(each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in parameters):
        return None
    try:
        bound = inspect.signature(function).bind(
            *node.args, **{each.arg: each.value for each in node.keywords if each.arg}
        )
    except TypeError:
        return None
    defaults = {each.name: constant(each.default) for each in parameters if each.default is not each.empty}
    return {**defaults, **bound.arguments}
