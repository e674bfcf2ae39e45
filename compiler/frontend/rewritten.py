"""Write statements that lowering does not know in terms of those that it knows, before control flow becomes structure.

`match` becomes `if`, `elif` and `else`; a loop over a generator expression, `map` or `filter` becomes a loop over what
they take their items from, whose body computes the item first, as Python does.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence

from backsweep.reading.functions import ComprehensionLoop

Resolve = Callable[[str], object]
"""What a name means where the function begins; None if that is not known."""
Refuse = Callable[[str, ast.AST, str], Exception]
"""The error for a message, the place of a piece of syntax, and a remedy."""


def rewritten(statements: Sequence[ast.stmt], resolve: Resolve, refuse: Refuse) -> list[ast.stmt]:
    """The statements without `match` and without loops over generators; unchanged if there are none."""
    given = list(statements)
    names = {part.id for each in given for part in ast.walk(each) if isinstance(part, ast.Name)}
    writer = _Rewriter(names, resolve, refuse)
    if not any(writer.changes(part) for each in given for part in ast.walk(each)):
        return given
    found: list[ast.stmt] = []
    for each in copy.deepcopy(given):
        made = writer.visit(each)
        found += made if isinstance(made, list) else [made]
    return found


class _Rewriter(ast.NodeTransformer):
    """Rewrites the statements of one function; those of inner functions are rewritten where these are called."""

    def __init__(self, names: set[str], resolve: Resolve, refuse: Refuse) -> None:
        self.names = names
        self.resolve = resolve
        self.refuse = refuse

    def changes(self, node: ast.AST) -> bool:
        """Whether the node is a statement that is written otherwise."""
        return isinstance(node, ast.Match) or (isinstance(node, ast.For) and self.generator(node.iter))

    def generator(self, node: ast.expr) -> bool:
        """Whether the expression is a generator with one loop, or calls `map` of one iterable or `filter`."""
        match node:
            case ast.GeneratorExp(generators=[_]):
                return True
            case ast.Call(func=ast.Name(id="map" | "filter" as name), args=[_, iterable], keywords=[]):
                known = {"map": map, "filter": filter}
                return self.resolve(name) is known[name] and not isinstance(iterable, ast.Starred)
            case _:
                return False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Leave an inner function as it is."""
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """Leave an inner function as it is."""
        return node

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        """Write a loop over a generator as a loop over what this takes its items from."""
        self.generic_visit(node)
        if not self.generator(node.iter):
            return node
        before: list[ast.stmt] = []
        if isinstance(node.iter, ast.GeneratorExp):
            (loop,) = node.iter.generators
            own = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
            new = {name: self.free(name) for name in own}
            target, value = _renamed(loop.target, new), _renamed(node.iter.elt, new)
            tests, iterable = [_renamed(test, new) for test in loop.ifs], loop.iter
        else:
            target, iterable, before, tests, value = self.called(node.iter)
        skips = [ast.If(ast.UnaryOp(ast.Not(), test), [ast.Continue()], []) for test in tests]
        body = [*skips, ast.Assign([node.target], value), *node.body]
        made = ComprehensionLoop(target, iterable, body, node.orelse)
        made.whole = node.iter
        found = self.visit_For(made) if self.generator(iterable) else made
        return [_placed(each, node) for each in (*before, *(found if isinstance(found, list) else [found]))]

    def visit_ComprehensionLoop(self, node: ComprehensionLoop) -> ast.stmt | list[ast.stmt]:
        """Write a loop of a comprehension over a generator likewise."""
        return self.visit_For(node)

    def called(self, node: ast.expr) -> tuple[ast.expr, ast.expr, list[ast.stmt], list[ast.expr], ast.expr]:
        """The target, the iterable, what comes before the loop, the conditions and the item, for `map` and `filter`."""
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        function, iterable = node.args
        name = self.free("item")
        item = ast.Name(name, ast.Load())
        before: list[ast.stmt] = []
        if not isinstance(function, ast.Lambda | ast.Constant):
            held = self.free("function")  # Python evaluates it once
            before = [ast.Assign([ast.Name(held, ast.Store())], function)]
            function = ast.Name(held, ast.Load())
        is_none = isinstance(function, ast.Constant) and function.value is None
        applied = item if is_none else ast.Call(function, [item], [])
        target = ast.Name(name, ast.Store())
        if node.func.id == "map":
            return target, iterable, before, [], applied
        return target, iterable, before, [applied], item

    def free(self, name: str) -> str:
        """A name that the function does not use otherwise."""
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        """Write the cases as the branches of one `if`."""
        self.generic_visit(node)
        subject, held = node.subject, []
        if not isinstance(subject, ast.Name):
            name = self.free("subject")
            held = [ast.Assign([ast.Name(name, ast.Store())], subject)]
            subject = ast.Name(name, ast.Load())
        otherwise: list[ast.stmt] = []
        for case in reversed(node.cases):
            tests, captures = self.tests(case.pattern, subject)
            bound: list[ast.expr] = [ast.NamedExpr(ast.Name(each, ast.Store()), subject) for each in captures]
            if case.guard is not None:
                items = [*bound, case.guard]
                last = ast.Subscript(ast.Tuple(items, ast.Load()), ast.Constant(-1), ast.Load())
                tests = [*tests, last if bound else case.guard]
                bound = []
            body = [*(ast.Expr(each) for each in bound), *case.body]
            if not tests:
                otherwise = body
                continue
            test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
            otherwise = [_placed(ast.If(test, body, otherwise), case.pattern)]
        return [_placed(each, node) for each in (*held, *otherwise)]

    def tests(self, pattern: ast.pattern, subject: ast.expr) -> tuple[list[ast.expr], list[str]]:
        """The conditions under which a pattern matches, and the names that it binds to the subject."""
        match pattern:
            case ast.MatchValue(value=value):
                return [ast.Compare(subject, [ast.Eq()], [value])], []
            case ast.MatchSingleton(value=value):
                return [ast.Compare(subject, [ast.Is()], [ast.Constant(value)])], []
            case ast.MatchOr(patterns=patterns):
                found = [self.tests(each, subject) for each in patterns]
                if not any(names for _, names in found):
                    sides = [_all(tests) for tests, _ in found]
                    return [ast.BoolOp(ast.Or(), sides)], []
            case ast.MatchAs(pattern=inner, name=name):
                tests, names = ([], []) if inner is None else self.tests(inner, subject)
                return tests, names if name is None else [*names, name]
            case ast.MatchClass(cls=cls, patterns=[], kwd_patterns=[]):
                return [ast.Call(ast.Name("isinstance", ast.Load()), [subject, cls], [])], []
            case _:
                pass
        message = (
            f"the pattern `{ast.unparse(pattern)}` takes an object apart, which cannot be differentiated"
        )
        raise self.refuse(message, pattern, "match literals, or write `if` and `elif`")


def _all(tests: list[ast.expr]) -> ast.expr:
    if not tests:
        return ast.Constant(True)
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _renamed(node: ast.expr, names: dict[str, str]) -> ast.expr:
    """The expression with other names for its variables, also where a function or comprehension within it binds them."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            part.id = names.get(part.id, part.id)
        if isinstance(part, ast.arg):
            part.arg = names.get(part.arg, part.arg)
    return node


def _placed(made: ast.stmt, node: ast.AST) -> ast.stmt:
    """The statement, each new part of which has the place of the node."""
    for part in ast.walk(made):
        if isinstance(part, ast.expr | ast.stmt) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return made
