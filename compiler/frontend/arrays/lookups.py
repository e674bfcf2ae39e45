"""Lower `items[key]` and `key in items` of a dict or a list around the function, where only the run knows the key.

Keys are whole numbers or tuples of them: atoms, cells, pairs of nodes. Values are numbers, rows of one length, or lists of any length,
as the neighbours of nodes are. Arrays of constants stand for them.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import known_elements
from backsweep.frontend.context.tables import table
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.ir.types import Scalar
from backsweep.prelude.language import items as of_items


def looked_up(lowerer: Lowerer, base: Const, key: Operand, node: ast.AST) -> Operand | None:
    """The item of a dict or a list of constants; None if no array can stand for it."""
    items = base.value
    values = list(items.values()) if isinstance(items, dict) else list(items)
    name = ast.Name(base.name or getattr(node, "id", ""))
    rows = table(values, name)
    flat = None if rows is not None else _joined_rows(values, name)
    if rows is None and flat is None:
        return None
    if not isinstance(items, dict):
        place: Operand | None = _from_either_end(lowerer, len(values), key, node)
    else:
        place = _place_of(lowerer, list(items), key, node)
    if place is None:
        return None
    if rows is not None:
        return lowerer.inline(of_items.item, (rows, place), {}, node)
    assert flat is not None
    ends = Const(np.cumsum([0, *map(len, values)]), f"{name.id}_ends")
    found = lowerer.inline(of_items.items_between, (flat, ends, place), {}, node)
    if isinstance(found, Value):
        if isinstance(values[0], tuple):
            lowerer.context.tuples.add(found)
        else:
            lowerer.context.held[found] = False
    return found


def _joined_rows(values: Sequence[Any], name: ast.Name) -> Const | None:
    """The items of lists of any length, one list after the other; None if no array can stand for them."""
    kinds = {type(each) for each in values}
    if not kinds <= {list} and not kinds <= {tuple}:
        return None
    return table(list(itertools.chain.from_iterable(values)), name)


def _from_either_end(lowerer: Lowerer, count: int, key: Operand, node: ast.AST) -> Operand | None:
    """The place of an item of a list, whose number may count from its end."""
    if not _is_whole(lowerer, key, node):
        return None
    return lowerer.inline(of_items.place_from_either_end, (key, Const(count)), {}, node)


def _place_of(lowerer: Lowerer, keys: list[Any], key: Operand, node: ast.AST) -> Operand | None:
    """The place of a key among those of a dict; None if they are no whole numbers, nor tuples of them."""
    if keys == list(range(len(keys))) and _is_whole(lowerer, key, node):
        return lowerer.inline(of_items.place_of_number, (key, Const(len(keys))), {}, node)
    compared = _compared(lowerer, keys, key, node)
    return None if compared is None else lowerer.inline(of_items.place_of, compared, {}, node)


def is_held(lowerer: Lowerer, item: Operand, among: Collection[Any], node: ast.AST) -> Operand | None:
    """Lower `item in among` of constant keys; None if these are no whole numbers, nor tuples of them."""
    compared = _compared(lowerer, list(among), item, node)
    return None if compared is None else lowerer.inline(of_items.is_among, compared, {}, node)


def _compared(
    lowerer: Lowerer, keys: list[Any], key: Operand, node: ast.AST
) -> tuple[Operand, Operand, Operand] | None:
    """The columns of the keys, the parts of the one that is sought, and how many keys there are."""
    parts = known_elements(lowerer.context, key)
    rows = [(each,) if parts is None else each for each in keys]
    count = 1 if parts is None else len(parts)
    wanted = (key,) if parts is None else parts
    is_alike = all(isinstance(row, tuple) and len(row) == count for row in rows)
    if not rows or not count or not is_alike or not all(_is_int(each) for row in rows for each in row):
        return None
    if not all(_is_whole(lowerer, each, node) for each in wanted):
        return None
    columns = [Const(np.array(each), f"keys_{k}") for k, each in enumerate(zip(*rows, strict=True))]
    return lowerer.make_tuple(tuple(columns), node), lowerer.make_tuple(wanted, node), Const(len(keys))


def _is_int(thing: Any) -> bool:
    return isinstance(thing, int | np.integer) and not isinstance(thing, bool)


def _is_whole(lowerer: Lowerer, operand: Operand, node: ast.AST) -> bool:
    """Whether an operand is a whole number."""
    if isinstance(operand, Const):
        return _is_int(operand.value)
    type_ = asked_type(lowerer, operand, node)
    return isinstance(type_, Scalar) and type_.dtype.startswith(("int", "uint"))
