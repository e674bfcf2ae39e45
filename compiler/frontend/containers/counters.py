"""Give counters without a name one, and write their operators as calls: `c = a + b` becomes `c = added_counts(a, b)`.

So `computed_dicts.py`, which writes a counter as two lists, meets operators of counters that have names only.
"""

from __future__ import annotations

import ast
import collections
import copy
from collections.abc import Callable, Mapping, Sequence

from backsweep.frontend.containers.placing import Resolve, call_of, placed
from backsweep.runtime.lists.counters import (
    added_counts,
    common_counts,
    largest_counts,
    negative_counts,
    positive_counts,
    remaining_counts,
)

BINARY: Mapping[type[ast.operator], Callable[..., None]] = {
    ast.Add: added_counts,
    ast.Sub: remaining_counts,
    ast.BitAnd: common_counts,
    ast.BitOr: largest_counts,
}
UNARY: Mapping[type[ast.unaryop], Callable[..., None]] = {
    ast.UAdd: positive_counts,
    ast.USub: negative_counts,
}
COMBINING = (*BINARY.values(), *UNARY.values())
"""What makes a counter of one or two others."""
COUNTING = ("update", "subtract")
"""The methods that take what a counter is to count, or a dict of counts."""


IN_PLACE = "in_place"
"""The keyword that says that a counter itself changes, under all of its names."""


def combined(node: ast.expr) -> tuple[Callable[..., None], tuple[ast.expr, ...], bool] | None:
    """The function and the operands that make a counter of others, and whether the first of them changes; None for any other expression."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Constant):
        return None
    held: object = node.func.value
    function = next((each for each in COMBINING if each is held), None)
    return None if function is None else (function, tuple(node.args), bool(node.keywords))


def with_named_counters(
    statements: Sequence[ast.stmt], resolve: Resolve, free: Callable[[str], str]
) -> list[ast.stmt]:
    """The statements with a name for each counter that an operator or a method takes; what changes is a copy."""
    given = list(statements)
    names = _counters(given, resolve)
    if not names and not any(_makes(part, resolve) for each in given for part in ast.walk(each)):
        return given
    writer = _Naming(names, _with_other_names(given), resolve, free)
    return [each for part in copy.deepcopy(given) for each in writer.statement(part)]


def _counters(statements: Sequence[ast.stmt], resolve: Resolve) -> set[str]:
    """The variables that hold counters."""
    found: set[str] = set()
    parts = [part for each in statements for part in ast.walk(each)]
    before = -1
    while len(found) > before:
        before = len(found)
        for part in parts:
            match part:
                case ast.Assign(targets=[ast.Name() as target], value=value):
                    pairs = [(target, value)]
                case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                    pairs = [(target, value)]
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                    pairs = [
                        (each, value)
                        for each, value in zip(targets, values, strict=False)
                        if isinstance(each, ast.Name)
                    ]
                case _:
                    pairs = []
            found |= {each.id for each, value in pairs if _is_counter(value, found, resolve)}
    return found


def _with_other_names(statements: Sequence[ast.stmt]) -> set[str]:
    """The variables that are assigned to others, and these."""
    found: set[str] = set()
    for part in (part for each in statements for part in ast.walk(each)):
        if isinstance(part, ast.Assign) and (read := _whole(part.value)):
            found |= read.union(*map(_whole, part.targets))
        if isinstance(part, ast.AnnAssign) and part.value is not None and (read := _whole(part.value)):
            found |= read | _whole(part.target)
    return found


def _whole(node: ast.expr) -> set[str]:
    """The variables that an expression is, or that it is a tuple of."""
    match node:
        case ast.Name(id=name):
            return {name}
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return {name for each in items for name in _whole(each)}
        case _:
            return set()


def _makes(node: ast.AST, resolve: Resolve) -> bool:
    """Whether the node is a call of `Counter`."""
    if not isinstance(node, ast.Call):
        return False
    match node.func:
        case ast.Name(id=name):
            return resolve(name) is collections.Counter
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return getattr(resolve(module), name, None) is collections.Counter
        case _:
            return False


def _is_counter(node: ast.expr, names: set[str], resolve: Resolve) -> bool:
    """Whether an expression is a counter, as far as syntax tells."""
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            return _is_counter(left, names, resolve) and _is_counter(right, names, resolve)
        case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
            return _is_counter(operand, names, resolve)
        case ast.Call(func=ast.Attribute(value=base, attr="copy"), args=[], keywords=[]):
            return _is_counter(base, names, resolve)
        case _:
            return _makes(node, resolve)


class _Naming(ast.NodeTransformer):
    """Writes the statements of a function; `before` are the statements that give names to what the present one takes."""

    def __init__(
        self, names: set[str], shared: set[str], resolve: Resolve, free: Callable[[str], str]
    ) -> None:
        self.names = names
        self.shared = shared
        self.resolve = resolve
        self.free = free
        self.before: list[ast.stmt] = []

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """The statements for a statement."""
        apart = self.apart(node)
        if len(apart) > 1:
            return [each for part in apart for each in self.statement(part)]
        outer, self.before = self.before, []
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(node, name, None)
            if isinstance(inner, list):
                setattr(node, name, [each for part in inner for each in self.statement(part)])
        for each in getattr(node, "handlers", []):
            each.body = [found for part in each.body for found in self.statement(part)]
        for case in getattr(node, "cases", []):
            case.body = [found for part in case.body for found in self.statement(part)]
        changed = self.head(node)
        found, self.before = [placed(each, node) for each in (*self.before, changed)], outer
        return found

    def apart(self, node: ast.stmt) -> list[ast.stmt]:
        """`c, d = Counter(x), Counter(y)` as two statements."""
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
                targets
            ) == len(values) and any(map(self.is_counter, values)):
                names = {each.id for each in targets if isinstance(each, ast.Name)}
                reads = {part.id for each in values for part in ast.walk(each) if isinstance(part, ast.Name)}
                if len(names) == len(targets) and names.isdisjoint(reads):
                    pairs = zip(targets, values, strict=True)
                    return [placed(ast.Assign([target], value), node) for target, value in pairs]
            case _:
                pass
        return [node]

    def head(self, node: ast.stmt) -> ast.stmt:
        """The statement, whose first counter has a name."""
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                node.value = self.made(value) if self.is_counter(value) else self.first(value)
                if name not in self.shared:
                    _change(node.value, name)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if (
                name in self.names and type(op) in BINARY and self.is_counter(value)
            ):
                made = self.made(ast.BinOp(ast.Name(name, ast.Load()), op, value))
                _change(made, name)
                return ast.Assign([ast.Name(name, ast.Store())], made)
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr=method), args=[more], keywords=[]
                ) as call
            ) if name in self.names and method in COUNTING:
                call.args = [self.counts(more)]
            case ast.Return(value=ast.expr() as value) | ast.Expr(value=value) | ast.Assign(value=value):
                node.value = self.first(value)
            case ast.AugAssign(target=ast.Name(), value=value):
                node.value = self.first(value)
            case ast.For(iter=iterable):
                node.iter = self.first(iterable)
            case ast.If(test=test):
                node.test = self.first(test)
            case _:
                pass
        return node

    def is_counter(self, node: ast.expr) -> bool:
        return _is_counter(node, self.names, self.resolve)

    def made(self, node: ast.expr) -> ast.expr:
        """What makes a counter that is assigned to a name."""
        match node:
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                return call_of(BINARY[type(op)], self.named(left), self.named(right))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
                return call_of(UNARY[type(op)], self.named(operand))
            case ast.Call(args=[more], keywords=[]) if _makes(node, self.resolve):
                node.args = [self.counts(more)]
            case _:
                pass
        return node

    def counts(self, more: ast.expr) -> ast.expr:
        """What a counter counts: a counter or a dict without a name gets one."""
        if isinstance(more, ast.Dict | ast.DictComp) or self.is_counter(more):
            return self.named(more)
        return more

    def named(self, node: ast.expr) -> ast.expr:
        """The name of a counter or of a dict."""
        if isinstance(node, ast.Name):
            return node
        name = self.free("counts")
        made = self.made(node)
        self.before.append(ast.Assign([ast.Name(name, ast.Store())], made))
        if self.is_counter(node):
            self.names.add(name)
        return ast.Name(name, ast.Load())

    def first(self, node: ast.expr) -> ast.expr:
        """The expression, in which a counter has a name if nothing but names and literals is evaluated before it."""
        match node:
            case ast.BinOp() | ast.UnaryOp() | ast.Call() if self.is_counter(node):
                return self.named(node)
            case ast.BinOp(left=left):
                node.left = self.first(left)
            case ast.Compare(left=left):
                node.left = self.first(left)
            case ast.Subscript(value=value) | ast.Attribute(value=value):
                node.value = self.first(value)
            case ast.Call(func=ast.Attribute(value=value)) if not isinstance(value, ast.Name):
                node.func = self.first(node.func)
            case ast.Call(func=ast.Name(), args=[argument, *others]):
                node.args = [self.first(argument), *others]
            case ast.ListComp(generators=[loop, *_]) | ast.GeneratorExp(generators=[loop, *_]):
                loop.iter = self.first(loop.iter)
            case _:
                pass
        return node


def _change(made: ast.expr, name: str) -> None:
    """Say that the counter of this name changes itself, if it is the first of those that what it becomes is made of."""
    found = combined(made)
    if found is not None and isinstance(found[1][0], ast.Name) and found[1][0].id == name:
        assert isinstance(made, ast.Call)
        made.keywords = [ast.keyword(IN_PLACE, ast.Constant(value=True))]


def by_counts(items: ast.expr, length: ast.expr, name: str) -> ast.expr:
    """So many items of a counter, all for None, the largest counts first; equal ones stay in order."""
    count = ast.Subscript(ast.Name(name, ast.Load()), ast.Constant(1), ast.Load())
    key = ast.Lambda(ast.arguments([], [ast.arg(name)], None, [], [], None, []), count)
    options = [ast.keyword("key", key), ast.keyword("reverse", ast.Constant(value=True))]
    ordered = ast.Call(ast.Name("sorted", ast.Load()), [items], options)
    if isinstance(length, ast.Constant) and length.value is None:
        return ordered
    if not isinstance(length, ast.Constant):
        length = call_of(max, length, ast.Constant(0))
    return ast.Subscript(ordered, ast.Slice(None, length), ast.Load())


def repeated(items: ast.expr, names: Sequence[str]) -> ast.expr:
    """Each key of a counter as often as it was counted; the names are those of a key, its count and a turn."""
    key, count, turn = names
    pair = ast.Tuple([ast.Name(key, ast.Store()), ast.Name(count, ast.Store())], ast.Store())
    turns = ast.Call(ast.Name("range", ast.Load()), [ast.Name(count, ast.Load())], [])
    loops = [(pair, items), (ast.Name(turn, ast.Store()), turns)]
    return ast.ListComp(ast.Name(key, ast.Load()), [ast.comprehension(*each, [], 0) for each in loops])
