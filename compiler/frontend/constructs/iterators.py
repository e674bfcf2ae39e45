"""Lower `iter(x)` and `next(iterator)`: an iterator exists while compiling, as what it is of and the position that it is at."""

from __future__ import annotations

import ast
import dataclasses
import operator

import numpy as np

from backsweep.frontend.constructs.comprehensions import all_items, sized
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import Cell, Iterator, Range, known_elements
from backsweep.ir.nodes import UNDEFINED, Const, Operand, Value
from backsweep.runtime.lists.sequences import next_of


def make_iterator(lowerer: Lowerer, args: tuple[Operand, ...], keywords: object, node: ast.Call) -> Operand:
    """Lower `iter(x)` to a compile-time object: `next` and loops take its items."""
    base = args[0] if len(args) == 1 and not keywords else UNDEFINED
    if isinstance(base, Const) and isinstance(base.value, Iterator):
        return base
    if isinstance(base, Const) and isinstance(base.value, Range):
        base = all_items(lowerer, base, node)
    is_listed = known_elements(lowerer.context, base) is not None
    if (
        not isinstance(base, Value)
        and not is_listed
        and not isinstance(getattr(base, "value", None), np.ndarray)
    ):
        raise no_iterator(lowerer, node)
    return Const(Iterator(base, 0, innermost_loop(lowerer)))


def innermost_loop(lowerer: Lowerer) -> object | None:
    """The loop that is lowered now."""
    loops = lowerer.context.loops
    return loops[-1] if loops else None


def no_iterator(lowerer: Lowerer, node: ast.Call) -> Exception:
    """The refusal of an iterator over what is no array and no tuple."""
    message = f"`{ast.unparse(node)}` makes an iterator, which cannot be differentiated"
    return lowerer.refuse("BS114", message, node, "loop over a range or an array")


def item_at(lowerer: Lowerer, of: Iterator, index: Operand, node: ast.AST) -> Operand:
    """An item of an iterator of arrays: an element, or cells that hold some."""
    loc = lowerer.loc(node)
    if not of.together:
        return lowerer.builder.load(of.base, (index,), loc=loc)
    cells = tuple(
        Const(Cell(lowerer.builder.load(each, (index,), loc=loc) if has_axis else each))
        for each, has_axis in of.together
    )
    return cells[0] if len(cells) == 1 else lowerer.make_tuple(cells, node)


def next_item(lowerer: Lowerer, _args: object, keywords: object, node: ast.Call) -> Operand:
    """Lower `next(iterator)`: the name of the iterator stands for what is left afterwards."""
    name = node.args[0] if len(node.args) == 1 and not keywords else None
    found = (
        lowerer.find(name.id, lowerer.frame)
        if isinstance(name, ast.Name) and name.id in lowerer.frame.locals
        else None
    )
    if (
        not isinstance(name, ast.Name)
        or not isinstance(found, Const)
        or not isinstance(found.value, Iterator)
    ):
        message = f"`{ast.unparse(node)}` needs an iterator that a variable of this function holds"
        raise lowerer.refuse("BS114", message, node, "write `it = iter(x)` first, and then `next(it)`")
    of = found.value
    check_loop(lowerer, of, node)
    place = of.position
    after = place + 1 if isinstance(place, int) else lowerer.apply(operator.add, (place, Const(1)), node)
    lowerer.assign(name.id, Const(dataclasses.replace(of, position=after)))
    parts = known_elements(lowerer.context, of.base)
    if not isinstance(place, int):
        return lowerer.inline(next_of, (of.base, place), {}, node)
    if parts is None:
        return item_at(lowerer, of, Const(place), node)
    if place >= len(parts):
        raise lowerer.refuse("BS114", "the iterator has no further item", node, "count its items")
    return item_at(lowerer, of, Const(0), node) if of.together else parts[place]


def check_loop(lowerer: Lowerer, iterator: Iterator, node: ast.AST) -> None:
    """Refuse an iterator that a loop takes items of in several of its rounds."""
    if innermost_loop(lowerer) is not iterator.loop:
        message = "an iterator that was made before a loop is used within it"
        raise lowerer.refuse("BS114", message, node, "make it within the loop, or index the array")


def with_places(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
    """What a loop beside a generator takes its items from, by number."""
    return sized(lowerer, args[0], node)
