"""Write a dict whose keys the run computes as two lists, of its keys and of its values, in the order in which keys came.

So are `defaultdict`, with a default of which each is made anew, and `Counter`. A dict that is used in any other way, has a string for
a key or is handed on stays as it is.
"""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType

from backsweep.frontend.containers.counters import by_counts, repeated, with_named_counters
from backsweep.frontend.containers.dict_makers import Maker, candidates, changes, copied, made, mixed
from backsweep.frontend.containers.placing import (
    Resolve,
    StaysError,
    call_of,
    in_loops,
    method_of,
    placed,
    with_own_names,
)
from backsweep.runtime.lists.counters import count_items, count_pairs
from backsweep.runtime.lists.dicts import (
    place_for_key,
    place_of_key,
    place_that_stays,
    popped_of_key,
    popped_or,
    put_at_key,
    value_or,
    without_key,
)

OF_ALL = ("list", "tuple", "sorted", "sum", "min", "max", "any", "all", "enumerate", "reversed", "zip", "set")
"""The builtins that take the keys of a dict, in turn."""


def with_two_lists(
    statements: Sequence[ast.stmt], resolve: Resolve, free: Callable[[str], str]
) -> list[ast.stmt]:
    """The statements with two lists in place of such dicts; a changed statement is a copy."""
    given = with_named_counters(statements, resolve, free)
    tables = candidates(given, resolve)
    while tables:
        try:
            several = mixed([part for each in given for part in ast.walk(each)], tables, resolve)
            writer = _Writer(tables, several, resolve, free)
            return [each for part in copy.deepcopy(given) for each in writer.statement(part)]
        except StaysError as found:
            if tables[found.name].is_counter and given != list(statements):
                given, tables = list(statements), candidates(statements, resolve)
            tables.pop(found.name, None)
    return given


class _Writer(ast.NodeTransformer):
    """Writes the statements of a function; `loops` are the dicts that the loops around a statement run over.

    `mixed` are variables of dicts of several kinds.
    """

    def __init__(
        self, tables: dict[str, Maker], mixed: set[str], resolve: Resolve, free: Callable[[str], str]
    ) -> None:
        self.tables = tables
        self.mixed = mixed
        self.resolve = resolve
        self.free = free
        self.lists = {name: (free(f"{name}_keys"), free(f"{name}_values")) for name in tables}
        self.loops: list[str] = []

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """The statements for a statement."""
        found = self.visit(node)
        return found if isinstance(found, list) else [found]

    def body(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [each for part in statements for each in self.statement(part)]

    # What the lists are called

    def keys(self, name: str) -> ast.expr:
        return ast.Name(self.lists[name][0], ast.Load())

    def values(self, name: str) -> ast.expr:
        return ast.Name(self.lists[name][1], ast.Load())

    def held(self, node: ast.AST | None) -> str | None:
        """The dict that the expression names."""
        return node.id if isinstance(node, ast.Name) and node.id in self.tables else None

    def key(self, name: str, node: ast.expr) -> ast.expr:
        """A key: one that is a string stays one of a dict that exists while compiling only."""
        is_text = isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and not isinstance(node.value, int | float)
        )
        if is_text:
            raise StaysError(name)
        return self.expression(node)

    def expression(self, node: ast.expr) -> ast.expr:
        found: ast.expr = self.visit(node)
        return found

    def place(self, name: str, key: ast.expr) -> ast.expr:
        """Where the value of a key is; a `defaultdict` gets one if it has none."""
        maker = self.tables[name]
        if name in self.mixed:
            raise StaysError(name)
        if maker.default is None:
            return call_of(place_of_key, self.keys(name), self.key(name, key))
        return self.new_place(name, key, copy.deepcopy(maker.default))

    def new_place(self, name: str, key: ast.expr, default: ast.expr) -> ast.expr:
        """Where the value of a key is, which is the default if it was missing."""
        if name in self.loops:
            raise StaysError(name)
        return call_of(place_for_key, self.keys(name), self.values(name), self.key(name, key), default)

    # Statements

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """A dict that is made, or an item that is stored."""
        match node.targets:
            case [ast.Name(id=name)] if name in self.tables:
                return [placed(each, node) for each in self.assigned(name, node.value)]
            case [ast.Subscript(value=base, slice=key)] if (stored := self.held(base)) is not None:
                return [placed(each, node) for each in self.put(stored, key, self.expression(node.value))]
            case [ast.Tuple(elts=targets)] if isinstance(node.value, ast.Tuple) and (
                len(targets) == len(node.value.elts)
            ):
                return placed(self.at_once(targets, node.value.elts), node)
            case _:
                return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        """A dict that is made, with an annotation."""
        if self.held(node.target) is None or node.value is None:
            return self.generic_visit(node)
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def at_once(self, targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> ast.stmt:
        """`new, old = {}, new`: the lists are assigned together."""
        left: list[ast.expr] = []
        right: list[ast.expr] = []
        for target, value in zip(targets, values, strict=True):
            name = self.held(target)
            if name is None:
                left.append(self.expression(target))
                right.append(self.expression(value))
                continue
            left += [ast.Name(each, ast.Store()) for each in self.lists[name]]
            right += self.handed_over(name, value)
        return ast.Assign([ast.Tuple(left, ast.Store())], ast.Tuple(right, ast.Load()))

    def handed_over(self, name: str, value: ast.expr) -> list[ast.expr]:
        """The two lists for a dict that is empty, or that had another name."""
        other, maker = self.held(value), made(value, self.resolve)
        if other is not None:
            return [self.keys(other), self.values(other)]
        if maker is None or maker.items or maker.counts or maker.comprehension or maker.combining:
            raise StaysError(name)
        return [ast.List([], ast.Load()), ast.List([], ast.Load())]

    def assigned(self, name: str, value: ast.expr) -> list[ast.stmt]:
        """What makes the dict of a name."""
        maker, lists = made(value, self.resolve), [ast.Name(each, ast.Store()) for each in self.lists[name]]
        source = copied(value, self.resolve)
        if source in self.tables and source is not None:
            both = [_named("list", self.keys(source)), _named("list", self.values(source))]
            return [ast.Assign([target], each) for target, each in zip(lists, both, strict=True)]
        if self.held(value) is not None:
            both = self.handed_over(name, value)
            return [ast.Assign([target], each) for target, each in zip(lists, both, strict=True)]
        if maker is None or name in self.loops:
            raise StaysError(name)
        if maker.combining is not None:
            return self.combined(name, maker, maker.combining)
        if any(self.held(part) == name for part in ast.walk(value)):
            raise StaysError(name)
        made_empty: list[ast.stmt] = [ast.Assign([target], ast.List([], ast.Load())) for target in lists]
        found = list(made_empty)
        for key, item in maker.items:
            held = self.free("key")
            found.append(ast.Assign([ast.Name(held, ast.Store())], self.key(name, key)))
            found += self.put(name, ast.Name(held, ast.Load()), self.expression(item))
        if maker.counts is not None:
            found.append(self.counted(name, maker.counts))
        if maker.comprehension is not None:
            found += self.comprehended(name, maker.comprehension)
        return found

    def combined(self, name: str, maker: Maker, function: Callable[..., None]) -> list[ast.stmt]:
        """What makes a counter of others, of which one may have had its name."""
        new = [self.free(each) for each in self.lists[name]]
        given: list[ast.expr] = [ast.Name(each, ast.Load()) for each in new]
        for operand in maker.operands:
            other = self.held(operand)
            if other is None:
                raise StaysError(name)
            given += [self.keys(other), self.values(other)]
        found: list[ast.stmt] = [
            ast.Assign([ast.Name(each, ast.Store())], ast.List([], ast.Load())) for each in new
        ]
        found.append(ast.Expr(call_of(function, *given)))
        for held, each in zip(self.lists[name], new, strict=True):
            if maker.in_place:
                found += [ast.Expr(method_of(held, "clear")), ast.Expr(method_of(held, "extend", each))]
            else:
                found.append(ast.Assign([ast.Name(held, ast.Store())], ast.Name(each, ast.Load())))
        return found

    def counted(self, name: str, items: ast.expr, step: int = 1) -> ast.stmt:
        """What counts items, or adds the counts of a dict."""
        other, both = self.held(items), (self.keys(name), self.values(name))
        if other is not None:
            pairs = (self.keys(other), self.values(other))
            return ast.Expr(call_of(count_pairs, *both, *pairs, ast.Constant(step)))
        if isinstance(items, ast.Dict | ast.DictComp):
            raise StaysError(name)
        if not self.has_no_counts(items):
            return ast.Expr(call_of(count_items, *both, self.expression(items), ast.Constant(step)))
        item = self.free("item")
        place = self.new_place(name, ast.Name(item, ast.Load()), ast.Constant(0))
        adding = ast.AugAssign(
            ast.Subscript(self.values(name), place, ast.Store()), ast.Add(), ast.Constant(step)
        )
        return ast.For(ast.Name(item, ast.Store()), self.iterable(items), [adding], [])

    def has_no_counts(self, items: ast.expr) -> bool:
        """Whether what a counter is given is certainly no dict, as far as syntax tells."""
        match items:
            case ast.Call(func=ast.Name(id=name)):
                called = self.resolve(name)
                return isinstance(called, type | BuiltinFunctionType) or inspect.isgeneratorfunction(called)
            case ast.Call(func=ast.Attribute(value=base, attr="keys" | "values" | "items"), args=[]):
                return self.held(base) is not None
            case _:
                return not isinstance(items, ast.Name | ast.Attribute | ast.Subscript | ast.Call)

    def comprehended(self, name: str, node: ast.DictComp) -> list[ast.stmt]:
        """The loops of a comprehension, whose variables are its own."""
        with_own_names(node, self.free)
        for each in node.generators:
            each.iter, each.ifs = self.iterable(each.iter), [self.test(test) for test in each.ifs]
        return in_loops(node.generators, self.put(name, node.key, self.expression(node.value)))

    def put(self, name: str, key: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """`name[key] = value`, where the value is computed first."""
        before: list[ast.stmt] = []
        if not isinstance(value, ast.Name | ast.Constant):
            held = self.free("value")
            before.append(ast.Assign([ast.Name(held, ast.Store())], value))
            value = ast.Name(held, ast.Load())
        if name in self.loops:
            place = call_of(place_that_stays, self.keys(name), self.key(name, key))
            return [*before, ast.Assign([ast.Subscript(self.values(name), place, ast.Store())], value)]
        put = call_of(put_at_key, self.keys(name), self.values(name), self.key(name, key), value)
        return [*before, ast.Expr(put)]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """`d[k] += v`: what a counter has for a missing key is 0."""
        match node.target:
            case ast.Subscript(value=base, slice=key) if (name := self.held(base)) is not None:
                if any(changes(part, name) for part in ast.walk(node.value)):
                    raise StaysError(name)
                is_counter = self.tables[name].is_counter and name not in self.mixed
                place = self.new_place(name, key, ast.Constant(0)) if is_counter else self.place(name, key)
                target = ast.Subscript(self.values(name), place, ast.Store())
                return placed(ast.AugAssign(target, node.op, self.expression(node.value)), node)
            case _:
                return self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> ast.AST | list[ast.stmt]:
        """`del d[k]`."""
        found: list[ast.stmt] = []
        for target in node.targets:
            match target:
                case ast.Subscript(value=base, slice=key) if (name := self.held(base)) is not None:
                    if name in self.loops:
                        raise StaysError(name)
                    both = (self.keys(name), self.values(name), self.key(name, key))
                    if self.tables[name].is_counter and name in self.mixed:
                        raise StaysError(name)
                    is_counter = self.tables[name].is_counter  # which needs no such key
                    gone = (
                        call_of(popped_or, *both, ast.Constant(0))
                        if is_counter
                        else call_of(without_key, *both)
                    )
                    found.append(placed(ast.Expr(gone), node))
                case _:
                    kept = self.expression(target)
                    found.append(ast.copy_location(ast.Delete([kept]), node))
        return found

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        """A method that changes the dict, and whose result nobody wants."""
        match node.value:
            case ast.Call(func=ast.Attribute(value=base, attr=method), args=args, keywords=[]) if (
                name := self.held(base)
            ) is not None:
                pass
            case _:
                return self.generic_visit(node)
        if name in self.loops:
            raise StaysError(name)
        match method, args:
            case "clear", []:
                both = (self.keys(name), self.values(name))
                calls = [ast.Call(ast.Attribute(each, "clear", ast.Load()), [], []) for each in both]
                return [placed(ast.Expr(each), node) for each in calls]
            case "update", [more] if self.tables[name].is_counter:
                return placed(self.counted(name, more), node)
            case "subtract", [more] if self.tables[name].is_counter:
                return placed(self.counted(name, more, -1), node)
            case "update", [ast.Dict() as more]:
                maker = made(more, self.resolve)
                pairs = () if maker is None else maker.items
                if maker is None or any(self.held(part) == name for part in ast.walk(more)):
                    raise StaysError(name)
                found = [each for pair in pairs for each in self.put(name, pair[0], self.expression(pair[1]))]
                return [placed(each, node) for each in found] or [placed(ast.Pass(), node)]
            case "update", [more] if (other := self.held(more)) is not None and other != name:
                key, value = self.free("key"), self.free("value")
                target = ast.Tuple([ast.Name(key, ast.Store()), ast.Name(value, ast.Store())], ast.Store())
                put = self.put(name, ast.Name(key, ast.Load()), ast.Name(value, ast.Load()))
                return placed(ast.For(target, self.pairs(other), put, []), node)
            case _:
                return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        """A loop, also over a dict: what its body stores there must have its key already."""
        looped = self.looped(node.iter)
        iterable = self.iterable(node.iter)
        self.loops += looped
        node.body = self.body(node.body)
        del self.loops[len(self.loops) - len(looped) :]
        node.iter, node.target = iterable, self.expression(node.target)
        node.orelse = self.body(node.orelse)
        return placed(node, node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """An inner function that reads or changes the dict of the function around it."""
        return self.inner(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """The same."""
        return self.inner(node)

    def inner(self, node: ast.FunctionDef | ast.Lambda) -> ast.AST:
        own = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
        own |= {
            each.id
            for each in ast.walk(node)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        for name in self.tables:
            if name in own and any(self.held(each) == name for each in ast.walk(node)):
                raise StaysError(name)
        if isinstance(node, ast.FunctionDef):
            node.body = self.body(node.body)
            return node
        return self.generic_visit(node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        """A dict that another function assigns."""
        return self.declared(node, node.names)

    def visit_Global(self, node: ast.Global) -> ast.AST:
        """A dict that belongs to the module."""
        return self.declared(node, node.names)

    def declared(self, node: ast.stmt, names: Sequence[str]) -> ast.stmt:
        for name in names:
            if name in self.tables:
                raise StaysError(name)
        return node

    # Expressions

    def looped(self, node: ast.expr) -> list[str]:
        """The dicts over whose present items a loop runs: a list of them is a copy."""
        match node:
            case ast.Call(func=ast.Name(id="enumerate" | "zip" | "reversed"), args=args):
                return [name for each in args for name in self.looped(each)]
            case ast.Call(func=ast.Attribute(value=base, attr="items" | "keys" | "values"), args=[]):
                return [name for name in [self.held(base)] if name is not None]
            case _:
                return [name for name in [self.held(node)] if name is not None]

    def iterable(self, node: ast.expr) -> ast.expr:
        """What a loop runs over."""
        name = self.held(node)
        if name is not None:
            return self.keys(name)
        match node:
            case ast.Call(func=ast.Attribute(value=base, attr="items"), args=[], keywords=[]):
                name = self.held(base)
                return self.expression(node) if name is None else self.pairs(name)
            case ast.Call(func=ast.Name(id="enumerate" | "zip" as function), args=args):
                if self.resolve(function) in (enumerate, zip):
                    node.args = [self.iterable(each) for each in args]
                    return node
        return self.expression(node)

    def pairs(self, name: str) -> ast.expr:
        """The items of a dict, for a loop."""
        if self.resolve("zip") is not zip:
            raise StaysError(name)
        return _named("zip", self.keys(name), self.values(name))

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """A loop of a comprehension."""
        node.iter = self.iterable(node.iter)
        node.ifs = [self.test(each) for each in node.ifs]
        node.target = self.expression(node.target)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`d[k]`: a key that is missing counts 0, is put in, or raises."""
        name = self.held(node.value)
        if name is None:
            return self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or name in self.mixed:
            raise StaysError(name)
        if self.tables[name].is_counter:
            return placed(self.with_default(name, node.slice, ast.Constant(0)), node)
        return placed(ast.Subscript(self.values(name), self.place(name, node.slice), ast.Load()), node)

    def with_default(self, name: str, key: ast.expr, default: ast.expr) -> ast.expr:
        return call_of(value_or, self.keys(name), self.values(name), self.key(name, key), default)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`k in d`."""
        match node:
            case ast.Compare(left=key, ops=[ast.In() | ast.NotIn() as op], comparators=[base]) if (
                name := self.held(self.base_of_keys(base))
            ) is not None:
                return placed(ast.Compare(self.key(name, key), [op], [self.keys(name)]), node)
            case _:
                return self.generic_visit(node)

    def base_of_keys(self, node: ast.expr) -> ast.expr:
        """The dict of `d.keys()`; any other expression unchanged."""
        match node:
            case ast.Call(func=ast.Attribute(value=base, attr="keys"), args=[], keywords=[]):
                return base
            case _:
                return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A method of the dict, or a builtin that is given it."""
        match node:
            case ast.Call(func=ast.Attribute(value=base, attr=method), args=args, keywords=[]) if (
                name := self.held(base)
            ) is not None:
                return placed(self.method(name, method, args), node)
            case ast.Call(func=ast.Name(id="len" | "bool" as function), args=[base], keywords=[]) if (
                name := self.held(base)
            ) is not None and self.resolve(function) in (len, bool):
                return placed(_named(function, self.keys(name)), node)
            case ast.Call(func=ast.Name(id=function)) if function in OF_ALL:
                known = getattr(self.resolve(function), "__name__", "") == function
                if known:
                    node.args = [self.listed(each) for each in node.args]
                    for keyword in node.keywords:
                        keyword.value = self.as_function(keyword.value)
        return self.generic_visit(node)

    def listed(self, node: ast.expr) -> ast.expr:
        """An argument: the keys of a dict, or a list of its items."""
        name = self.held(node)
        if name is not None:
            return placed(ast.Name(self.lists[name][0], ast.Load()), node)
        match node:
            case ast.Call(func=ast.Attribute(value=base, attr="items"), args=[], keywords=[]):
                name = self.held(base)
                if name is not None:
                    return placed(_named("list", self.pairs(name)), node)
        return node

    def as_function(self, node: ast.expr) -> ast.expr:
        """`d.get` as a key by which items are compared."""
        match node:
            case ast.Attribute(value=base, attr="get" | "__getitem__") if (
                name := self.held(base)
            ) is not None:
                key = self.free("key")
                read = ast.Subscript(ast.Name(name, ast.Load()), ast.Name(key, ast.Load()), ast.Load())
                parameters = ast.arguments([], [ast.arg(key)], None, [], [], None, [])
                return placed(ast.Lambda(parameters, read), node)
            case _:
                return node

    def method(self, name: str, method: str, args: Sequence[ast.expr]) -> ast.expr:
        """What a method gives."""
        both = (self.keys(name), self.values(name))
        match method, args:
            case "keys", []:
                return both[0]
            case "values", []:
                return both[1]
            case "get", [key, *default] if len(default) < 2:
                return self.with_default(
                    name, key, self.expression(default[0]) if default else ast.Constant(None)
                )
            case "setdefault", [key, default]:
                place = self.new_place(name, key, self.expression(default))
                return ast.Subscript(both[1], place, ast.Load())
            case "pop", [key] if name not in self.loops:
                return call_of(popped_of_key, *both, self.key(name, key))
            case "pop", [key, default] if name not in self.loops:
                return call_of(popped_or, *both, self.key(name, key), self.expression(default))
            case "total", [] if self.tables[name].is_counter:
                return _named("sum", both[1])
            case "most_common", [*most] if self.tables[name].is_counter and len(most) < 2:
                return self.most_common(name, most)
            case "elements", [] if self.tables[name].is_counter and self.resolve("range") is range:
                return repeated(self.pairs(name), [self.free(each) for each in ("key", "count", "turn")])
            case _:
                raise StaysError(name)

    def most_common(self, name: str, most: Sequence[ast.expr]) -> ast.expr:
        """The items of a counter, the largest counts first."""
        if any(self.resolve(each.__name__) is not each for each in (sorted, list)):
            raise StaysError(name)
        length = self.expression(most[0]) if most else ast.Constant(None)
        return by_counts(_named("list", self.pairs(name)), length, self.free("pair"))

    # Conditions

    def test(self, node: ast.expr) -> ast.expr:
        """A condition: a dict is true if it holds something."""
        name = self.held(node)
        if name is not None:
            if self.resolve("len") is not len:
                raise StaysError(name)
            return placed(ast.Compare(_named("len", self.keys(name)), [ast.Gt()], [ast.Constant(0)]), node)
        if isinstance(node, ast.BoolOp):
            node.values = [self.test(each) for each in node.values]
            return node
        return self.expression(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        """A branch."""
        node.test, node.body, node.orelse = self.test(node.test), self.body(node.body), self.body(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        """A loop."""
        node.test, node.body, node.orelse = self.test(node.test), self.body(node.body), self.body(node.orelse)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """A conditional expression."""
        node.test = self.test(node.test)
        node.body, node.orelse = self.expression(node.body), self.expression(node.orelse)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """`not d`."""
        node.operand = (
            self.test(node.operand) if isinstance(node.op, ast.Not) else self.expression(node.operand)
        )
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A dict as a whole: it would have another name."""
        if node.id in self.tables:
            raise StaysError(node.id)
        return node


def _named(function: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(function, ast.Load()), list(args), [])
