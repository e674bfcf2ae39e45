"""Lower comprehensions, generator expressions, `map` and `filter` where a builtin takes all their items at once.

Each becomes the loop that it stands for, in a scope of its own as in Python, so that no iterator exists: `sum` adds in
the loop, `any` and `all` leave it, `list`, `sorted`, `min` and `max` append to a list.
"""

from __future__ import annotations

import ast
import dataclasses
import operator
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, FunctionType

import numpy as np

from backsweep.frontend.constructs.going_through import is_generator_call, items_of
from backsweep.frontend.constructs.kinds import asked_type, holds_array
from backsweep.frontend.constructs.lists import LISTED, TOTAL
from backsweep.frontend.constructs.special_methods import special_method
from backsweep.frontend.context.inner_text import (
    Hidden,
    definition_of,
    expression_of,
    placed_at,
    run_and_assign,
)
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.rounds import FoundChangeError
from backsweep.frontend.context.scope import Bound, Context, Inner, known_elements, known_items
from backsweep.ir.nodes import UNDEFINED, Const, Operand, Value, is_none
from backsweep.ir.types import Array
from backsweep.prelude.arrays import joins
from backsweep.prelude.declare import is_of_prelude
from backsweep.prelude.language import items as of_items
from backsweep.reading.functions import ComprehensionLoop
from backsweep.runtime.plain.orders import (
    first_by_key,
    first_written_by_key,
    in_order,
    itself,
    written_at,
    written_places,
)

ITEM, ITEMS, FUNCTION, PAIRS = ".item", ".items", ".function", ".zip"
NUMBER, ARRAY = ".number", ".array"
"""Hidden variables: an item of an iterable, the iterable, the function that `map` and `filter` call, and functions of ours."""
ITERATORS = (map, filter, zip, enumerate, reversed)
"""The builtins that make an iterator, whose items a consumer takes."""
LIBRARY = (type, FunctionType, BuiltinFunctionType)
"""What functions of Python's library are; other callables may have no hash."""
TAKES_ALL = (sum, min, max, any, all, list, tuple, sorted, set, frozenset)
"""The functions that take all items of their first argument at once."""


def comprehension(lowerer: Lowerer, node: ast.ListComp) -> Operand:
    """Lower `[item for ... if ...]` to its loop."""
    return _listed(lowerer, node, {})


def consumed(lowerer: Lowerer, function: object, node: ast.Call) -> Operand | None:
    """Lower the call of a builtin that takes all items of a generator expression or an iterator; None for another call."""
    if function in (np.array, np.asarray) and len(node.args) == 1 and not node.keywords:
        return _rows(lowerer, node)
    if function not in TAKES_ALL or not node.args or any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    first = node.args[0]
    if function is sum and isinstance(first, ast.ListComp):  # nobody sees the list
        first = ast.copy_location(ast.GeneratorExp(first.elt, first.generators), first)
    found = generated(lowerer, first)
    if found is None:
        return None
    items, hidden = found
    more = tuple(lowerer.lower(arg) for arg in node.args[1:])
    keywords = {each.arg: lowerer.lower(each.value) for each in node.keywords if each.arg is not None}
    if len(keywords) != len(node.keywords):
        return None
    if function is sum and len(more) + len(keywords) <= 1 and set(keywords) <= {"start"}:
        start = (*more, *keywords.values(), Const(0))[0]
        return _summed(lowerer, items, {**hidden, ".start": start})
    if function in (any, all) and not more and not keywords:
        return decided(lowerer, items, hidden, function is any)
    return lowerer.call(Const(function), (_listed(lowerer, items, hidden), *more), keywords, node)


def sized(lowerer: Lowerer, operand: Operand, node: ast.AST) -> Operand:
    """What has a length and items by number: tuples and ranges become lists."""
    if is_none(operand):
        return operand
    operand = items_of(lowerer, operand, node)
    is_known = known_items(lowerer.context, operand) is not None
    is_range = isinstance(operand, Const) and not isinstance(operand.value, np.ndarray)
    return all_items(lowerer, operand, node) if is_known or is_range else operand


def _rows(lowerer: Lowerer, node: ast.Call) -> Operand | None:
    """Lower `np.array([[...] for ...])`: each row becomes an array, and these are stacked; None for another argument."""
    listing = node.args[0]
    if not isinstance(listing, ast.ListComp) or not isinstance(
        listing.elt, ast.List | ast.Tuple | ast.ListComp
    ):
        return None
    called = ast.Call(ast.Name(ARRAY, ast.Load()), [listing.elt], [])
    rows = placed_at(ast.GeneratorExp(called, listing.generators), listing)
    return lowerer.inline(joins.stacked, (_listed(lowerer, rows, {ARRAY: Const(np.array)}),), {}, node)


def taken_apart(lowerer: Lowerer, node: ast.expr) -> Operand | None:
    """The list of the items of a generator that is unpacked; None for other expressions."""
    found = generated(lowerer, node)
    return None if found is None else _listed(lowerer, *found)


def any_or_all(*, is_any: bool) -> Callable[[Lowerer, tuple[Operand, ...], Keywords, ast.Call], Operand]:
    """The lowering of `any(items)` or `all(items)` of a tuple, a list or an array."""

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        if len(args) != 1 or keywords:
            raise lowerer.refuse("BS113", "this call needs one iterable", node, "write any(items)")
        return decided(lowerer, _each(node), {ITEMS: args[0]}, is_any)

    return special


def all_items(lowerer: Lowerer, operand: Operand, node: ast.AST) -> Operand:
    """The list of what iterating over an operand gives."""
    return _listed(lowerer, _each(node), {ITEMS: operand})


def total_of(lowerer: Lowerer, items: Operand, start: Operand, node: ast.AST) -> Operand:
    """Lower `sum(items, start)` to a loop."""
    return _summed(lowerer, _each(node), {ITEMS: items, ".start": start})


def ordered(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `sorted(items, reverse=...)` of numbers to `np.sort` and a list of what it gives; other items are merged by keys."""
    backwards = keywords.get("reverse", Const(False))
    if len(args) != 1 or set(keywords) - {"key", "reverse"}:
        message = "`sorted` takes one iterable, and the keywords `key` and `reverse`"
        raise lowerer.refuse("BS113", message, node, "write sorted(items)")
    key = keywords.get("key", Const(None))
    known = _in_known_order(lowerer.context, args[0], backwards) if is_none(key) else None
    if known is not None:
        return lowerer.make_tuple(known, node, as_list=True)
    if not is_none(key) or not isinstance(backwards, Const) or holds_tuples(lowerer.context, args[0]):
        by = Const(itself) if is_none(key) else _of_items(lowerer, key)
        written = named_items(lowerer, args[0], node)
        if written is not None:
            return _written_in_order(lowerer, written, by, backwards, node)
        return lowerer.inline(in_order, (sized(lowerer, args[0], node), by, backwards), {}, node)
    parts = known_items(lowerer.context, args[0])
    array = args[0]
    if parts is not None or lowerer.context.is_list(array):
        array = lowerer.call(Const(np.array), args, {}, node)
    type_ = asked_type(lowerer, array, node)
    if not isinstance(type_, Array) or type_.ndim != 1:
        remedy = "use np.argsort of an array of the keys"
        raise lowerer.refuse("BS115", "`sorted` takes numbers here", node, remedy)
    result = lowerer.call(Const(np.sort), (array,), {}, node)
    if parts is not None:
        places = range(len(parts))[:: -1 if backwards.value else 1]
        loc = lowerer.loc(node)
        found = tuple(lowerer.builder.load(result, (Const(k),), loc=loc) for k in places)
        return lowerer.make_tuple(found, node, as_list=True)
    gone_through = of_items.backwards if backwards.value else of_items.items_gone_through
    return lowerer.inline(gone_through, (result,), {}, node)


def _written_in_order(
    lowerer: Lowerer, items: Operand, key: Operand, backwards: Operand, node: ast.AST
) -> Operand:
    """The list of items that are written out, in the order of their keys."""
    places = lowerer.inline(written_places, (items, key, backwards), {}, node)
    count = len(known_items(lowerer.context, items) or ())
    each = [lowerer.apply(operator.getitem, (places, Const(k)), node) for k in range(count)]
    found = tuple(lowerer.inline(written_at, (items, place), {}, node) for place in each)
    return lowerer.make_tuple(found, node, as_list=True)


def _in_known_order(context: Context, items: Operand, backwards: Operand) -> tuple[Operand, ...] | None:
    """The items in order, if they are whole numbers or strings that are known, or tuples that begin with other ones each."""
    parts = known_items(context, items)
    if parts is None or not isinstance(backwards, Const):
        return None
    firsts = [(known_elements(context, part) or (part,))[0] for part in parts]
    keys = [first.value for first in firsts if isinstance(first, Const)]
    are_tuples = any(known_elements(context, part) is not None for part in parts)
    if len(keys) < len(parts) or (are_tuples and len(set(keys)) < len(keys)):
        return None
    if not any(all(isinstance(key, kind) for key in keys) for kind in (int, str)):
        return None
    order = sorted(range(len(keys)), key=keys.__getitem__, reverse=bool(backwards.value))
    return tuple(parts[k] for k in order)


def holds_tuples(context: Context, items: Operand) -> bool:
    """Whether the operand is a list or a tuple whose items are tuples."""
    parts = known_elements(context, items)
    if parts is not None:
        return any(known_elements(context, each) is not None for each in parts)
    first = context.appended.get(items) if isinstance(items, Value) else None
    return first is not None and known_elements(context, first) is not None


def made_of_arrays(lowerer: Lowerer, operand: Operand, node: ast.Call, *, asks: bool) -> Operand | None:
    """The array that `np.array` makes of a tuple or list of arrays: `np.stack` of them; None for other operands.

    With `asks`, an item is asked for its type where nothing tells it; else typing finds that the items are arrays.
    """
    parts = known_elements(lowerer.context, operand) if isinstance(operand, Value) else None
    if parts:
        is_written = known_elements(lowerer.context, parts[0]) is not None
        is_array = holds_array(lowerer.context, parts[0]) or (
            asks and not is_written and isinstance(asked_type(lowerer, parts[0], node), Array)
        )
        tupled = lowerer.make_tuple(parts, node) if is_array else operand
        return lowerer.call(Const(np.stack), (tupled,), {}, node) if is_array else None
    if operand not in lowerer.context.growing or not isinstance(operand, Value):
        return None
    first = lowerer.context.appended.get(operand, UNDEFINED)
    if lowerer.context.is_list(first):
        return lowerer.inline(joins.rows, (operand,), {}, node)
    return (
        lowerer.inline(joins.stacked, (operand,), {}, node) if holds_arrays(lowerer, operand, node) else None
    )


def holds_arrays(lowerer: Lowerer, items: Operand, node: ast.AST) -> bool:
    """Whether a list that grows is one of arrays; what is appended to it is asked for its type where nothing tells it."""
    first = lowerer.context.appended.get(items, UNDEFINED) if isinstance(items, Value) else UNDEFINED
    if first is UNDEFINED or lowerer.context.is_list(first) or first in lowerer.context.elements:
        return False
    return holds_array(lowerer.context, first) or isinstance(asked_type(lowerer, first, node), Array)


def by_key(
    lowerer: Lowerer, items: Operand, key: Operand, is_max: bool, default: Operand | None, node: ast.Call
) -> Operand:
    """Lower `max(items, key=key)` and `min(items, key=key)`."""
    more = () if default is None else (default,)
    if (written := named_items(lowerer, items, node)) is not None:
        return lowerer.inline(
            first_written_by_key, (written, _of_items(lowerer, key), Const(is_max)), {}, node
        )
    items = items if isinstance(items, Value) else all_items(lowerer, items, node)
    return lowerer.inline(first_by_key, (items, _of_items(lowerer, key), Const(is_max), *more), {}, node)


def named_items(lowerer: Lowerer, items: Operand, node: ast.AST) -> Operand | None:
    """Items that are written out, of which some are strings or begin with strings; None for others."""
    found = items_of(lowerer, items, node, is_ordered=False)
    parts = known_items(lowerer.context, found)
    firsts = [(known_elements(lowerer.context, part) or (part,))[:1] for part in parts or ()]
    is_named = any(
        isinstance(each, Const) and isinstance(each.value, str) for (each,) in filter(None, firsts)
    )
    return lowerer.make_tuple(tuple(parts), node) if parts and is_named else None


def _of_items(lowerer: Lowerer, key: Operand) -> Operand:
    """What gives the keys of a search: of `d.get` the items, as None has no order."""
    bound = key.value if isinstance(key, Const) else None
    if not isinstance(bound, Bound) or len(bound.args) != 1 or bound.keywords:
        return key
    function = getattr(bound.function, "value", None)
    if getattr(function, "__name__", "") != "get" or not is_of_prelude(function):
        return key
    item = special_method(lowerer, bound.args[0], "__getitem__")
    return key if item is None else Const(dataclasses.replace(bound, function=Const(item)))


def called_for_each(
    lowerer: Lowerer, node: ast.expr
) -> tuple[ast.expr, Callable[[Lowerer, Operand], Operand]] | None:
    """The iterable of a generator expression without conditions, or of `map`, and what an item becomes; None for others."""
    found = None if is_generator_call(lowerer, node) else generated(lowerer, node, among=(map, filter))
    if found is None:
        return None
    (items, hidden), scope = found, lowerer.frame
    loop = items.generators[0]
    if len(items.generators) > 1 or loop.ifs:
        message = "a generator with conditions or several loops is the iterable of a `for` or part of another iterator"
        raise lowerer.refuse(
            "BS114", message, node, "make it a list, [... for ... if ...], or write the loop out"
        )
    made = Inner(
        definition_of(
            "item",
            [
                ast.Assign([loop.target], ast.Name(ITEM, ast.Load())),
                ast.Return(items.elt),
            ],
            [*hidden, ITEM],
            node,
        ),
        scope,
        {},
    )
    bound = tuple(hidden.values())
    return loop.iter, lambda of, item: of.inline(made, (*bound, item), {}, node)


def generated(
    lowerer: Lowerer, node: ast.expr, among: Sequence[object] = ITERATORS
) -> tuple[ast.GeneratorExp, Hidden] | None:
    """The generator expression that the node is, or that `map`, `filter`, `zip`, ... stand for, and its hidden variables."""
    if isinstance(node, ast.GeneratorExp):
        return node, {}
    called = _builtin(lowerer, node, among)
    if called is None or not isinstance(node, ast.Call):
        is_made = is_generator_call(lowerer, node)
        return (_generator(ast.Name(ITEM, ast.Load()), node, [], node), {}) if is_made else None
    if called not in (map, filter):
        return _generator(ast.Name(ITEM, ast.Load()), node, [], node), {}
    if len(node.args) < 2 or node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    function, hidden = node.args[0], {FUNCTION: lowerer.lower(node.args[0])}
    iterable = node.args[1]
    item: ast.expr = ast.Name(ITEM, ast.Load())
    if called is filter:
        is_none = isinstance(function, ast.Constant) and function.value is None
        test = item if is_none else ast.Call(ast.Name(FUNCTION, ast.Load()), [item], [])
        return _generator(item, iterable, [test], node), hidden
    passed = [item]
    if len(node.args) > 2:
        iterable = ast.Call(ast.Name(PAIRS, ast.Load()), node.args[1:], [])
        hidden[PAIRS] = Const(zip)
        passed = [ast.Starred(item, ast.Load())]
    return _generator(ast.Call(ast.Name(FUNCTION, ast.Load()), passed, []), iterable, [], node), hidden


def _builtin(lowerer: Lowerer, node: ast.expr, among: Sequence[object]) -> object | None:
    """The builtin that the expression calls by its name; None if it calls none of these."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    found = lowerer.find(node.func.id, lowerer.frame)
    thing = found.value if isinstance(found, Const) else None
    return next((each for each in among if each is thing), None)


def _generator(item: ast.expr, iterable: ast.expr, tests: list[ast.expr], node: ast.expr) -> ast.GeneratorExp:
    loop = ast.comprehension(ast.Name(ITEM, ast.Store()), iterable, tests, 0)
    return placed_at(ast.GeneratorExp(item, [loop]), node)


def _each(node: ast.AST) -> ast.GeneratorExp:
    """The generator of the items of the hidden variable `.items`."""
    found = expression_of("(item for item in _items)", node)
    assert isinstance(found, ast.GeneratorExp)
    return found


def decided(lowerer: Lowerer, items: ast.GeneratorExp, hidden: Hidden, is_any: bool) -> Operand:
    """Lower `any` or `all`: the loop ends at the first item that decides."""
    test = items.elt if is_any else ast.UnaryOp(ast.Not(), items.elt)
    inner = ast.If(test, [ast.Return(ast.Constant(is_any))], [])
    statements = [loops(items, inner), ast.Return(ast.Constant(not is_any))]
    result = run_and_assign(lowerer, "any" if is_any else "all", statements, hidden, items)
    lowerer.context.booleans.update([] if isinstance(result, Const) else [result])
    return result


def _summed(lowerer: Lowerer, items: ast.GeneratorExp, hidden: Hidden) -> Operand:
    """Lower `sum`: the loop adds each item to what is there; arrays are added up in a loop of their own."""
    total, here = ast.Name(TOTAL, ast.Store()), ast.Name(TOTAL, ast.Load())
    if lowerer.loc(items) in lowerer.context.expansions.changing:
        given = {name: each for name, each in hidden.items() if name != ".start"}
        return lowerer.inline(joins.added_up, (_listed(lowerer, items, given), hidden[".start"]), {}, items)
    item = ast.Call(ast.Name(NUMBER, ast.Load()), [items.elt], [])
    hidden = {**hidden, NUMBER: Const(Bound(Const(a_number), (Const(lowerer.loc(items)),), {}))}
    add = ast.Assign([total], ast.BinOp(here, ast.Add(), item))
    begin = ast.Assign([total], ast.Name(".start", ast.Load()))
    statements = [begin, loops(items, add), ast.Return(here)]
    return run_and_assign(lowerer, "sum", statements, hidden, items)


def a_number(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, _node: ast.Call) -> Operand:
    """The item of a sum; if it is an array, lowering starts again, because no sum of arrays begins with a number."""
    place, item = args
    assert isinstance(place, Const)
    if holds_array(lowerer.context, item):
        raise FoundChangeError(place.value)
    return item


def _listed(lowerer: Lowerer, node: ast.ListComp | ast.GeneratorExp, hidden: Hidden) -> Operand:
    """Lower a comprehension to the loop that appends each item to a list."""
    append = ast.Call(ast.Attribute(ast.Name(LISTED, ast.Load()), "append", ast.Load()), [node.elt], [])
    made = ast.Assign([ast.Name(LISTED, ast.Store())], ast.List([], ast.Load()))
    loop = loops(node, ast.Expr(append))
    if len(node.generators) == 1 and not node.generators[0].ifs:
        loop.item = node.elt
    statements = [made, loop, ast.Return(ast.Name(LISTED, ast.Load()))]
    return run_and_assign(lowerer, "listed", statements, hidden, node)


def listed(
    lowerer: Lowerer,
    loop: ComprehensionLoop,
    item: ast.expr,
    over: Sequence[Operand],
    assign: Callable[[ast.expr, Operand, ast.expr], None],
    check_length: Callable[[int], None],
) -> Operand:
    """Lower the loop of a comprehension over known items to a list whose items are known.

    `check_length` looks at what one of them made, from the number of nodes before it on.
    """
    found: list[Operand] = []
    for k, each in enumerate(over):
        begun = len(lowerer.builder.current.nodes)
        with lowerer.context.expansions.at_item(k):
            assign(loop.target, each, loop.iter)
            found.append(lowerer.lower(item))
        if k == 1:
            check_length(begun)
    return lowerer.make_tuple(tuple(found), loop.whole, as_list=True)


def loops(node: ast.ListComp | ast.GeneratorExp, innermost: ast.stmt) -> ComprehensionLoop:
    """The loops of a comprehension around the statement that takes each item."""
    body = innermost
    for generator in reversed(node.generators):
        for condition in reversed(generator.ifs):
            body = ast.If(condition, [body], [])
        loop = ComprehensionLoop(generator.target, generator.iter, [body], [])
        loop.whole = node
        body = loop
    return loop
