"""Unpack tuples, lists and arrays to the targets of an assignment, or to the parameters of a function."""

from __future__ import annotations

import ast
import operator

import numpy as np

from backsweep.frontend.constructs.going_through import items_of
from backsweep.frontend.constructs.kinds import asked_items
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import known_elements
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.prelude.language import items as of_items
from backsweep.runtime.support.marks import expect_length


def unpacked(
    lowerer: Lowerer, target: ast.Tuple | ast.List, operand: Operand, value: ast.AST
) -> tuple[Operand, ...]:
    """An item for each target, one of which may be starred: it gets a list, or of known items a tuple."""
    operand = items_of(lowerer, operand, value)
    known = known_elements(lowerer.context, operand)
    if known is not None:
        return aligned(lowerer, target, known, value)
    if isinstance(operand, Const) and isinstance(operand.value, str):
        return aligned(lowerer, target, tuple(map(Const, operand.value)), value)
    if isinstance(operand, Const) and not isinstance(operand.value, np.ndarray):
        what = getattr(operand.value, "__name__", type(operand.value).__name__)
        raise lowerer.refuse("BS118", f"`{what}` cannot be unpacked", value, "unpack a tuple")
    lowerer.check_items(expect_length, (operand,), value)
    count = len(target.elts)
    stars = [k for k, item in enumerate(target.elts) if isinstance(item, ast.Starred)]
    if not stars:
        if isinstance(operand, Value):
            lowerer.apply(expect_length, (operand, Const(count)), value)
        return tuple(lowerer.apply(operator.getitem, (operand, Const(k)), target) for k in range(count))
    of_tuple = asked_items(lowerer, operand, value)
    if of_tuple is not None:
        return aligned(lowerer, target, of_tuple, value)
    before, after = stars[0], count - stars[0] - 1
    message = Const(f"not enough values to unpack (expected at least {count - 1})")
    rest = lowerer.inline(of_items.middle, (operand, Const(before), Const(after), message), {}, value)
    places = [*range(before), *range(-after, 0)]
    items = [lowerer.apply(operator.getitem, (operand, Const(k)), target) for k in places]
    return (*items[:before], rest, *items[before:])


def aligned(
    lowerer: Lowerer, target: ast.Tuple | ast.List, items: tuple[Operand, ...], value: ast.AST
) -> tuple[Operand, ...]:
    """Known items, an item for each target."""
    stars = [k for k, item in enumerate(target.elts) if isinstance(item, ast.Starred)]
    wanted = len(target.elts)
    if len(items) < wanted - len(stars) or (not stars and len(items) != wanted):
        message = f"{len(items)} values are unpacked to {wanted} variables"
        raise lowerer.refuse("BS118", message, target, "give each variable one value")
    if not stars:
        return items
    first, last = stars[0], len(items) - (wanted - stars[0] - 1)
    middle = lowerer.make_tuple(items[first:last], value)
    return (*items[:first], middle, *items[last:])
