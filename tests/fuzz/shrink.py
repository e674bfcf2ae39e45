"""A failing program made small: statements deleted, blocks unwrapped, expressions replaced by their parts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.fuzz.program import Line, Program, Statement, Suite


def smaller(program: Program) -> Iterator[Program]:
    """Programs that are one step smaller than this one, those with large steps first; not all of them run."""
    for body in _smaller(program.body):
        yield replace(program, body=body)
    yield from _called_less(program)
    for body in _plainer(program.body):
        yield replace(program, body=body)
    for number in range(len(program.helpers)):
        yield replace(program, helpers=program.helpers[:number] + program.helpers[number + 1 :])


def _called_less(program: Program) -> Iterator[Program]:
    """The program with arguments fewer times, and with arrays that lie as most do."""
    if program.settings:
        first, *rest = program.settings
        yield replace(program, settings=())
        yield replace(program, args=first, settings=tuple(rest))
        for k in range(len(program.settings)):
            yield replace(program, settings=program.settings[:k] + program.settings[k + 1 :])
    for k, form in enumerate(program.forms):
        if form:
            yield replace(program, forms=(*program.forms[:k], "", *program.forms[k + 1 :]))


def _smaller(body: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    """Every body that is one step smaller; large deletions first."""
    for i, statement in enumerate(body):
        if not statement.keep:
            yield body[:i] + body[i + 1 :]
    for i, statement in enumerate(body):
        if isinstance(statement, Line) or statement.keep:
            continue
        for header, block in statement.arms:
            if not header.startswith(("for", "while")):
                yield body[:i] + block + body[i + 1 :]
        for number in range(1, len(statement.arms)):
            yield (*body[:i], Suite(statement.arms[:number] + statement.arms[number + 1 :]), *body[i + 1 :])
        for number, (header, block) in enumerate(statement.arms):
            for inner in _smaller(block):
                arms = (*statement.arms[:number], (header, inner), *statement.arms[number + 1 :])
                yield (*body[:i], Suite(arms), *body[i + 1 :])


def _plainer(body: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    """Every body in which one expression of one simple statement is replaced by a part of it."""
    for i, statement in enumerate(body):
        if statement.keep:
            continue
        if isinstance(statement, Line):
            for text in plainer_lines(statement.text):
                yield (*body[:i], Line(text), *body[i + 1 :])
            continue
        for number, (header, block) in enumerate(statement.arms):
            for inner in _plainer(block):
                arms = (*statement.arms[:number], (header, inner), *statement.arms[number + 1 :])
                yield (*body[:i], Suite(arms), *body[i + 1 :])


def plainer_lines(text: str) -> Iterator[str]:
    """The statement with one expression in it replaced by one of that expression's operands."""
    whole = ast.unparse(ast.parse(text))
    for position in range(sum(1 for _ in ast.walk(ast.parse(text)))):
        for choice in range(2):
            tree = ast.parse(text)
            plain = ast.unparse(_Replace(list(ast.walk(tree))[position], choice).visit(tree))
            if len(plain) < len(whole):
                yield plain


class _Replace(ast.NodeTransformer):
    """Puts one of the operands of `target` in its place."""

    def __init__(self, target: ast.AST, choice: int) -> None:
        self.target = target
        self.choice = choice

    def visit(self, node: ast.AST) -> ast.AST:
        """The node, or its operand if it is the target."""
        if node is not self.target:
            return self.generic_visit(node)
        match node:
            case ast.BinOp(left, _, right):
                return (left, right)[self.choice]
            case ast.Call(_, [*args]) if self.choice < len(args):
                return args[self.choice]
            case ast.IfExp(_, body, orelse):
                return (body, orelse)[self.choice]
            case ast.UnaryOp(_, operand):
                return operand
            case ast.Call(ast.Attribute(owner)) if not isinstance(owner, ast.Name) or owner.id != "np":
                return owner
            case ast.Attribute(owner) if not isinstance(owner, ast.Name) or owner.id != "np":
                return owner
            case ast.Subscript(owner):
                return owner
            case _:
                return node


def shrink(program: Program, fails: Callable[[Program], bool], budget: int) -> Program:
    """A smaller program that still fails; `fails` is asked at most `budget` times."""
    asked = 0
    progress = True
    while progress:
        progress = False
        for candidate in smaller(program):
            asked += 1
            if asked > budget:
                return program
            if fails(candidate):
                program, progress = candidate, True
                break
    return program
