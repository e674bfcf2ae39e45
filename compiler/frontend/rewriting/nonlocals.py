"""Hand the variables that an inner function assigns by `nonlocal` to it, and take them from its result.

    def add(v):                      def add(v, *, total):
        nonlocal total                   total += v
        total += v                       return total
    add(x)                           total = add(x, total=total)

The function must be called by its name, in statements of the function around it or of another inner function; else it stays
as it is, and is refused.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from backsweep.frontend.rewriting.placing import placed

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
"""Syntax with variables of its own."""
LOOPS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""Expressions in which no variable of the function is assigned."""


def with_handed_variables(
    statements: Sequence[ast.stmt], parameters: Collection[str], free: Callable[[str], str]
) -> list[ast.stmt]:
    """The statements without `nonlocal` in the functions that they define; a changed statement is a copy.

    `parameters` are those of the function around them, whose variables must be the ones that are assigned.
    """
    given = list(statements)
    inner = [part for part in _own_parts(given) if isinstance(part, ast.FunctionDef)]
    handed = _handed({each.name: each for each in inner})
    if not handed or len({each.name for each in inner}) < len(inner):
        return given
    own = {
        part.id
        for part in _own_parts(given)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    if not {name for names in handed.values() for name in names} <= own.union(parameters):
        return given
    if not all(_is_called_only(part, set(handed)) for part in (*given, *inner)):
        return given
    if any(each.decorator_list for each in inner if each.name in handed):
        return given
    gives = {each.name: _gives_value(each) for each in inner}
    writer = _Writer(handed, gives, free)
    return [each for part in copy.deepcopy(given) for each in writer.statement(part)]


def _own_parts(statements: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The syntax of the statements, without that of functions in them but for their heads."""
    waiting = list(statements)
    while waiting:
        part = waiting.pop()
        yield part
        if not isinstance(part, SCOPES):
            waiting.extend(ast.iter_child_nodes(part))


def _handed(inner: Mapping[str, ast.FunctionDef]) -> dict[str, list[str]]:
    """The variables that each function assigns by `nonlocal`, itself or by the functions that it calls."""
    found: dict[str, list[str]] = {
        name: [
            each for part in _own_parts(node.body) if isinstance(part, ast.Nonlocal) for each in part.names
        ]
        for name, node in inner.items()
    }
    for _ in inner:
        for name, node in inner.items():
            for part in _own_parts(node.body):
                called = _called(part)
                if called in inner and called is not None:
                    found[name] += [each for each in found[called] if each not in found[name]]
    return {name: names for name, names in found.items() if names}


def _called(node: ast.AST) -> str | None:
    """The name of the function that the expression calls."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None


def _is_called_only(node: ast.AST, names: set[str]) -> bool:
    """Whether functions of these names are called, and not named otherwise, where a statement may assign what they hand back."""
    known = {id(part.func) for part in _own_parts(_body(node)) if isinstance(part, ast.Call)}
    if any(isinstance(part, LOOPS) and _names(part, names) for part in _own_parts(_body(node))):
        return False
    for part in _own_parts(_body(node)):
        if isinstance(part, ast.Name) and part.id in names and id(part) not in known:
            return False
        if isinstance(part, (ast.Lambda, ast.ClassDef, ast.AsyncFunctionDef)) and _names(part, names):
            return False
    return True


def _body(node: ast.AST) -> list[ast.AST]:
    return [*node.body] if isinstance(node, ast.FunctionDef) else [node]


def _names(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node))


def _gives_value(node: ast.FunctionDef) -> bool:
    """Whether the function returns anything but None."""
    returns = [part for part in _own_parts(node.body) if isinstance(part, ast.Return)]
    return any(part.value is not None for part in returns)


class _Writer(ast.NodeTransformer):
    """Writes the functions and their calls; `gives` tells which functions return a value."""

    def __init__(
        self, handed: Mapping[str, list[str]], gives: Mapping[str, bool], free: Callable[[str], str]
    ) -> None:
        self.handed = handed
        self.gives = gives
        self.free = free
        self.function: str | None = None

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """The statements for a statement."""
        found = self.visit(node)
        return found if isinstance(found, list) else [found]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function that assigns variables of the function around it: it takes and returns them."""
        if self.function is not None or node.name not in self.handed:
            return node
        self.function = node.name
        names = self.handed[node.name]
        body = [each for part in node.body for each in self.statement(part)]
        body = [each for each in body if not isinstance(each, ast.Nonlocal)]
        node.body = [*body, ast.Return(self.result(None))]
        node.args.kwonlyargs += [ast.arg(name) for name in names]
        node.args.kw_defaults += [None] * len(names)
        self.function = None
        for part in ast.walk(node):
            if not hasattr(part, "lineno") and isinstance(part, ast.arg):
                ast.copy_location(part, node)
        return placed(node, node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Leave a function that calls none of these as it is."""
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        """The declaration is dropped."""
        return ast.copy_location(ast.Pass(), node)

    def result(self, value: ast.expr | None) -> ast.expr:
        """What the function returns: its value, if it has one, and the variables."""
        assert self.function is not None
        variables: list[ast.expr] = [ast.Name(name, ast.Load()) for name in self.handed[self.function]]
        if self.gives[self.function]:
            return ast.Tuple([value or ast.Constant(None), *variables], ast.Load())
        return variables[0] if len(variables) == 1 else ast.Tuple(variables, ast.Load())

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """The end of the function."""
        value = None if node.value is None else self.visit(node.value)
        if self.function is None:
            return ast.copy_location(ast.Return(value), node)
        return placed(ast.copy_location(ast.Return(self.result(value)), node), node)

    def called(self, node: ast.Call, name: str) -> ast.Call:
        """The call, which is handed the variables."""
        node.args = [self.visit(each) for each in node.args]
        node.keywords = [self.visit(each) for each in node.keywords]
        node.keywords += [ast.keyword(each, ast.Name(each, ast.Load())) for each in self.handed[name]]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """A call for its effect alone."""
        name = _called(node.value)
        if name not in self.handed or name is None or self.gives[name]:
            return self.generic_visit(node)
        assert isinstance(node.value, ast.Call)
        targets: list[ast.expr] = [ast.Name(each, ast.Store()) for each in self.handed[name]]
        target = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())
        return placed(ast.Assign([target], self.called(node.value, name)), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call for its value: the variables are assigned after it."""
        name = _called(node)
        if name not in self.handed or name is None:
            return self.generic_visit(node)
        found = self.free("given")
        gives, names = self.gives[name], self.handed[name]
        items: list[ast.expr] = [ast.NamedExpr(ast.Name(found, ast.Store()), self.called(node, name))]
        for number, each in enumerate(names):
            taken: ast.expr = ast.Name(found, ast.Load())
            if gives or len(names) > 1:
                taken = ast.Subscript(taken, ast.Constant(number + gives), ast.Load())
            items.append(ast.NamedExpr(ast.Name(each, ast.Store()), taken))
        first = ast.Subscript(ast.Name(found, ast.Load()), ast.Constant(0), ast.Load())
        items.append(first if gives else ast.Constant(None))
        last = ast.Subscript(ast.Tuple(items, ast.Load()), ast.Constant(-1), ast.Load())
        return placed(last, node)
