"""Write a dict that changes as variables, one for each key, where the keys are literals.

What a dict holds at each statement must be known: only statements of the block that makes it add or take away keys. Statements
within branches and loops replace values. Any other dict stays as it is.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from backsweep.frontend.containers.dict_displays import Displays, calls_dict, is_union, items_of
from backsweep.frontend.containers.placing import Resolve, placed

Key = Any
CHANGING = ("clear", "pop", "popitem", "setdefault", "update")
"""The methods that change a dict."""
SCOPES = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.Global, ast.Nonlocal)
"""Syntax in which a dict stays as it is: it may run later, or means another variable."""
SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
"""Statements whose expressions are computed once, from left to right, but for those within `PERHAPS`."""
PERHAPS = (ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Compare)
"""Expressions of which parts may be left out or repeated."""
VIEWS = ("items", "keys", "values")
"""The methods whose results change with the dict."""


class StaysError(Exception):
    """The dict is used in a way that variables cannot stand for."""


def with_variables(
    statements: Sequence[ast.stmt], resolve: Resolve, free: Callable[[str], str], *, of_one_type: bool = False
) -> list[ast.stmt]:
    """The statements with variables in place of the items of dicts that change; a changed statement is a copy.

    With `of_one_type`, as Numba has them, a dict stays that holds whole numbers and others: Numba would convert them.
    """
    found = list(statements)
    parts = [part for each in found for part in ast.walk(each)]
    if any(isinstance(part, ast.DictComp) or calls_dict(part, resolve) or is_union(part) for part in parts):
        displays = Displays(resolve, found)
        found = [displays.visit(each) for each in copy.deepcopy(found)]
    tried: set[str] = set()
    while name := _next(found, resolve, tried):
        tried.add(name)
        try:
            found = _Block(name, resolve, free, {}, of_one_type=of_one_type).written(copy.deepcopy(found))
        except StaysError:
            continue
    return found


def _next(statements: Sequence[ast.stmt], resolve: Resolve, tried: set[str]) -> str | None:
    """A variable of these statements that holds a dict which changes, and which was not tried before."""
    made = [
        each.targets[0].id
        for each in statements
        if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name)
        if items_of(each.value, resolve) is not None
    ]
    parts = [part for each in statements for part in ast.walk(each)]
    return next(
        (
            name
            for name in made
            if name not in tried and any(_changes(part, name) or _is_copy(part, name) for part in parts)
        ),
        None,
    )


def _is_copy(node: ast.AST, name: str) -> bool:
    """Whether the statement names a copy of the dict, which may change."""
    match node:
        case ast.Assign(value=ast.Call(func=ast.Attribute(value=base, attr="copy"), args=[], keywords=[])):
            return _is(base, name)
        case _:
            return False


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _changes(node: ast.AST, name: str) -> bool:
    """Whether the node changes the dict of this name."""
    match node:
        case ast.Subscript(value=base, ctx=ast.Store() | ast.Del()):
            return _is(base, name)
        case ast.Call(func=ast.Attribute(value=base, attr=method)):
            return method in CHANGING and _is(base, name)
        case ast.AugAssign(target=target):
            return _is(target, name)
        case _:
            return False


def _key(node: ast.expr) -> Key:
    """The literal key; raises StaysError for any other expression."""
    try:
        found = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        raise StaysError from None
    if not isinstance(found, str | int | tuple):
        raise StaysError
    return found


@dataclass
class _Block:
    """The dict of this `name` while the statements of the block that makes it are written anew.

    `variables` are the variables by key; `present` the keys that the dict has, in order; `last` says that no later statement
    changes it.
    """

    name: str
    resolve: Resolve
    free: Callable[[str], str]
    variables: dict[Key, str]
    present: list[Key] | None = None
    last: bool = False
    of_one_type: bool = False
    kinds: set[bool] = field(default_factory=set)

    def written(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements, in which variables stand for the items."""
        changing = [
            k
            for k, each in enumerate(statements)
            if any(_changes(part, self.name) for part in ast.walk(each))
        ]
        found: list[ast.stmt] = []
        for number, each in enumerate(statements):
            self.last = number > max(changing, default=-1)
            made = self.changed(each)
            if made is None:
                uses = _Uses(self)
                uses.is_once = isinstance(each, SIMPLE)
                uses.visit(each)
                made = [each]
            found += [part if part is each else placed(part, each) for part in made]
        return found

    def changed(self, statement: ast.stmt) -> list[ast.stmt] | None:
        """What stands for a statement that adds or takes away keys; None for any other statement."""
        match statement:
            case ast.Assign(targets=[target], value=value) if _is(target, self.name):
                items = items_of(value, self.resolve)
                if items is None or self.present is not None:
                    raise StaysError
                return self.assigned(items)
            case ast.Assign(targets=[ast.Subscript(value=base, slice=key)], value=value) if _is(
                base, self.name
            ):
                return self.assigned([(key, value)])
            case ast.AugAssign(target=target, op=ast.BitOr(), value=value) if _is(target, self.name):
                return self.updated(items_of(value, self.resolve))
            case ast.Delete(targets=[ast.Subscript(value=base, slice=key)]) if _is(base, self.name):
                return [self.without(_key(key))]
            case ast.Expr(value=ast.Call() as call):
                return self.called(call, None)
            case ast.Assign(targets=[target], value=ast.Call() as call):
                return self.called(call, target)
            case _:
                return None

    def called(self, call: ast.Call, target: ast.expr | None) -> list[ast.stmt] | None:
        """What stands for a statement that calls a method which changes the dict; None for any other call."""
        if not _changes(call, self.name):
            return None
        assert isinstance(call.func, ast.Attribute)
        if target is not None:
            _Uses(self).visit(target)
        match call.func.attr, call.args, call.keywords:
            case "update", args, named if target is None and len(args) < 2:
                items = [pair for each in args for pair in self.all_items(each)]
                items += [(ast.Constant(each.arg), each.value) for each in named]
                if any(each.arg is None for each in named):
                    raise StaysError
                return self.updated(items)
            case "clear", [], [] if target is None:
                return [self.without(key) for key in list(self.held())]
            case "pop", [key, *default], []:
                known = _key(key)
                if known in self.held() or not default:
                    return [*self.given(target, self.read(known)), self.without(known)]
                return self.given(target, self.anew(default[0]))
            case "popitem", [], [] if self.held():
                known = self.held()[-1]
                pair = ast.Tuple([_literal(known), self.read(known)], ast.Load())
                return [*self.given(target, pair), self.without(known)]
            case "setdefault", [key, default], []:
                known = _key(key)
                if known not in self.held():
                    made = self.assigned([(key, default)])
                else:  # the default is computed, and may raise
                    made = [ast.Assign([ast.Name(self.free("default"), ast.Store())], self.anew(default))]
                return [*made, *self.given(target, self.read(known))]
            case _:
                raise StaysError

    def all_items(self, node: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
        """The items of a dict that is written out; raises StaysError for any other expression."""
        found = items_of(node, self.resolve)
        if found is None:
            raise StaysError
        return found

    def updated(self, items: list[tuple[ast.expr, ast.expr]] | None) -> list[ast.stmt]:
        """The assignments of an update: all values are computed before the first of them."""
        if items is None:
            raise StaysError
        if len(items) < 2:
            return self.assigned(items)
        names = [self.free("value") for _ in items]
        held = [
            ast.Assign([ast.Name(name, ast.Store())], self.anew(value))
            for name, (_, value) in zip(names, items, strict=True)
        ]
        keys = [(key, ast.Name(name, ast.Load())) for name, (key, _) in zip(names, items, strict=True)]
        return [*held, *self.assigned([(key, value) for key, value in keys])]

    def assigned(self, items: Sequence[tuple[ast.expr, ast.expr]]) -> list[ast.stmt]:
        """The assignments of items, whose keys are there afterwards."""
        made: list[ast.stmt] = []
        for key, value in items:
            if self.present is not None:
                value = self.anew(value)
            elif any(_is(part, self.name) for part in ast.walk(value)):
                raise StaysError
            known = _key(key)
            self.note(value)
            made.append(ast.Assign([ast.Name(self.variable(known), ast.Store())], value))
        for key, _ in items:
            self.present = [] if self.present is None else self.present
            if _key(key) not in self.present:
                self.present.append(_key(key))
        self.present = [] if self.present is None else self.present
        return made

    def note(self, value: ast.expr) -> None:
        """Note a value that the dict takes; raises StaysError where Numba would convert it."""
        self.kinds.add(isinstance(value, ast.Constant) and isinstance(value.value, int))
        if self.of_one_type and len(self.kinds) > 1:
            raise StaysError

    def anew(self, node: ast.expr) -> ast.expr:
        """An expression with variables in place of the items."""
        holder = ast.Expr(node)
        _Uses(self).visit(holder)
        return holder.value

    def variable(self, key: Key) -> str:
        """The variable that stands for an item."""
        if key not in self.variables:
            plain = isinstance(key, str) and key.isidentifier()
            self.variables[key] = self.free(f"{self.name}_{key if plain or isinstance(key, int) else 'item'}")
        return self.variables[key]

    def held(self) -> list[Key]:
        """The keys that the dict has here."""
        if self.present is None:
            raise StaysError
        return self.present

    def read(self, key: Key) -> ast.expr:
        """The expression that reads an item."""
        if key not in self.held():
            raise StaysError
        return ast.Name(self.variable(key), ast.Load())

    def without(self, key: Key) -> ast.stmt:
        """The statement for an item that is taken away; nothing reads its variable any more."""
        if key not in self.held():
            raise StaysError
        self.held().remove(key)
        return ast.Pass()

    def given(self, target: ast.expr | None, value: ast.expr) -> list[ast.stmt]:
        """The assignment of what a method returns."""
        return [] if target is None else [ast.Assign([target], value)]

    def whole(self) -> ast.Dict:
        """The dict as it is here, written out."""
        return ast.Dict([_literal(key) for key in self.held()], [self.read(key) for key in self.held()])


class _Uses(ast.NodeTransformer):
    """Writes variables in place of items, in a statement that adds no keys and takes none away."""

    def __init__(self, block: _Block) -> None:
        self.block = block
        self.returned = False
        self.is_once = False

    def visit(self, node: ast.AST) -> Any:
        """Write a piece of syntax anew; raises StaysError where a scope of its own holds the dict."""
        if isinstance(node, SCOPES):
            names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            held = getattr(node, "names", [])
            if self.block.name in names or self.block.name in held:
                raise StaysError
            return node
        before, self.is_once = self.is_once, self.is_once and not isinstance(node, PERHAPS)
        found = super().visit(node)
        self.is_once = before
        return found

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """The value is computed before the targets."""
        if any(isinstance(each, ast.Subscript) and _is(each.value, self.block.name) for each in node.targets):
            self.block.note(node.value)
        node.value = self.visit(node.value)
        node.targets = [self.visit(each) for each in node.targets]
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """A dict that is returned is written out, because nothing changes it afterwards."""
        self.returned = True
        self.generic_visit(node)
        self.returned = False
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """An item: `d["a"]`."""
        if not _is(node.value, self.block.name):
            return self.generic_visit(node)
        name = self.block.read(_key(node.slice))
        assert isinstance(name, ast.Name)
        if isinstance(node.ctx, ast.Del):
            raise StaysError
        return ast.copy_location(ast.Name(name.id, node.ctx), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Whether a key is in the dict."""
        match node:
            case ast.Compare(left=key, ops=[ast.In() | ast.NotIn() as op], comparators=[base]) if _is(
                base, self.block.name
            ):
                found = _key(key) in self.block.held()
                return ast.copy_location(ast.Constant(found is isinstance(op, ast.In)), node)
            case _:
                return self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """The item is read before the value is computed, and stored afterwards: it must not be taken away between."""
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):
            taken = [key for key, name in self.block.variables.items() if name == node.target.id]
            if any(key not in self.block.held() for key in taken):
                raise StaysError
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        """A loop over the items, whose body leaves the dict as it is: Python's would see what changes."""
        if self.block.last or not any(
            _changes(part, self.block.name) for each in node.body for part in ast.walk(each)
        ):
            node.iter = self.view(node.iter)
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """A loop over the items in a list comprehension."""
        node.iter = self.view(node.iter)
        return self.generic_visit(node)

    def view(self, node: ast.expr) -> ast.expr:
        """What a loop runs over: for the dict or its items, these at this time."""
        block = self.block
        match node:
            case ast.Call(func=ast.Attribute(value=base, attr=method), args=[], keywords=[]) if (
                method in VIEWS
            ):
                if _is(base, block.name):
                    seen = ast.Call(ast.Attribute(block.whole(), method, ast.Load()), [], [])
                    return placed(seen, node)
            case ast.Name() if _is(node, block.name):
                return placed(ast.Tuple([_literal(key) for key in block.held()], ast.Load()), node)
            case _:
                pass
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A method that changes nothing, or the number of items."""
        block = self.block
        match node:
            case ast.Call(func=ast.Name(id=function), args=[base], keywords=[]) if _is(base, block.name):
                if block.resolve(function) is len:
                    return ast.copy_location(ast.Constant(len(block.held())), node)
            case ast.Call(func=ast.Attribute(value=base, attr="get"), args=[key, *default]) if _is(
                base, block.name
            ):
                if _key(key) not in block.held():
                    return self.visit(default[0]) if default else ast.copy_location(ast.Constant(None), node)
                computed = [
                    self.visit(each) for each in default if not isinstance(each, ast.Constant | ast.Name)
                ]
                read = block.read(_key(key))
                if computed:  # it may raise
                    read = ast.Subscript(
                        ast.Tuple([*computed, read], ast.Load()), ast.Constant(-1), ast.Load()
                    )
                return placed(read, node)
            case ast.Call(func=ast.Attribute(value=base, attr="copy"), args=[]) if _is(base, block.name):
                return placed(block.whole(), node)
            case ast.Call(func=ast.Attribute(value=base, attr=method), args=[]) if (
                _is(base, block.name) and method in VIEWS
            ):
                if block.last:
                    return self.view(node)
            case ast.Call(func=ast.Attribute(value=base, attr="pop"), args=[key], keywords=[]) if _is(
                base, block.name
            ):
                if self.is_once:
                    taken = block.read(_key(key))
                    block.without(_key(key))
                    return placed(taken, node)
            case ast.Call(func=ast.Attribute(value=base, attr="popitem"), args=[], keywords=[]) if _is(
                base, block.name
            ):
                if self.is_once and block.held():
                    known = block.held()[-1]
                    pair = ast.Tuple([_literal(known), block.read(known)], ast.Load())
                    block.without(known)
                    return placed(pair, node)
            case _:
                pass
        return self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        """A dict that takes over the items: `{**d, "a": x}`."""
        keys: list[ast.expr | None] = []
        values: list[ast.expr] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None and _is(value, self.block.name):
                whole = placed(self.block.whole(), node)
                keys += whole.keys
                values += whole.values
            else:
                keys.append(key)
                values.append(value)
        node.keys, node.values = keys, values
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """The dict as a whole: where it is returned, its copy stands for it. Elsewhere it would have another name."""
        if node.id != self.block.name:
            return node
        if not isinstance(node.ctx, ast.Load) or not self.returned:
            raise StaysError
        return ast.copy_location(self.block.whole(), node)


def _literal(key: Key) -> ast.expr:
    return ast.parse(repr(key), mode="eval").body
