"""Lower the iterable of a `for` loop: ranges, arrays, tuples, index grids, and `zip`, `enumerate`, `reversed` of them."""

from __future__ import annotations

import ast
import dataclasses
import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from backsweep.frontend.constructs.comprehensions import called_for_each, sized
from backsweep.frontend.constructs.going_through import gone_through, place_of
from backsweep.frontend.constructs.iterators import check_loop, item_at
from backsweep.frontend.constructs.kinds import asked_items, asked_type, is_implementation
from backsweep.frontend.constructs.lists import item_of
from backsweep.frontend.context.counted import UNEQUAL, check_enough, check_equal, lists_last, refuse_number
from backsweep.frontend.context.heap import virtual
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import (
    Iterator,
    Range,
    Zipped,
    is_static,
    known_elements,
    known_items,
)
from backsweep.frontend.context.tables import table
from backsweep.ir.nodes import UNDEFINED, Const, Operand, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar, is_float
from backsweep.runtime.plain.iterators import pairs_chosen, quadruples_chosen, triples_chosen

#: The largest tuple whose loop is unrolled; a longer tuple is indexed by a loop if its items are plain data.
LONGEST_UNROLLED = 16
#: The most choices among items that are written out.
MOST_CHOICES = 64
BY_PLACES = {2: pairs_chosen, 3: triples_chosen, 4: quadruples_chosen}
"""What chooses so many of items that only the run knows."""
ZERO, ONE = Const(0), Const(1)


@dataclass(frozen=True, eq=False)
class Steps:
    """A loop over `range(start, stop, step)`; `element` lowers the value of the target from the index."""

    start: Operand
    stop: Operand
    step: Operand
    element: Callable[[Operand], Operand]
    parallel: bool = False


@dataclass(frozen=True, eq=False)
class Items:
    """A loop over known items, which is unrolled."""

    items: tuple[Operand, ...]


@dataclass(frozen=True, eq=False)
class Grid:
    """A nest of loops, one per axis, the last axis innermost; `element` lowers the value of the target from the indices."""

    lengths: tuple[Operand, ...]
    element: Callable[[tuple[Operand, ...]], Operand]


def iteration(lowerer: Lowerer, node: ast.expr, target: ast.expr | None = None) -> Steps | Items | Grid:
    """The kind of iteration over the expression after `in`; `target` is the target of the loop."""
    called = _called(lowerer, node)
    if isinstance(node, ast.Call) and called is not None:
        if called is np.ndindex:
            return _ndindex(lowerer, node, target)
        if called is np.ndenumerate:
            return _ndenumerate(lowerer, node, target)
        if called is itertools.product and node.args:
            return _product(lowerer, node)
    if isinstance(node, ast.Attribute) and node.attr == "flat":
        return _flat(lowerer, node)
    found = _steps_or_items(lowerer, node)
    if isinstance(found, Steps) and isinstance(target, ast.Name) and names_axis(lowerer, target):
        numbers = _few_numbers(found)
        return found if numbers is None else Items(numbers)
    return found


def _steps_or_items(lowerer: Lowerer, node: ast.expr) -> Steps | Items:
    """The iteration over an iterable with one index: a range, an array, a tuple, and `zip`, `enumerate`, `reversed` of them."""
    called = _called(lowerer, node)
    if isinstance(node, ast.Call) and called is not None:
        if called is reversed and len(node.args) == 1:
            return _reversed(lowerer, node)
        if called is enumerate and 1 <= len(node.args) <= 2:
            return _enumerate(lowerer, node)
        if called is zip and node.args and not any(isinstance(part, ast.Starred) for part in node.args):
            parts = {k: _steps_or_items(lowerer, node.args[k]) for k in lists_last(lowerer, node.args)}
            return _zip(lowerer, node, [parts[k] for k in range(len(parts))])
        if called is zip and node.args:
            return _zip(lowerer, node, [_over(lowerer, each, node) for each in lowerer.spread(node.args)])
        is_whole = called is itertools.permutations and len(node.args) == 1
        if called in _CHOOSING and (is_whole or len(node.args) == 2) and not node.keywords:
            return _chosen(lowerer, node, _CHOOSING[called])
        if called in (np.ndindex, np.ndenumerate, itertools.product):
            grid = iteration(lowerer, node)
            assert isinstance(grid, Grid)
            return _in_a_row(lowerer, grid, node)
    if isinstance(node, ast.Attribute) and node.attr == "flat":
        return _in_a_row(lowerer, _flat(lowerer, node), node)
    each = called_for_each(lowerer, node)
    if each is not None:
        iterable, made = each
        steps = _by_index(lowerer, _steps_or_items(lowerer, iterable), node)
        return dataclasses.replace(steps, element=lambda index: made(lowerer, steps.element(index)))
    if isinstance(node, ast.Name):
        found = lowerer.find(node.id, lowerer.frame)
        if isinstance(found, Const) and isinstance(found.value, Iterator):
            check_loop(lowerer, found.value, node)
            lowerer.assign(node.id, UNDEFINED)  # the loop takes all that is left
            return _left(lowerer, found.value, node)
    return _over(lowerer, gone_through(lowerer, lowerer.lower(node), node), node)


def _called(lowerer: Lowerer, node: ast.expr) -> object | None:
    """The compile-time object that the expression calls, if it is a call by name; else None."""
    if not isinstance(node, ast.Call):
        return None
    path = node.func
    while isinstance(path, ast.Attribute):
        path = path.value
    if not isinstance(path, ast.Name):
        return None
    root = lowerer.find(path.id, lowerer.frame)
    if root is None or isinstance(root, Value):
        return None
    function = lowerer.lower(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else root
    return function.value if isinstance(function, Const) else None


def _left(lowerer: Lowerer, iterator: Iterator, node: ast.expr) -> Steps | Items:
    """The iteration over what is left of an iterator."""
    parts, place = known_elements(lowerer.context, iterator.base), iterator.position
    if place == 0 and not iterator.together:
        return _over(lowerer, iterator.base, node)
    if isinstance(place, int) and parts is not None:
        return Items((parts if not iterator.together else (item_at(lowerer, iterator, ZERO, node),))[place:])
    every = _elements(lowerer, iterator.base, node)
    start = Const(place) if isinstance(place, int) else place
    if not iterator.together:
        return dataclasses.replace(every, start=start)
    return Steps(start, every.stop, ONE, lambda index: item_at(lowerer, iterator, index, node))


def make_range(
    lowerer: Lowerer, args: Sequence[Operand], keywords: object, node: ast.AST, *, parallel: bool = False
) -> Operand:
    """Lower `range(...)`, or `prange(...)` that Numba runs on all cores, to a compile-time object, over which loops run."""
    if keywords or not 1 <= len(args) <= 3:
        raise lowerer.refuse(
            "BS113", "`range` takes one to three numbers", node, "write range(start, stop, step)"
        )
    start, stop = (ZERO, args[0]) if len(args) == 1 else (args[0], args[1])
    step = args[2] if len(args) == 3 else ONE
    if isinstance(step, Const) and step.value == 0:
        raise lowerer.refuse("BS113", "the step of a `range` is zero", node, "use a step other than zero")
    for each in (start, stop, step):
        lowerer.check_exists(each, node)
    return Const(Range(start, stop, step, parallel))


def check_whole(lowerer: Lowerer, of: Iterable[Operand], node: ast.AST) -> None:
    """Refuse a range that is asked for its length or its numbers without a loop, and has floats: Python raises TypeError."""
    for each in of:
        type_ = asked_type(lowerer, each, node) if isinstance(each, Value) else type_of(each)
        if is_float(type_):
            message = "`range` needs whole numbers and is given a float"
            remedy = "round it first, as in range(int(n)), or loop over range(len(x))."
            raise lowerer.refuse("BS113", message, node, remedy)


def range_length(lowerer: Lowerer, numbers: Range, node: ast.AST) -> Operand:
    """The length of a range; it may be negative where the range is empty."""
    if (known := numbers.known) is not None:
        return Const(len(known))
    if _is(numbers.step, 1):
        whole = _is(numbers.start, 0)
        return numbers.stop if whole else lowerer.apply(operator.sub, (numbers.stop, numbers.start), node)
    down = lowerer.apply(operator.sub, (numbers.start, numbers.stop), node)
    if _is(numbers.step, -1):
        return down
    rounded = lowerer.apply(operator.floordiv, (down, numbers.step), node)
    return lowerer.apply(operator.neg, (rounded,), node)


def reversed_range(lowerer: Lowerer, numbers: Range, node: ast.AST) -> Operand:
    """`range(...)[::-1]`: the numbers from the last to the first."""
    length = range_length(lowerer, numbers, node)
    before = lowerer.apply(operator.sub, (length, ONE), node)  # of an empty range, all is empty
    last = lowerer.apply(
        operator.add, (numbers.start, lowerer.apply(operator.mul, (before, numbers.step), node)), node
    )
    stop = lowerer.apply(operator.sub, (numbers.start, numbers.step), node)
    return Const(Range(last, stop, lowerer.apply(operator.neg, (numbers.step,), node)))


def _is(operand: Operand, number: int) -> bool:
    """Whether the operand is this literal number."""
    return isinstance(operand, Const) and isinstance(operand.value, int) and operand.value == number


def _over(lowerer: Lowerer, base: Operand, node: ast.expr) -> Steps | Items:
    """The iteration over the elements of an array or tuple, or the numbers of a range."""
    if isinstance(base, Const) and isinstance(base.value, Iterator):
        return _left(lowerer, base.value, node)
    if isinstance(base, Const) and isinstance(base.value, Zipped):
        return _side_by_side(lowerer, base.value, node)
    if isinstance(base, Const) and isinstance(base.value, Range):
        steps = Steps(*base.value.bounds, lambda index: index, base.value.parallel)
        few = _few_numbers(steps) if is_implementation(lowerer) else None
        return steps if few is None else Items(few)
    parts = known_items(lowerer.context, base)
    if parts is not None and (thing := virtual(base)) is not None:
        lowerer.context.objects.looped.append((thing, parts))
    if parts is not None and (len(parts) <= LONGEST_UNROLLED or any(map(is_static, parts))):
        return Items(parts)
    if isinstance(base, Const) and isinstance(base.value, list):
        base = table(base.value, node) or base
    if isinstance(base, Const) and not isinstance(base.value, np.ndarray | tuple):
        what = getattr(base.value, "__name__", None) or f"{type(base.value).__name__} {base.value!r}"
        message = f"a loop runs over `{what}`, which is neither a range nor an array nor a tuple"
        remedy = "loop over a range, an array or a tuple"
        if virtual(base) is not None:
            remedy = "give the class an `__iter__`, as in `return iter(self.items)`"
        raise lowerer.refuse("BS114", message, node, remedy)
    return _elements(lowerer, base, node)


def _side_by_side(lowerer: Lowerer, zipped: Zipped, node: ast.expr) -> Steps | Items:
    """The iteration over lists of one length."""
    parts = [_over(lowerer, each, node) for each in zipped.parts]
    known = [part.items for part in parts if isinstance(part, Items)]
    if len(known) == len(parts):
        return Items(tuple(lowerer.make_tuple(group, node) for group in zip(*known, strict=False)))
    steps = [_by_index(lowerer, part, node) for part in parts]
    return dataclasses.replace(
        steps[0],
        element=lambda index: lowerer.make_tuple(tuple(each.element(index) for each in steps), node),
    )


def _few_numbers(steps: Steps) -> tuple[Operand, ...] | None:
    """The numbers of a range of literals that is short enough to be unrolled; None for any other range."""
    parts = [
        part.value
        for part in (steps.start, steps.stop, steps.step)
        if isinstance(part, Const) and not part.name
    ]
    if len(parts) < 3 or not all(isinstance(part, int) for part in parts):
        return None
    numbers = range(*parts)
    return tuple(map(Const, numbers)) if len(numbers) <= LONGEST_UNROLLED else None


def names_axis(lowerer: Lowerer, node: ast.AST) -> bool:
    """Whether a variable of the expression is in an axis that the function gives a call, whose number must be known."""
    source = lowerer.frame.source
    return source is not None and not _names_in(node).isdisjoint(_names_in_axes(source.node))


@functools.lru_cache(maxsize=256)
def _names_in_axes(definition: ast.AST) -> frozenset[str]:
    """The names in the axes that a function gives calls."""
    axes = [
        each.value for each in ast.walk(definition) if isinstance(each, ast.keyword) and each.arg == "axis"
    ]
    return frozenset(name for each in axes for name in _names_in(each))


def _names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _elements(lowerer: Lowerer, base: Operand, node: ast.AST) -> Steps:
    """The iteration over the elements of `base`, by index."""
    stop = lowerer.apply(len, (base,), node)
    loc = lowerer.loc(node)
    context = lowerer.context

    def element(index: Operand) -> Operand:
        if context.is_list(base) and context.loops:
            loop = context.loops[-1]
            assert isinstance(loop, ast.stmt)
            context.iterated.setdefault(base, []).append((loop, place_of(lowerer, loop)))
        return item_of(lowerer, base, lowerer.builder.load(base, (index,), loc=loc), node)

    return Steps(ZERO, stop, ONE, element)


def _reversed(lowerer: Lowerer, node: ast.Call) -> Steps | Items:
    inner = _steps_or_items(lowerer, node.args[0])
    if isinstance(inner, Items):
        return Items(inner.items[::-1])
    if not (_is(inner.step, 1) or _is(inner.step, -1)):
        inner = _counted(lowerer, inner, node)
    step = 1 if _is(inner.step, 1) else -1
    start = _shifted(lowerer, inner.stop, -step, node)
    stop = _shifted(lowerer, inner.start, -step, node)
    return Steps(start, stop, Const(-step), inner.element)


def _shifted(lowerer: Lowerer, operand: Operand, by: int, node: ast.AST) -> Operand:
    """An integer plus or minus one."""
    if isinstance(operand, Const) and not operand.name:
        return Const(operand.value + by)
    return lowerer.apply(operator.sub if by < 0 else operator.add, (operand, Const(abs(by))), node)


def _enumerate(lowerer: Lowerer, node: ast.Call) -> Steps | Items:
    given = node.args[1:] + [keyword.value for keyword in node.keywords]
    is_last = lists_last(lowerer, [node.args[0], *given])[0] > 0
    first = lowerer.lower(given[0]) if is_last else ZERO
    inner = _steps_or_items(lowerer, node.args[0])
    first = lowerer.lower(given[0]) if given and not is_last else first
    if isinstance(inner, Items):
        pairs = [(_position(lowerer, first, Const(k), node), item) for k, item in enumerate(inner.items)]
        return Items(tuple(lowerer.make_tuple(pair, node) for pair in pairs))
    counted = _counted(lowerer, inner, node)

    def pair(index: Operand) -> Operand:
        number = _position(lowerer, first, index, node)
        return lowerer.make_tuple((number, counted.element(index)), node)

    return Steps(ZERO, counted.stop, ONE, pair)


def _zip(lowerer: Lowerer, node: ast.Call, parts: list[Steps | Items]) -> Steps | Items:
    is_strict = _is_strict(lowerer, node)
    known = [part.items for part in parts if isinstance(part, Items)]
    if len(known) == len(parts):
        if is_strict and len(set(map(len, known))) > 1:
            raise lowerer.refuse("BS113", UNEQUAL, node, "give it items of one number, or leave `strict` out")
        return Items(tuple(lowerer.make_tuple(group, node) for group in zip(*known, strict=False)))
    counted = [_counted(lowerer, _by_index(lowerer, part, node), node) for part in parts]
    stops = tuple(part.stop for part in counted)
    if is_strict:
        check_equal(lowerer, stops, node)
        stop = stops[0]
    else:
        objects = [
            part.stop
            for part, given in zip(counted, parts, strict=True)
            if isinstance(given, Items) and any(map(_is_written_out, given.items))
        ]
        if objects:  # these are written out, so that the others must have as many items
            stop = min(objects, key=lambda each: each.value if isinstance(each, Const) else 0)
            for other in stops:
                check_enough(lowerer, stop, other, node)
        else:
            stop = stops[0] if len(stops) == 1 else lowerer.apply(min, stops, node)

    def group(index: Operand) -> Operand:
        return lowerer.make_tuple(tuple(part.element(index) for part in counted), node)

    return Steps(ZERO, stop, ONE, group)


def _is_strict(lowerer: Lowerer, node: ast.Call) -> bool:
    """Whether the call of `zip` has `strict=True`; refuse any other keyword."""
    is_strict = False
    for keyword in node.keywords:
        value = lowerer.lower(keyword.value)
        if keyword.arg != "strict" or not isinstance(value, Const):
            message = "`zip` has one keyword, `strict`, which must be known before the program runs"
            raise lowerer.refuse("BS113", message, keyword.value, "write strict=True or strict=False")
        is_strict = bool(value.value)
    return is_strict


def _by_index(lowerer: Lowerer, part: Steps | Items, node: ast.AST) -> Steps:
    """Turn known items into a loop over a tuple, so that `zip` can pair them with an iterable of unknown length."""
    if isinstance(part, Steps):
        return part
    if any(map(_is_written_out, part.items)):
        return _by_number(lowerer, part.items, node)
    items = lowerer.make_tuple(part.items, node)
    loc = lowerer.loc(node)
    stop = Const(len(part.items))
    return Steps(ZERO, stop, ONE, lambda index: lowerer.builder.load(items, (index,), loc=loc))


def _is_written_out(item: Operand) -> bool:
    """Whether a loop over such items is written out: over objects, functions, and strings, which may be keys."""
    return (
        virtual(item) is not None
        or is_static(item)
        or (isinstance(item, Const) and isinstance(item.value, str))
    )


def _by_number(lowerer: Lowerer, items: tuple[Operand, ...], node: ast.AST) -> Steps:
    """A loop over objects by a number that must be known: it has to be written out."""

    def element(index: Operand) -> Operand:
        if isinstance(index, Const):
            found: Operand = items[index.value]
            return found
        raise refuse_number(lowerer, node)

    return Steps(ZERO, Const(len(items)), ONE, element)


def _counted(lowerer: Lowerer, steps: Steps, node: ast.AST) -> Steps:
    """The loop over the same elements with an index that counts from zero."""
    if _is(steps.step, 1) and _is(steps.start, 0):
        return steps
    length = range_length(lowerer, Range(steps.start, steps.stop, steps.step), node)

    def element(index: Operand) -> Operand:
        run = index if _is(steps.step, 1) else lowerer.apply(operator.mul, (index, steps.step), node)
        return steps.element(_position(lowerer, steps.start, run, node))

    return Steps(ZERO, length, ONE, element)


def _position(lowerer: Lowerer, first: Operand, index: Operand, node: ast.AST) -> Operand:
    """`first + index`, simplified where either is zero or both are literals."""
    if _is(first, 0):
        return index
    if isinstance(first, Const) and isinstance(index, Const) and not first.name:
        return Const(first.value + index.value)
    return first if _is(index, 0) else lowerer.apply(operator.add, (first, index), node)


# Index grids and choices

_CHOOSING: Mapping[object, Callable[..., Iterable[tuple[Operand, ...]]]] = {
    each: each
    for each in (itertools.combinations, itertools.combinations_with_replacement, itertools.permutations)
}
"""What chooses among items; the loop over the choices is unrolled."""


def _product(lowerer: Lowerer, node: ast.Call) -> Grid:
    """The nest of `itertools.product(a, b, repeat=n)`; an array is copied first, as Python takes its items first."""
    repeat = next((lowerer.lower(each.value) for each in node.keywords if each.arg == "repeat"), ONE)
    counts = repeat.value if isinstance(repeat, Const) and isinstance(repeat.value, int) else 0
    if counts < 1 or any(isinstance(part, ast.Starred) for part in node.args):
        message = "the number of iterables of `itertools.product` is not known before the program runs"
        raise lowerer.refuse("BS114", message, node, "write the loops out")
    parts = []
    for part in node.args:
        base = lowerer.lower(part)
        if isinstance(base, Value) and known_elements(lowerer.context, base) is None:
            if lowerer.context.is_list(base) or not isinstance(asked_type(lowerer, base, part), Array):
                message = "`itertools.product` takes a list whose items are not known before the program runs"
                raise lowerer.refuse("BS114", message, part, "write the loops out")
            base = lowerer.apply(np.copy, (base,), part)
        parts.append(_counted(lowerer, _by_index(lowerer, _over(lowerer, base, part), node), node))
    parts *= counts

    def element(indices: tuple[Operand, ...]) -> Operand:
        items = (part.element(index) for part, index in zip(parts, indices, strict=True))
        return lowerer.make_tuple(tuple(items), node)

    return Grid(tuple(part.stop for part in parts), element)


def _chosen(
    lowerer: Lowerer, node: ast.Call, choose: Callable[..., Iterable[tuple[Operand, ...]]]
) -> Steps | Items:
    """The choices of so many of a few known items, or numbers of a short range."""
    base = lowerer.lower(node.args[0])
    over = _over(lowerer, base, node)
    items = over.items if isinstance(over, Items) else _few_numbers(over)
    count = lowerer.lower(node.args[1]) if len(node.args) > 1 else Const(len(items or ()))
    is_known = isinstance(count, Const) and isinstance(count.value, int) and count.value >= 0
    number = count.value if isinstance(count, Const) and is_known else 0
    found = tuple(itertools.islice(choose(items or (), number), MOST_CHOICES + 1)) if is_known else ()
    if (items is None or len(found) > MOST_CHOICES) and number in BY_PLACES:
        is_ordered = Const(choose is not itertools.permutations)
        is_apart = Const(int(choose is not itertools.combinations_with_replacement))
        listed = lowerer.inline(
            BY_PLACES[number], (sized(lowerer, base, node), is_ordered, is_apart), {}, node
        )
        return _elements(lowerer, listed, node)
    if items is None or not is_known:
        message = f"`{ast.unparse(node)}` chooses among items that are not known before the program runs"
        remedy = "choose two, three or four, or write the loops out, as in `for i in range(n): for j in range(i + 1, n): ...`"
        raise lowerer.refuse("BS114", message, node, remedy)
    if len(found) > MOST_CHOICES:
        message = f"`{ast.unparse(node)}` has more than {MOST_CHOICES} choices, which would be written out"
        raise lowerer.refuse("BS114", message, node, "write the loops out")
    return Items(tuple(lowerer.make_tuple(each, node) for each in found))


def _ndindex(lowerer: Lowerer, node: ast.Call, target: ast.expr | None) -> Grid:
    """The index grid of `np.ndindex(shape)` or `np.ndindex(rows, columns)`."""
    lengths = tuple(lowerer.spread(node.args))
    if len(lengths) == 1 and not _is_number(lowerer, lengths[0]):
        (shape,), count = lengths, _axes_of_target(target)
        known = known_elements(lowerer.context, shape)
        if known is None and (count is None or count < 2):
            is_number = isinstance(asked_type(lowerer, shape, node), Scalar)
            known = (shape,) if is_number else asked_items(lowerer, shape, node)
        if known is None and (count is None or count < 2):
            raise _unknown_axes(lowerer, node, "for i, j in np.ndindex(...)")
        lengths = _items(lowerer, shape, count or 0, node) if known is None else known
    return Grid(lengths, lambda indices: lowerer.make_tuple(indices, node))


def _ndenumerate(lowerer: Lowerer, node: ast.Call, target: ast.expr | None) -> Grid:
    """`np.ndenumerate(array)`: the indices and the element."""
    base = lowerer.lower(node.args[0])
    pair = target.elts if isinstance(target, ast.Tuple | ast.List) and len(target.elts) == 2 else [None]
    count = axes(lowerer, base)
    count = _axes_of_target(pair[0]) if count is None else count
    if count is None and isinstance(type_ := asked_type(lowerer, base, node), Array):
        count = type_.ndim
    if count is None:
        raise _unknown_axes(lowerer, node, "for (i, j), value in np.ndenumerate(...)")
    loc = lowerer.loc(node)

    def element(indices: tuple[Operand, ...]) -> Operand:
        value = lowerer.builder.load(base, indices, loc=loc)
        return lowerer.make_tuple((lowerer.make_tuple(indices, node), value), node)

    return Grid(_lengths(lowerer, base, count, node), element)


def _flat(lowerer: Lowerer, node: ast.Attribute) -> Grid:
    """`array.flat`: the elements in the order of the indices."""
    base = lowerer.lower(node.value)
    type_ = asked_type(lowerer, base, node)
    if not isinstance(type_, Array):
        raise _unknown_flat(lowerer, node)
    count = type_.ndim
    loc = lowerer.loc(node)
    lengths = _lengths(lowerer, base, count, node)
    return Grid(lengths, lambda indices: lowerer.builder.load(base, indices, loc=loc))


def _in_a_row(lowerer: Lowerer, grid: Grid, node: ast.AST) -> Steps:
    """The places of a grid by one number, within `zip` and `enumerate`."""
    total: Operand = ONE
    for length in grid.lengths:
        total = length if _is(total, 1) else lowerer.apply(operator.mul, (total, length), node)

    def element(index: Operand) -> Operand:
        places: list[Operand] = []
        for length in grid.lengths[:0:-1]:
            places.append(lowerer.apply(operator.mod, (index, length), node))
            index = lowerer.apply(operator.floordiv, (index, length), node)
        return grid.element((index, *reversed(places))[: len(grid.lengths)])

    return Steps(ZERO, total, ONE, element)


def _unknown_flat(lowerer: Lowerer, node: ast.Attribute) -> Exception:
    text = ast.unparse(node.value)
    message = f"`.flat` needs the number of axes of `{text}`, which is known only for arguments"
    return lowerer.refuse("BS114", message, node, f"loop over `np.ravel({text})`, or over its indices")


def axes(lowerer: Lowerer, base: Operand) -> int | None:
    """The number of axes of an array, or None if lowering does not know it."""
    if isinstance(base, Const):
        return base.value.ndim if isinstance(base.value, np.ndarray) else None
    type_ = lowerer.context.types.get(base)
    return type_.ndim if isinstance(type_, Array) else None


def _is_number(lowerer: Lowerer, operand: Operand) -> bool:
    """Whether the operand is known to be a number."""
    if isinstance(operand, Const):
        return isinstance(operand.value, int | np.integer)
    return isinstance(lowerer.context.types.get(operand), Scalar)


def _axes_of_target(target: ast.expr | None) -> int | None:
    """The number of indices in the loop's target, or None if it does not show the number."""
    if not isinstance(target, ast.Tuple | ast.List):
        return None
    return None if any(isinstance(item, ast.Starred) for item in target.elts) else len(target.elts)


def _unknown_axes(lowerer: Lowerer, node: ast.Call, example: str) -> Exception:
    message = f"the number of axes of `{ast.unparse(node)}` is not known before the program runs"
    return lowerer.refuse("BS114", message, node, f"name the indices, as in `{example}:`")


def _lengths(lowerer: Lowerer, base: Operand, count: int, node: ast.AST) -> tuple[Operand, ...]:
    return _items(lowerer, lowerer.apply(np.shape, (base,), node), count, node) if count else ()


def _items(lowerer: Lowerer, operand: Operand, count: int, node: ast.AST) -> tuple[Operand, ...]:
    """The first `count` items of a tuple."""
    return tuple(lowerer.apply(operator.getitem, (operand, Const(k)), node) for k in range(count))
