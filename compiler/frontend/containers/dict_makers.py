"""What makes dicts whose keys the run computes, and which variables hold them."""

from __future__ import annotations

import ast
import collections
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from backsweep.frontend.containers.changing_dicts import CHANGING
from backsweep.frontend.containers.counters import COUNTING, combined
from backsweep.frontend.containers.dict_displays import calls_dict
from backsweep.frontend.containers.placing import Resolve

FIRST_VALUES: dict[object, Callable[[], ast.expr]] = {
    float: lambda: ast.Constant(0.0),
    int: lambda: ast.Constant(0),
    list: lambda: ast.List([], ast.Load()),
}
"""What a `defaultdict` of these functions begins with."""


@dataclass(frozen=True)
class Maker:
    """What makes a dict: its items, what it counts or copies; `default` is what a key that is missing has.

    `combining` is the function that makes a counter of the counters `operands`, the first of which changes `in_place`.
    """

    items: tuple[tuple[ast.expr, ast.expr], ...] = ()
    default: ast.expr | None = None
    counts: ast.expr | None = None
    is_counter: bool = False
    comprehension: ast.DictComp | None = None
    combining: Callable[..., None] | None = None
    operands: tuple[ast.expr, ...] = ()
    in_place: bool = False

    @property
    def kind(self) -> tuple[bool, str]:
        """What dicts of one name have in common."""
        return self.is_counter, "" if self.default is None else ast.dump(self.default)


def candidates(statements: Sequence[ast.stmt], resolve: Resolve) -> dict[str, Maker]:
    """The variables that hold dicts whose keys are computed, each with what makes one of its dicts."""
    found: dict[str, Maker] = {}
    parts = [part for each in statements for part in ast.walk(each)]
    for target, value in _assignments(parts):
        maker = made(value, resolve)
        if maker is not None:
            found.setdefault(target, maker)
    computed = {name: maker for name, maker in found.items() if _is_computed(maker, name, parts)}
    while more := _taken_over(parts, computed, resolve):
        computed |= {name: found.get(name, maker) for name, maker in more.items()}
    return computed


def _taken_over(parts: Sequence[ast.AST], computed: dict[str, Maker], resolve: Resolve) -> dict[str, Maker]:
    """The variables that such a dict, or a copy of one, is assigned to."""
    found: dict[str, Maker] = {}
    for target, value in _assignments(parts):
        source = _source(value, resolve)
        if target not in computed and source in computed and source is not None:
            found[target] = computed[source]
    return found


def _source(value: ast.expr, resolve: Resolve) -> str | None:
    """The variable whose dict the expression is, or copies."""
    match value:
        case ast.Name(id=name):
            return name
        case _:
            return copied(value, resolve)


def copied(value: ast.expr, resolve: Resolve) -> str | None:
    """The variable whose dict the expression copies."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="copy"), args=[], keywords=[]):
            return name
        case ast.Call(args=[ast.Name(id=name)], keywords=[]) if calls_dict(value, resolve):
            return name
        case _:
            return None


def mixed(parts: Iterable[ast.AST], tables: dict[str, Maker], resolve: Resolve) -> set[str]:
    """The variables that hold dicts of several kinds, so that only the run knows what a missing key does."""
    kinds = {name: {maker.kind} for name, maker in tables.items()}
    pairs: list[tuple[str, str]] = []
    for target, value in _assignments(parts):
        if target not in tables:
            continue
        maker, source = made(value, resolve), _source(value, resolve)
        if maker is not None:
            kinds[target].add(maker.kind)
        elif source in tables and source is not None:
            is_plain = not isinstance(value, ast.Name) and not _keeps_kind(value)
            kinds[target] |= {Maker().kind} if is_plain else set()
            pairs += [] if is_plain else [(target, source)]
    for _ in tables:
        for target, source in pairs:
            kinds[target] |= kinds[source]
    return {name for name, found in kinds.items() if len(found) > 1}


def _keeps_kind(value: ast.expr) -> bool:
    """Whether a copy is of the kind of what is copied, as `d.copy()` is and `dict(d)` is not."""
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "copy"


def _is_computed(maker: Maker, name: str, parts: Iterable[ast.AST]) -> bool:
    """Whether only the run knows what the dict holds."""
    if maker.default is not None or maker.is_counter or maker.comprehension is not None:
        return True
    return any(changes(part, name) or _counts(part, name) for part in parts)


def _counts(node: ast.AST, name: str) -> bool:
    """Whether the node gives the dict of this name to a counter, which asks what it holds."""
    match node:
        case ast.Call(func=function, args=[ast.Name(id=given)], keywords=[]) if given == name:
            called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            return called in (*COUNTING, "Counter")
        case _:
            return False


def changes(node: ast.AST, name: str) -> bool:
    """Whether the node changes the dict of this name."""
    match node:
        case ast.Subscript(value=ast.Name(id=base), ctx=ast.Store() | ast.Del()):
            return base == name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr=method)):
            return method in CHANGING and base == name
        case _:
            return False


def _assignments(parts: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """The variables that the statements assign, and what to them."""
    for part in parts:
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = zip(targets, values, strict=False)
                yield from ((target.id, value) for target, value in pairs if isinstance(target, ast.Name))
            case _:
                pass


def made(node: ast.expr, resolve: Resolve) -> Maker | None:
    """How an expression makes a dict; None for any other expression."""
    match node:
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return Maker(
                tuple((key, value) for key, value in zip(keys, values, strict=True) if key is not None)
            )
        case ast.DictComp():
            return Maker(comprehension=node)
        case ast.Call(args=args, keywords=[]) if calls_dict(node, resolve) and not args:
            return Maker()
        case ast.Call(func=function, args=[factory], keywords=[]) if _means(function, resolve) is (
            collections.defaultdict
        ):
            default = _default(factory, resolve)
            return None if default is None else Maker(default=default)
        case ast.Call(func=function, args=args, keywords=[]) if (
            _means(function, resolve) is collections.Counter
        ):
            return Maker(is_counter=True, counts=args[0] if args else None) if len(args) < 2 else None
        case ast.Call() if (found := combined(node)) is not None:
            return Maker(is_counter=True, combining=found[0], operands=found[1], in_place=found[2])
        case _:
            return None


def _means(node: ast.expr, resolve: Resolve) -> object:
    """What a name, or an attribute of a module that has a name, means."""
    match node:
        case ast.Name(id=name):
            return resolve(name)
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return getattr(resolve(module), name, None)
        case _:
            return None


def _default(factory: ast.expr, resolve: Resolve) -> ast.expr | None:
    """What a `defaultdict` puts in for a key that is missing; None where it is computed by more than a literal."""
    match factory:
        case ast.Name(id=name):
            found = FIRST_VALUES.get(resolve(name)) if resolve(name) in (float, int, list) else None
            return None if found is None else found()
        case ast.Lambda(args=ast.arguments(args=[]), body=ast.Constant() as body):
            return body
        case ast.Lambda(args=ast.arguments(args=[]), body=ast.List(elts=[]) as body):
            return body
        case _:
            return None
