"""Lower lists: displays, `append` and `extend`; other methods are written out (`backsweep.runtime.lists.sequences`).

A list whose items are all known and that nothing changes is lowered as a tuple of its items. If lowering finds a
statement that changes the list, the program is lowered again with a growing list in its place.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from backsweep.diagnostics import Loc
from backsweep.frontend.constructs.custom import stopped
from backsweep.frontend.constructs.going_through import items_of, place_of
from backsweep.frontend.constructs.kinds import local_type
from backsweep.frontend.constructs.special_methods import special_method
from backsweep.frontend.context import dataclasses as records
from backsweep.frontend.context.heap import virtual
from backsweep.frontend.context.lowerer import Keywords, Lowerer, Special
from backsweep.frontend.context.rounds import FoundChangeError
from backsweep.frontend.context.scope import Context, given_twice, known_elements
from backsweep.ir.build import OpenBlock
from backsweep.ir.classes import same_lists
from backsweep.ir.nodes import Append, Apply, Block, Const, For, Operand, Slice, Store, Value, is_none
from backsweep.ir.types import RANDOM
from backsweep.ir.walk import results, walk
from backsweep.reading.names import is_data
from backsweep.runtime.lists.heaps import HEAPS, PICKS
from backsweep.runtime.lists.sequences import (
    are_equal,
    cleared,
    comes_before,
    comes_before_or_is_equal,
    every,
    first_of_all,
    found_at,
    inserted,
    is_in,
    last_of_all,
    last_popped,
    popped,
    put_at_every,
    put_in_order,
    put_in_place,
    put_in_reverse_order,
    repeated,
    shortened,
    times_found,
    turned,
    without,
    without_every,
    without_part,
)
from backsweep.runtime.plain.orders import itself, put_in_order_of_keys

CHANGES = frozenset({"append", "copy", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"})
"""The methods that change a list or return a new list."""
WRITTEN_OUT: Mapping[tuple[str, int], Callable[..., object]] = {
    ("pop", 0): last_popped,
    ("pop", 1): popped,
    ("insert", 2): inserted,
    ("clear", 0): cleared,
    ("reverse", 0): turned,
    ("sort", 0): put_in_order,
    ("count", 1): times_found,
}
"""What methods of so many arguments stand for."""
COMPARED: Mapping[type[ast.cmpop], tuple[Callable[..., object], bool]] = {
    ast.Eq: (are_equal, False),
    ast.NotEq: (are_equal, False),
    ast.Lt: (comes_before, False),
    ast.Gt: (comes_before, True),
    ast.LtE: (comes_before_or_is_equal, False),
    ast.GtE: (comes_before_or_is_equal, True),
}
"""What compares lists, and whether the sides are exchanged for it."""
GROWTH = (operator.iadd, shortened)
"""Functions of a list and something else that change the list."""
TOTAL = ".total"
"""The hidden variable of what `sum` has added up."""
LISTED = ".listed"
"""The hidden variable of a comprehension's result; the list takes the name of the variable that it is assigned to."""


def growing_list(lowerer: Lowerer, value: ast.expr) -> Value | None:
    """Lower the right-hand side of `name = value` if it is the display of a growing list; else return None."""
    match value:
        case ast.List(elts=[]):
            return new_list(lowerer, (), value)
        case ast.Call(func=ast.Name(id="list") as called, args=[], keywords=[]):
            function = lowerer.lower(called)
            is_list = isinstance(function, Const) and function.value is list
            return new_list(lowerer, (), value) if is_list else None
        case ast.BinOp(left=ast.List(elts=items), op=ast.Mult(), right=times) if items:
            return _repeated(lowerer, items, times, value)
        case ast.BinOp(left=times, op=ast.Mult(), right=ast.List(elts=items)) if items:
            return _repeated(lowerer, items, times, value)
        case _:
            return None


def filled(lowerer: Lowerer, condition: Operand, node: ast.AST) -> Operand:
    """The truth value of a condition: of a list or tuple, whether it has items; of an object, what its class says.

    Numbers and arrays are returned unchanged. A generator of random numbers is an object, which is true.
    """
    if isinstance(condition, Value) and local_type(lowerer.context, condition) == RANDOM:
        return Const(True)
    thing = virtual(condition)
    cls = lowerer.context.classes.get(condition) if isinstance(condition, Value) else None
    for name in ("__bool__", "__len__") if thing is not None or cls is not None else ():
        if (own := special_method(lowerer, condition, name)) is not None:
            return lowerer.inline(own, (condition,), {}, node)
    parts = known_elements(lowerer.context, condition)
    if (thing is not None and thing.cls is not list) or records.dataclass_of(cls) is not None:
        return Const(True)
    if parts is not None:
        return Const(bool(parts))
    if not lowerer.context.is_list(condition):
        return condition
    result = lowerer.apply(operator.gt, (lowerer.apply(len, (condition,), node), Const(0)), node)
    lowerer.context.booleans.add(result)
    return result


def find_changes(program: Block, lists: Mapping[Value, Loc]) -> None:
    """Raise FoundChangeError if one of these lists changes through another value that is the same list.

    A branch, a loop or a tap makes such a value, and what is read from a list may be each list that was put into it.
    """
    if not lists:
        return
    classes = same_lists(program)
    made = {classes.find(value): place for value, place in lists.items()}
    for changed in _changed(program):
        if classes.find(changed) in made:
            raise FoundChangeError(made[classes.find(changed)])


def _changed(program: Block) -> Iterator[Value]:
    """What is stored to, appended to or made shorter."""
    for node in walk(program):
        match node:
            case Store(buffer=changed) | Append(buffer=changed):
                yield changed
            case Apply(function=function, operands=(Value() as changed, _)) if function in GROWTH:
                yield changed
            case _:
                pass


def changes_list(context: Context, condition: OpenBlock) -> bool:
    """Whether the condition of a `while` loop changes a list from outside: how long it is then, the loop carries."""
    block = Block((), tuple(condition.nodes), ())
    made = {value for node in walk(block) for value in results(node)}
    return any(changed not in made and context.is_list(changed) for changed in _changed(block))


def lists_in(context: Context, result: Operand, place: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """The places of lists in a result, but for lists of lists: `()` for the whole, `(1,)` for the second item of a tuple."""
    parts = known_elements(context, result) if isinstance(result, Value) else None
    if not context.is_list(result):
        for number, part in enumerate(parts or ()):
            yield from lists_in(context, part, (*place, number))
        return
    first = parts[0] if parts else context.appended.get(result)
    if result not in context.tuples and (first is None or not context.is_list(first)):
        yield place


def new_list(lowerer: Lowerer, items: tuple[Operand, ...], node: ast.AST) -> Value:
    """Make a growing list."""
    result = lowerer.builder.apply(list, *items, loc=lowerer.loc(node))
    lowerer.context.growing.add(result)
    lowerer.context.made_lists[result] = lowerer.loc(node)
    lowerer.context.present.add(result)
    if items:
        lowerer.context.appended[result] = items[0]
    return result


def item_of(lowerer: Lowerer, base: Operand, item: Value, node: ast.AST) -> Value:
    """An item that was read from `base` where the run decides which: it is noted that it is or holds a list, if the items do."""
    context = lowerer.context
    parts = known_elements(context, base)
    first = parts[0] if parts else context.appended.get(base) if isinstance(base, Value) else None
    if context.is_list(base) and first is not None:
        context.chosen[item] = parts or ()
        if isinstance(first, Value) and first in context.classes:
            context.classes[item] = context.classes[first]
        _note_lists(lowerer, first, item, node)
    return item


def _note_lists(lowerer: Lowerer, like: Operand, item: Value, node: ast.AST) -> None:
    """Note that an item is a list, or a tuple that holds lists, as another item of the same list is."""
    context = lowerer.context
    if context.is_list(like):
        context.growing.add(item)
        context.copy_items(like, item)
        return
    held = known_elements(context, like)
    if held and any(map(context.is_list, held)):
        loc = lowerer.loc(node)
        parts = tuple(lowerer.builder.load(item, (Const(number),), loc=loc) for number in range(len(held)))
        for each, part in zip(held, parts, strict=True):
            _note_lists(lowerer, each, part, node)
        context.elements[item] = parts


def _repeated(lowerer: Lowerer, items: list[ast.expr], times: ast.expr, node: ast.AST) -> Value:
    """Lower `[a, b] * n`."""
    parts = tuple(lowerer.spread(items))
    return _many_times(lowerer, parts, lowerer.lower(times), node)


def _many_times(lowerer: Lowerer, parts: Sequence[Operand], count: Operand, node: ast.AST) -> Value:
    """A new list of so many times the parts."""
    made = new_list(lowerer, (), node)
    loc = lowerer.loc(node)
    index = lowerer.builder.value(loc=loc)
    with lowerer.builder.block(index) as body:
        for part in parts:
            _append(lowerer, made, part, node)
    lowerer.builder.add(For(Const(0), count, Const(1), (), body.finish(), (), loc))
    return made


def _append(lowerer: Lowerer, base: Value, item: Operand, node: ast.AST) -> None:
    """Append an item."""
    _refuse_iterated(lowerer, base, node)
    lowerer.context.appended.setdefault(base, item)
    lowerer.builder.add(Append(base, stopped(lowerer, item, node), lowerer.loc(node)))


def change(
    lowerer: Lowerer,
    base: Value,
    name: str,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.AST,
) -> Operand:
    """Lower `base.name(...)` of a list."""
    if name == "copy" and not args:
        return copied(lowerer, base, node)
    _refuse_known(lowerer, base, node)
    match name, (*args, *keywords.values()):
        case "append", (value,):
            _append(lowerer, base, lowerer.runtime(value, node), node)
            return Const(None)
        case "extend", (more,):
            _extend(lowerer, base, more, node)
            return Const(None)
        case "sort", _ if not set(keywords) - {"key", "reverse"} and (
            not is_none(keywords.get("key", Const(None)))
            or not isinstance(keywords.get("reverse", Const(False)), Const)
            or _first_is_tuple(lowerer, base)
        ):
            key = keywords.get("key", Const(None))
            by, backwards = Const(itself) if is_none(key) else key, keywords.get("reverse", Const(False))
            return lowerer.inline(put_in_order_of_keys, (base, by, backwards), {}, node)
        case "sort", (Const(value=bool() as is_reversed),) if set(keywords) == {"reverse"}:
            return lowerer.inline(put_in_reverse_order if is_reversed else put_in_order, (base,), {}, node)
        case "remove", (wanted,) if not keywords:
            end = lowerer.apply(len, (base,), node)
            place = lowerer.inline(found_at, (base, wanted, Const(0), end), {}, node)
            return lowerer.inline(without, (base, place), {}, node)
        case "index", (wanted, *bounds) if len(bounds) <= 2 and not keywords:
            first = bounds[0] if bounds else Const(0)
            last = bounds[1] if len(bounds) > 1 else lowerer.apply(len, (base,), node)
            return lowerer.inline(found_at, (base, wanted, first, last), {}, node)
        case _, given if (name, len(given)) in WRITTEN_OUT and not keywords:
            values = tuple(lowerer.runtime(each, node) for each in given)
            return lowerer.inline(WRITTEN_OUT[name, len(given)], (base, *values), {}, node)
        case _:
            message = f"`.{name}` of a list cannot be differentiated with these arguments"
            remedy = "use append and indexing, or an array made with np.empty and a count of what is in it"
            raise lowerer.refuse("BS109", message, node, remedy)


def _first_is_tuple(lowerer: Lowerer, base: Value) -> bool:
    """Whether a list holds tuples."""
    first = lowerer.context.appended.get(base)
    return first is not None and known_elements(lowerer.context, first) is not None


def refuse_held(lowerer: Lowerer, base: Operand, node: ast.AST) -> None:
    """Refuse to change a list that is around the function, or has another name there: a copy stands for it."""
    if not isinstance(base, Value) or base not in lowerer.context.held:
        return
    if lowerer.context.held[base]:
        raise given_twice("a list", "list(x)", lowerer.loc(node))
    message = "a list that is around the function is changed, but compiled code treats globals as constants"
    raise lowerer.refuse("BS111", message, node, "change a copy of it: items = list(items)")


def _refuse_known(lowerer: Lowerer, base: Value, node: ast.AST) -> None:
    """Have the program lowered again, with a list that grows, if the items of this one, which changes, are taken for known."""
    refuse_held(lowerer, base, node)
    if base in lowerer.context.lists:
        raise FoundChangeError(lowerer.context.lists[base])
    for each in lowerer.context.chosen.get(base, ()):
        if isinstance(each, Value) and each in lowerer.context.lists:
            raise FoundChangeError(lowerer.context.lists[each])
    _refuse_iterated(lowerer, base, node)


def looks(lowerer: Lowerer, loop: ast.stmt) -> bool:
    """Whether an earlier round found that the loop's body may change the list that it runs over."""
    return place_of(lowerer, loop) in lowerer.context.expansions.changing


def _refuse_iterated(lowerer: Lowerer, base: Value, node: ast.AST) -> None:
    """Refuse to change a list while a loop runs over it: the loop was lowered with the number of items that it had.

    For a row of a list of lists, the program is lowered again with a loop that counts.
    """
    context = lowerer.context
    lists = context.iterated if base in context.chosen else (base,)
    places = [
        place
        for each in lists
        if each is base or each in context.chosen  # another row of a list of lists, which may be this one
        for loop, place in context.iterated.get(each, ())
        if loop in context.loops
    ]
    for place in places:
        if place not in context.expansions.changing and base in context.chosen:
            raise FoundChangeError(place)
    if places:
        message = "a list is changed while a loop runs over it"
        remedy = "loop over a copy, for item in items[:], or count: while k < len(items)"
        raise lowerer.refuse("BS109", message, node, remedy)


def _of_heap(function: Any) -> Special:
    """The special lowering of a function of `heapq`, which changes a list."""

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        if not args or not lowerer.context.is_list(args[0]) or keywords:
            message = f"`{ast.unparse(node.func)}` is given something other than a list"
            raise lowerer.refuse("BS109", message, node, "make a list of it: heap = [x for x in items]")
        return lowerer.inline(HEAPS[function], args, {}, node)

    return special


def _picks(function: Any) -> Special:
    """The special lowering of `heapq.nsmallest` and `heapq.nlargest`."""

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        if len(args) != 2 or keywords:
            message = f"`{ast.unparse(node.func)}` takes a count and numbers here"
            raise lowerer.refuse("BS115", message, node, "use np.argsort of an array of the keys")
        return lowerer.inline(PICKS[function], args, {}, node)

    return special


OF_HEAP: Mapping[object, Special] = {
    **{function: _of_heap(function) for function in HEAPS},
    **{function: _picks(function) for function in PICKS},
}
"""The functions of `heapq`."""


def deleted(lowerer: Lowerer, base: Value, item: object, node: ast.AST) -> None:
    """Lower `del base[item]` of a list."""
    _refuse_known(lowerer, base, node)
    if not isinstance(item, Slice):
        assert isinstance(item, Value | Const)
        lowerer.inline(without, (base, item), {}, node)
        return
    function = without_part if _is_whole(item) else without_every
    lowerer.inline(function, (base, *_bounds(lowerer, base, item, node)), {}, node)


def put(lowerer: Lowerer, base: Value, part: Slice, more: Operand, node: ast.AST) -> None:
    """Lower `base[start:stop] = more` and `base[start:stop:step] = more` of a list."""
    _refuse_known(lowerer, base, node)
    bounds = _bounds(lowerer, base, part, node)
    entries = joined(lowerer, (more,), node)
    function = put_in_place if _is_whole(part) else put_at_every
    lowerer.inline(function, (base, *bounds, entries), {}, node)


def _is_whole(part: Slice) -> bool:
    """Whether a part of a list certainly leaves no item out."""
    return part.step is None or (isinstance(part.step, Const) and part.step.value in (None, 1))


def _bounds(lowerer: Lowerer, base: Value, part: Slice, node: ast.AST) -> tuple[Operand, ...]:
    """Where a part of a list begins and ends; where it begins, its number of items and its step if it leaves items out."""
    count = lowerer.apply(len, (base,), node)
    if _is_whole(part):
        return Const(0) if part.start is None else part.start, count if part.stop is None else part.stop
    assert part.step is not None
    start, stop = part.start, part.stop
    if start is None:
        start = lowerer.inline(first_of_all, (count, part.step), {}, node)
    if stop is None:
        stop = lowerer.inline(last_of_all, (count, part.step), {}, node)
    places = known_elements(lowerer.context, lowerer.inline(every, (count, start, stop, part.step), {}, node))
    assert places is not None
    return *places, part.step


def compared(lowerer: Lowerer, left: Operand, op: ast.cmpop, right: Operand, node: ast.AST) -> Operand | None:
    """Lower a comparison of two lists of which one grows, `!=` as `==`; None for any other comparison."""
    if not all(map(lowerer.context.is_list, (left, right))) or type(op) not in COMPARED:
        return None
    if all(known_elements(lowerer.context, each) is not None for each in (left, right)):
        return None
    function, is_turned = COMPARED[type(op)]
    sides = [_growing(lowerer, each, node) for each in ((right, left) if is_turned else (left, right))]
    result = lowerer.inline(function, tuple(sides), {}, node)
    if isinstance(result, Value):
        lowerer.context.booleans.add(result)
    return result


def _growing(lowerer: Lowerer, items: Operand, node: ast.AST) -> Operand:
    """A list whose items have numbers: one whose items are known is copied."""
    return items if known_elements(lowerer.context, items) is None else joined(lowerer, (items,), node)


def held_in(lowerer: Lowerer, item: Operand, base: Value, node: ast.AST) -> Operand:
    """Lower `item in base` of a list."""
    found = lowerer.inline(is_in, (base, item), {}, node)
    if isinstance(found, Value):
        lowerer.context.booleans.add(found)
    return found


def repeated_list(lowerer: Lowerer, base: Value, count: Operand, node: ast.AST) -> Value:
    """Lower `base * count` of a list."""
    parts = known_elements(lowerer.context, base)
    if parts is not None:
        return _many_times(lowerer, parts, count, node)
    made = joined(lowerer, (base,), node)
    lowerer.inline(repeated, (made, count), {}, node)
    return made


def updated(lowerer: Lowerer, base: Operand, op: ast.operator, more: Operand, node: ast.AST) -> bool:
    """Lower `base += more` or `base *= more` if `base` is a list; tell whether it is."""
    if not lowerer.context.is_list(base) or not isinstance(op, ast.Add | ast.Mult):
        return False
    _refuse_known(lowerer, base, node)
    if isinstance(op, ast.Add):
        _extend(lowerer, base, more, node)
    else:
        lowerer.inline(repeated, (base, more), {}, node)
    return True


def copied(lowerer: Lowerer, base: Operand, node: ast.AST) -> Operand:
    """Lower `base.copy()` and `list(base)` of a list."""
    parts = known_elements(lowerer.context, base)
    return joined(lowerer, (base,), node) if parts is None else lowerer.make_tuple(parts, node, as_list=True)


def joined(lowerer: Lowerer, parts: Sequence[Operand], node: ast.AST) -> Value:
    """A new list with the items of the parts, one after the other."""
    result = new_list(lowerer, (), node)
    for part in parts:
        _extend(lowerer, result, part, node)
    return result


def _extend(lowerer: Lowerer, base: Value, more: Operand, node: ast.AST) -> None:
    """Append each item of a tuple, a list or an array."""
    loc = lowerer.loc(node)
    more = items_of(lowerer, more, node)
    parts = known_elements(lowerer.context, more)
    if parts is not None:
        for part in parts:
            _append(lowerer, base, lowerer.runtime(part, node), node)
        return
    if not isinstance(more, Value) and not is_data(more.value):
        raise lowerer.refuse(
            "BS109", "a list is extended by something other than a list or tuple", node, "append each item"
        )
    lowerer.context.copy_items(more, base)
    stop = lowerer.apply(len, (more,), node)
    index = lowerer.builder.value(loc=loc)
    with lowerer.builder.block(index) as body:
        item = item_of(lowerer, more, lowerer.builder.load(more, (index,), loc=loc), node)
        _append(lowerer, base, item, node)
    lowerer.builder.add(For(Const(0), stop, Const(1), (), body.finish(), (), loc))
