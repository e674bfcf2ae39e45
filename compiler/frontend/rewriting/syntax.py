"""Syntax that is rewritten: what names mean in it, in what order its parts are evaluated, what leaves it, and what stands in place of a part."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any

from backsweep.reading.origins import constant, placed

SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)
"""Expressions with variables of their own."""
Resolve = Callable[[str], object]
"""What a name means where the function begins; None if that is not known."""


class Names:
    """The names that a function uses."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken

    def free(self, name: str) -> str:
        """A name that the function does not use otherwise."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


class Rewriter(ast.NodeTransformer):
    """Writes other statements in place of those of one function, and leaves functions and classes inside it as they are."""

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements of a block."""
        body: list[ast.stmt] = self.visit(ast.Module(list(statements), [])).body
        return body

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Leave an inner function as it is."""
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """Likewise."""
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """Likewise."""
        return node


LEAVE = (ast.Return, ast.Break, ast.Continue)
"""Statements that leave a block."""
Leave = Callable[[ast.Return | ast.Break | ast.Continue, bool], list[ast.stmt]]
"""What stands for a statement that leaves a block, of which is known whether it stands in a loop of the block."""


def with_exits(statements: Sequence[ast.stmt], leave: Leave) -> list[ast.stmt]:
    """The statements of a block, with something else for each `return`, and for each `break` and `continue` of a loop around it."""
    return _Exits(leave).block(statements)


class _Exits(Rewriter):
    def __init__(self, leave: Leave) -> None:
        self.leave = leave
        self.loops = 0

    def visit(self, node: ast.AST) -> Any:
        """A statement; those of a loop within the block leave that alone, and those of its `else` do not."""
        match node:
            case ast.Return():
                return [placed(each, node) for each in self.leave(node, self.loops > 0)]
            case ast.Break() | ast.Continue():
                return node if self.loops else [placed(each, node) for each in self.leave(node, False)]
            case ast.For() | ast.While():
                self.loops += 1
                node.body = self.block(node.body)
                self.loops -= 1
                node.orelse = self.block(node.orelse)
                return node
            case _:
                return super().visit(node)


def variable(name: str) -> ast.Name:
    """A variable that is read."""
    return ast.Name(name, ast.Load())


def assign(name: str, value: ast.expr) -> ast.stmt:
    """The assignment of a variable."""
    return ast.Assign([ast.Name(name, ast.Store())], value)


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


class _Meant(ast.NodeTransformer):
    def __init__(self, given: Mapping[str, ast.expr], resolve: Resolve) -> None:
        self.given = given
        self.resolve = resolve

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A parameter or another name."""
        if node.id in self.given:
            return copy.deepcopy(self.given[node.id])
        return constant(self.resolve(node.id))


def meant(text: ast.expr, given: Mapping[str, ast.expr], resolve: Resolve, node: ast.AST) -> ast.expr:
    """A text from elsewhere at the place of a node: with arguments for parameters, and objects for its other names."""
    made = copy.deepcopy(text)
    for part in ast.walk(made):
        ast.copy_location(part, node)
    found: ast.expr = _Meant(given, resolve).visit(made)
    return found


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


def names(node: ast.AST) -> set[str]:
    """The variables that a piece of syntax reads or assigns."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def loaded(target: ast.expr) -> ast.expr:
    """A copy of an expression that may be a target, as one that is read."""
    read = copy.deepcopy(target)
    if isinstance(read, ast.Name | ast.Subscript | ast.Attribute):
        read.ctx = ast.Load()
    return read
