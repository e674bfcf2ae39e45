"""Unpack tuples, lists and arrays to the targets of an assignment, or to the parameters of a function."""

from __future__ import annotations

import ast
import inspect
import math
import operator

import numpy as np

from backsweep.frontend.constructs.comprehensions import ITEMS, taken_apart
from backsweep.frontend.constructs.going_through import items_of
from backsweep.frontend.constructs.kinds import asked_items
from backsweep.frontend.context.inner_text import BUILTINS, run_text
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Inner, known_elements, known_items
from backsweep.ir.nodes import Const, Operand, Value
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
    before, after = stars[0], count - stars[0] - 1
    text = f"""
if _len(_items) < {count - 1}:
    raise _error("not enough values to unpack (expected at least {count - 1})")
return _list(_items[{before}:_len(_items) - {after}])
"""
    rest = run_text(lowerer, "rest", text, {**BUILTINS, ITEMS: operand, ".list": Const(list)}, value)
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


def spread_to(lowerer: Lowerer, function: Operand, node: ast.Call) -> list[Operand] | None:
    """The arguments of `f(a, *x)`, where `x` has as many items as `f` has parameters left; None where this is not known."""
    if not any(isinstance(each, ast.Starred) for each in node.args):
        return None
    wanted = _parameters(function)
    if wanted is None or any(each.arg is None for each in node.keywords):
        return None
    operands = [
        (taken_apart(lowerer, each.value) or items_of(lowerer, lowerer.lower(each.value), node))
        if isinstance(each, ast.Starred)
        else lowerer.lower(each)
        for each in node.args
    ]
    opened = [
        known_items(lowerer.context, operand) if isinstance(each, ast.Starred) else (operand,)
        for each, operand in zip(node.args, operands, strict=True)
    ]
    taken = sum(len(each) for each in opened if each is not None)
    named = sum(each.arg in wanted for each in node.keywords)
    count = len(wanted) - taken - named
    if opened.count(None) > 1 or count < 0:
        return None
    made: list[Operand] = []
    for operand, items in zip(operands, opened, strict=True):
        if items is not None:
            made += items
            continue
        hidden = {**BUILTINS, ITEMS: operand, ".error": Const(TypeError)}
        text = (
            f'if _len(_items) != {count}:\n    raise _error("it takes {count} positional arguments here")\n'
        )
        run_text(lowerer, "arguments", text, hidden, node)
        made += [lowerer.apply(operator.getitem, (operand, Const(k)), node) for k in range(count)]
    return made


def spread_whole(lowerer: Lowerer, function: Operand, node: ast.Call) -> Operand | None:
    """Lower `max(*items)`, `min(*items)` and `math.hypot(*items)` where the run decides how many items there are; None for others."""
    called = function.value if isinstance(function, Const) else None
    if called not in (max, min, math.hypot) or len(node.args) != 1 or node.keywords:
        return None
    (arg,) = node.args
    if not isinstance(arg, ast.Starred):
        return None
    operand = taken_apart(lowerer, arg.value) or items_of(lowerer, lowerer.lower(arg.value), node)
    known = known_items(lowerer.context, operand) or asked_items(lowerer, operand, node)
    if known is not None:
        return lowerer.call(function, tuple(known), {}, node)
    hidden = {**BUILTINS, ITEMS: operand, ".function": function, ".error": Const(TypeError)}
    text = (
        "if _len(_items) < 2:\n    raise _error('it takes two positional arguments or more')\n"
        "return _function(_items)"
    )
    if called is math.hypot:
        text = "y = 0.0\nfor k in _range(_len(_items)):\n    y = _function(y, _items[k])\nreturn y"
    return run_text(lowerer, called.__name__, text, hidden, node)


def _parameters(function: Operand) -> list[str] | None:
    """The positional parameters of a function, each of which must be given; None for other functions."""
    thing = function.value if isinstance(function, Const) else None
    if isinstance(thing, Inner):
        arguments = thing.node.args
        if arguments.vararg is not None or arguments.defaults:
            return None
        return [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    thing = getattr(thing, "py_func", thing)
    if isinstance(thing, np.ufunc):
        return [f"x{place}" for place in range(thing.nin)]
    if not inspect.isfunction(thing) and not inspect.ismethod(thing) and thing not in (math.atan2, math.pow):
        return None
    parameters = [*inspect.signature(thing).parameters.values()]
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    plain = [each for each in parameters if each.kind in kinds]
    has_more = any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters)
    if has_more or any(each.default is not inspect.Parameter.empty for each in plain):
        return None
    return [each.name for each in plain]
