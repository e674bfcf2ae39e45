"""Write a `deque` that only its own methods, loops and builtins are given as a list.

One with `maxlen` loses items at its other end when it gets more. A deque that has another name or is handed on stays as it is.
"""

from __future__ import annotations

import ast
import collections
import copy
from collections.abc import Callable, Sequence

from backsweep.frontend.containers.placing import Resolve, StaysError, call_of, placed
from backsweep.runtime.lists.deques import shortened_to, turned_round

BUILTINS = (
    "len",
    "list",
    "tuple",
    "sorted",
    "sum",
    "min",
    "max",
    "any",
    "all",
    "enumerate",
    "reversed",
    "zip",
)
"""The builtins that may be given a deque."""
AS_IN_LISTS = ("pop", "count", "index", "remove", "reverse", "clear")
"""The methods that a deque has in common with a list and that make it no longer."""
CHANGING = (
    "append",
    "appendleft",
    "extend",
    "extendleft",
    "pop",
    "popleft",
    "rotate",
    "clear",
    "remove",
    "insert",
)
"""The methods after which Python refuses to go on with a loop over the deque."""


def deques_as_lists(
    statements: Sequence[ast.stmt], resolve: Resolve, free: Callable[[str], str]
) -> list[ast.stmt]:
    """The statements with lists in place of such deques; a changed statement is a copy."""
    given = list(statements)
    parts = [part for each in given for part in ast.walk(each)]
    found: dict[str, bool] = {}
    for part in parts:
        match part:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                made = _made(value, resolve)
                if made is not None:
                    has_end = made[1] is not None
                    found[name] = found.get(name, has_end) and has_end
            case _:
                pass
    while found:
        try:
            writer = _Writer(found, resolve, free)
            return [each for part in copy.deepcopy(given) for each in writer.statement(part)]
        except StaysError as stays:
            del found[stays.name]
    return given


def _made(node: ast.expr, resolve: Resolve) -> tuple[ast.expr | None, ast.expr | None] | None:
    """The items and the greatest length of the deque that the expression makes; None for any other expression."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            called = resolve(name)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)):
            called = getattr(resolve(module), name, None)
        case _:
            return None
    if called is not collections.deque:
        return None
    given = dict(zip(("iterable", "maxlen"), node.args, strict=False))
    given |= {each.arg or "": each.value for each in node.keywords}
    if set(given) - {"iterable", "maxlen"} or len(node.args) > 2:
        return None
    most = given.get("maxlen")
    is_endless = most is None or (isinstance(most, ast.Constant) and most.value is None)
    return given.get("iterable"), None if is_endless else most


class _Writer(ast.NodeTransformer):
    """Writes the statements of a function; `ends` tells of each deque whether it has a greatest length."""

    def __init__(self, ends: dict[str, bool], resolve: Resolve, free: Callable[[str], str]) -> None:
        self.ends = ends
        self.resolve = resolve
        self.most = {name: free(f"{name}_maxlen") for name, has_end in ends.items() if has_end}
        self.free = free

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """The statements for a statement."""
        found = self.visit(node)
        return found if isinstance(found, list) else [found]

    def held(self, node: ast.AST) -> str | None:
        """The deque that the expression names."""
        return node.id if isinstance(node, ast.Name) and node.id in self.ends else None

    def whole(self, name: str) -> ast.expr:
        return ast.Name(name, ast.Load())

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """A deque that is made."""
        match node.targets:
            case [ast.Name(id=name)] if name in self.ends:
                return [placed(each, node) for each in self.assigned(name, node.value)]
            case _:
                return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        """A deque that is made, with an annotation."""
        if self.held(node.target) is None or node.value is None:
            return self.generic_visit(node)
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def assigned(self, name: str, value: ast.expr) -> list[ast.stmt]:
        """What makes the list."""
        made = _made(value, self.resolve)
        if made is None:
            raise StaysError(name)
        items, most = made
        items = None if items is None else self.argument(items)
        target = ast.Name(name, ast.Store())
        empty = ast.List([], ast.Load())
        is_list = items is None or isinstance(items, ast.List)
        found: list[ast.stmt] = [ast.Assign([target], (items or empty) if is_list else empty)]
        if not is_list and items is not None:
            item = self.free("item")
            more = self.called(name, "append", ast.Name(item, ast.Load()))
            found.append(ast.For(ast.Name(item, ast.Store()), items, [ast.Expr(more)], []))
        if most is not None and name in self.most:
            found.insert(0, ast.Assign([ast.Name(self.most[name], ast.Store())], self.visit(most)))
            return [*found, self.cut(name, from_left=True)]
        if (most is None) is (name in self.most):
            raise StaysError(name)
        return found

    def called(self, name: str, method: str, *args: ast.expr) -> ast.Call:
        return ast.Call(ast.Attribute(self.whole(name), method, ast.Load()), list(args), [])

    def cut(self, name: str, *, from_left: bool) -> ast.stmt:
        """Let the items beyond the greatest length go."""
        most = ast.Name(self.most[name], ast.Load())
        return ast.Expr(call_of(shortened_to, self.whole(name), most, ast.Constant(from_left)))

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        """A method that puts items in."""
        match node.value:
            case ast.Call(func=ast.Attribute(value=base, attr=method), args=[item], keywords=[]) if (
                name := self.held(base)
            ) is not None and method in ("append", "appendleft", "extend", "extendleft"):
                pass
            case _:
                return self.generic_visit(node)
        found: list[ast.stmt] = []
        item = self.argument(item)
        match method:
            case "append":
                found.append(ast.Expr(self.called(name, "append", item)))
            case "appendleft":
                found.append(ast.Expr(self.called(name, "insert", ast.Constant(0), item)))
            case _:
                each = self.free("item")
                taken = ast.Name(each, ast.Load())
                put = (
                    self.called(name, "append", taken)
                    if method == "extend"
                    else self.called(name, "insert", ast.Constant(0), taken)
                )
                if self.held(item) == name:
                    raise StaysError(name)
                found.append(ast.For(ast.Name(each, ast.Store()), item, [ast.Expr(put)], []))
        if name in self.most:
            found.append(self.cut(name, from_left=method in ("append", "extend")))
        return [placed(each, node) for each in found]

    def argument(self, node: ast.expr) -> ast.expr:
        """What a method or a loop is given: an expression that may be a deque as a whole."""
        found: ast.expr = node if self.held(node) is not None else self.visit(node)
        return found

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A method that takes items out, or a builtin that is given a deque."""
        match node:
            case ast.Call(func=ast.Attribute(value=base, attr=method), args=args, keywords=[]) if (
                name := self.held(base)
            ) is not None:
                return placed(self.method(name, method, [self.argument(each) for each in args]), node)
            case ast.Call(func=ast.Name(id=function)) if function in BUILTINS:
                if getattr(self.resolve(function), "__name__", "") == function:
                    node.args = [self.argument(each) for each in node.args]
                    node.keywords = [self.visit(each) for each in node.keywords]
                    return node
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module))) if getattr(
                self.resolve(module), "__name__", ""
            ) in ("numpy", "math"):
                node.args = [self.argument(each) for each in node.args]
                node.keywords = [self.visit(each) for each in node.keywords]
                return node
        return self.generic_visit(node)

    def method(self, name: str, method: str, args: Sequence[ast.expr]) -> ast.expr:
        """What a method gives."""
        match method, args:
            case "popleft", []:
                return self.called(name, "pop", ast.Constant(0))
            case "pop", []:
                return self.called(name, "pop")
            case "rotate", [] | [_]:
                return call_of(turned_round, self.whole(name), *(args or [ast.Constant(1)]))
            case "insert", [_, _] if name not in self.most:
                return self.called(name, "insert", *args)
            case _, _ if method in AS_IN_LISTS and method != "pop":
                return self.called(name, method, *args)
            case _:
                raise StaysError(name)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """An item; a deque has no parts."""
        name = self.held(node.value)
        if name is None:
            return self.generic_visit(node)
        if isinstance(node.slice, ast.Slice):
            raise StaysError(name)
        node.slice = self.visit(node.slice)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        """A loop over a deque, which its body must not change: Python raises RuntimeError."""
        over = [each for each in ast.walk(node.iter) if self.held(each) is not None]
        for part in (part for each in node.body for part in ast.walk(each)):
            match part:
                case ast.Call(func=ast.Attribute(value=base, attr=method)) if method in CHANGING:
                    if any(self.held(base) == self.held(each) for each in over):
                        raise StaysError(self.held(base) or "")
                case _:
                    pass
        node.iter = self.argument(node.iter)
        node.target = self.visit(node.target)
        node.body = [each for part in node.body for each in self.statement(part)]
        node.orelse = [each for part in node.orelse for each in self.statement(part)]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """A loop of a comprehension."""
        node.iter = self.argument(node.iter)
        node.target = self.visit(node.target)
        node.ifs = [self.visit(each) for each in node.ifs]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`x in q`."""
        match node:
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[base]):
                if self.held(base) is not None:
                    node.left = self.visit(left)
                    return node
        return self.generic_visit(node)

    def test(self, node: ast.expr) -> ast.expr:
        """A condition: a deque is true if it holds something."""
        if self.held(node) is not None:
            return node
        if isinstance(node, ast.BoolOp):
            for number, each in enumerate(node.values):
                if self.held(each) is not None:
                    bare = ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), each))
                    node.values[number] = placed(bare, node)
                else:
                    node.values[number] = self.test(each)
            return node
        found: ast.expr = self.visit(node)
        return found

    def visit_If(self, node: ast.If) -> ast.AST:
        """A branch."""
        return self.tested(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        """A loop."""
        return self.tested(node)

    def tested(self, node: ast.If | ast.While) -> ast.AST:
        node.test = self.test(node.test)
        node.body = [each for part in node.body for each in self.statement(part)]
        node.orelse = [each for part in node.orelse for each in self.statement(part)]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """`not q`."""
        node.operand = self.test(node.operand) if isinstance(node.op, ast.Not) else self.visit(node.operand)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A deque as a whole: it would have another name."""
        if node.id in self.ends:
            raise StaysError(node.id)
        return node
