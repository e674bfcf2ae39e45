"""Write a set that is asked only what it holds and how much as a list without equal items.

Sets have no order, so that one which is looped over, compared or handed on stays as it is, and is refused: a loop over
`sorted(items)` has one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from backsweep.frontend.containers.placing import (
    Resolve,
    call_of,
    in_loops,
    placed,
    rewritten_by,
    with_own_names,
)
from backsweep.runtime.lists.dicts import place_of_item

CHANGES = ("add", "discard", "remove", "clear", "update")
"""The methods that change a set."""


ASKED = {"len": len, "sorted": sorted, "min": min, "max": max, "sum": sum}
"""The builtins that give the same for each order of the items, to rounding."""


def with_lists(
    statements: Sequence[ast.stmt], resolve: Resolve, free: Callable[[str], str]
) -> list[ast.stmt]:
    """The statements with lists in place of such sets; a changed statement is a copy."""
    found = list(statements)
    parts = [part for each in found for part in ast.walk(each)]
    made = [part for part in parts if isinstance(part, ast.Assign) and _is_made(part, resolve)]
    names = {target.id for each in made for target in each.targets if isinstance(target, ast.Name)}
    names = {name for name in names if _is_plain(found, name, resolve)}
    if not names:
        return found
    writer = _Writer(names, resolve, free)
    return rewritten_by(writer, found)


def apart(statements: Sequence[ast.stmt], resolve: Resolve) -> list[ast.stmt]:
    """The statements, in which `a, b = set(), 0` is two assignments, and `a: dict[str, float] = {}` a plain one; a changed one is a copy."""
    found = list(statements)
    writer = _Apart(resolve)
    if not any(writer.changes(part) for each in found for part in ast.walk(each)):
        return found
    return rewritten_by(writer, found)


class _Apart(ast.NodeTransformer):
    """Writes assignments of tuples that hold sets or dicts one by one."""

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
        """A set or a dict without its annotation."""
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
        """Whether the expression makes a set or a dict."""
        match node:
            case ast.Set() | ast.Dict():
                return True
            case ast.Call(func=ast.Name(id=name)):
                return self.resolve(name) in (set, dict)
            case _:
                return False

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        """One assignment for each variable."""
        found = [placed(ast.Assign([target], value), node) for target, value in self.pairs(node)]
        return [*found] or [node]


def _made(node: ast.Assign, resolve: Resolve) -> list[ast.expr] | None:
    """The items of the set that the statement makes; None for another statement."""
    if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return None
    match node.value:
        case ast.Set(elts=items):
            pass
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]) if resolve(name) is set:
            return []
        case ast.Call(
            func=ast.Name(id=name), args=[ast.List(elts=items) | ast.Tuple(elts=items)], keywords=[]
        ):
            if resolve(name) is not set:
                return None
        case _:
            return None
    return None if any(isinstance(each, ast.Starred) for each in items) else items


def _is_made(node: ast.Assign, resolve: Resolve) -> bool:
    """Whether the statement makes a set."""
    return _made(node, resolve) is not None or _collected(node, resolve) is not None


def _conditions(test: ast.expr) -> list[ast.expr]:
    """What a condition asks whether it is true."""
    if isinstance(test, ast.BoolOp):
        return [part for each in test.values for part in _conditions(each)]
    return [test]


def _is_set(node: ast.expr, resolve: Resolve) -> bool:
    """Whether the expression makes a set."""
    return _is_made(ast.Assign([ast.Name("", ast.Store())], node), resolve)


def _collected(node: ast.Assign, resolve: Resolve) -> ast.expr | None:
    """What the set that the statement makes collects: a comprehension, or what `set` is given."""
    if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return None
    match node.value:
        case ast.SetComp():
            return node.value
        case ast.Call(func=ast.Name(id=name), args=[items], keywords=[]) if resolve(name) is set:
            return items
        case _:
            return None


def _is_plain(statements: Sequence[ast.stmt], name: str, resolve: Resolve) -> bool:
    """Whether the set of this name is only made, changed, asked what it holds, and counted."""
    known: set[ast.AST] = set()
    every: list[ast.AST] = []
    waiting: list[ast.AST] = list(statements)
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.ClassDef | ast.Global | ast.Nonlocal):
            inner = {each.id for each in ast.walk(part) if isinstance(each, ast.Name)}
            if name in inner | set(getattr(part, "names", [])):
                return False
            continue
        if isinstance(part, ast.FunctionDef | ast.Lambda) and _has_own(part, name):
            return False
        if isinstance(part, ast.Name) and part.id == name:
            every.append(part)
        match part:
            case ast.Assign(targets=[ast.Name() as target]) if _is_made(part, resolve):
                known.add(target)
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                known.update(_conditions(test))
            case ast.UnaryOp(op=ast.Not(), operand=base):
                known.update(_conditions(base))
            case ast.AugAssign(target=ast.Name() as target, op=ast.BitOr(), value=value) if _is_set(
                value, resolve
            ):
                known.add(target)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=base, attr=method), args=args, keywords=[])
            ):
                if method in CHANGES and len(args) == (method != "clear"):
                    known.add(base)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[base]):
                known.add(base)
            case ast.Call(func=ast.Name(id=function), args=[base], keywords=named) if function in ASKED:
                # with a key, items may be alike, and the order of the set decides
                if resolve(function) is ASKED[function] and all(each.arg == "reverse" for each in named):
                    known.add(base)
            case _:
                pass
        waiting.extend(ast.iter_child_nodes(part))
    return all(each in known for each in every)


def _has_own(node: ast.FunctionDef | ast.Lambda, name: str) -> bool:
    """Whether an inner function has a variable of this name itself, or runs step by step."""
    return any(
        (isinstance(part, ast.arg) and part.arg == name)
        or (isinstance(part, ast.Name) and part.id == name and not isinstance(part.ctx, ast.Load))
        or (isinstance(part, ast.Yield | ast.YieldFrom) and name in _loaded(node))
        for part in ast.walk(node)
    )


def _loaded(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


class _Writer(ast.NodeTransformer):
    """Writes the statements that make and change the sets."""

    def __init__(self, names: set[str], resolve: Resolve, free: Callable[[str], str]) -> None:
        self.names = names
        self.resolve = resolve
        self.free = free

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        """Make a list, and put each item in."""
        target = node.targets[0]
        items = _made(node, self.resolve)
        lines: list[ast.stmt]
        if not isinstance(target, ast.Name) or target.id not in self.names:
            return [node]
        if items is None:
            collected = _collected(node, self.resolve)
            assert collected is not None
            held = self.free("collected")  # the set may be what its items are computed of
            lines = [ast.Assign([ast.Name(held, ast.Store())], ast.List([], ast.Load()))]
            lines += [*self.all_put(held, collected), ast.Assign([target], ast.Name(held, ast.Load()))]
            return [placed(each, node) for each in lines]
        named = [(self.free("item"), each) for each in items]
        lines = [ast.Assign([ast.Name(name, ast.Store())], each) for name, each in named]
        lines.append(ast.Assign([target], ast.List([], ast.Load())))
        lines += [_put(target.id, ast.Name(name, ast.Load())) for name, _ in named]
        return [placed(each, node) for each in lines]

    def all_put(self, name: str, items: ast.expr) -> list[ast.stmt]:
        """Put each of the items in that a comprehension makes, or that an iterable gives."""
        if isinstance(items, ast.SetComp):
            with_own_names(items, self.free)
            return in_loops(items.generators, self.one_put(name, items.elt))
        item = self.free("item")
        loop = ast.For(ast.Name(item, ast.Store()), items, [_put(name, ast.Name(item, ast.Load()))], [])
        return [loop]

    def one_put(self, name: str, item: ast.expr) -> list[ast.stmt]:
        """Compute an item, and put it in."""
        held = self.free("item")
        return [ast.Assign([ast.Name(held, ast.Store())], item), _put(name, ast.Name(held, ast.Load()))]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        """`z |= {item}`."""
        if not isinstance(node.target, ast.Name) or node.target.id not in self.names:
            return [node]
        more = node.value
        if isinstance(more, ast.Set):
            more = ast.Tuple(more.elts, ast.Load())
        elif isinstance(more, ast.Call) and more.args:
            (more,) = more.args
        elif isinstance(more, ast.Call):
            return [placed(ast.Pass(), node)]
        return [placed(each, node) for each in self.all_put(node.target.id, more)]

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        """Put an item in unless it is there, or take it out if it is."""
        match node.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=args) if (
                name in self.names
            ):
                pass
            case _:
                return [node]
        lines: list[ast.stmt] = []
        if method == "clear":
            return [node]
        if method == "update":
            return [placed(each, node) for each in self.all_put(name, args[0])]
        item = args[0]
        if not isinstance(item, ast.Name | ast.Constant):
            held = self.free("item")
            lines.append(ast.Assign([ast.Name(held, ast.Store())], item))
            item = ast.Name(held, ast.Load())
        if method == "remove":  # which raises an error for what is not there
            place = call_of(place_of_item, ast.Name(name, ast.Load()), item)
            lines.append(ast.Delete([ast.Subscript(ast.Name(name, ast.Load()), place, ast.Del())]))
        else:
            lines.append(_put(name, item) if method == "add" else _taken(name, item))
        return [placed(each, node) for each in lines]


def _put(name: str, item: ast.expr) -> ast.stmt:
    """`if item not in name: name.append(item)`."""
    return ast.If(
        ast.Compare(item, [ast.NotIn()], [ast.Name(name, ast.Load())]), [_called(name, "append", item)], []
    )


def _taken(name: str, item: ast.expr) -> ast.stmt:
    """`if item in name: name.remove(item)`."""
    return ast.If(
        ast.Compare(item, [ast.In()], [ast.Name(name, ast.Load())]), [_called(name, "remove", item)], []
    )


def _called(name: str, method: str, item: ast.expr) -> ast.stmt:
    return ast.Expr(ast.Call(ast.Attribute(ast.Name(name, ast.Load()), method, ast.Load()), [item], []))
