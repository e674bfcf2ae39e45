"""Lower `[a, *x]` and `f(a, *x)`, where only the run may know how many items `x` has.

The parameters of a function say how many it takes.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.frontend.constructs.comprehensions import taken_apart
from backsweep.frontend.constructs.going_through import items_of
from backsweep.frontend.constructs.kinds import asked_items
from backsweep.frontend.constructs.lists import joined
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Bound, Inner, More, known_items
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.prelude.declare import meaning_of, object_of
from backsweep.prelude.language import items as of_items
from backsweep.reading.names import is_primitive, wrap

OF_DISTRIBUTIONS = {"loc": Const(0), "scale": Const(1)}
"""The parameters of distributions that may be left out."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The positional parameters of a function, the default values that some have, and whether there is `*args` behind them."""

    names: list[str]
    defaults: Mapping[str, Operand]
    takes_more: bool


def display(lowerer: Lowerer, items: list[ast.expr], node: ast.Tuple | ast.List) -> Operand:
    """Lower `[*x, y]` and `(*x, y)`; with items whose number only the run knows, it is joined of its parts."""
    is_list = isinstance(node, ast.List)
    starred = [isinstance(item, ast.Starred) for item in items]
    made = [
        opened(lowerer, item.value) if isinstance(item, ast.Starred) else lowerer.lower(item)
        for item in items
    ]
    parts_of = [
        _items_known(lowerer, part, node) if is_open else (part,)
        for part, is_open in zip(made, starred, strict=True)
    ]
    if None not in parts_of:
        return lowerer.make_tuple(tuple(part for each in parts_of for part in each or ()), node, is_list)
    parts = [
        part if is_open else lowerer.make_tuple((part,), node)
        for part, is_open in zip(made, starred, strict=True)
    ]
    whole = joined(lowerer, parts, node)
    if not is_list:
        lowerer.context.tuples.add(whole)
    return whole


def opened(lowerer: Lowerer, node: ast.expr) -> Operand:
    """The operand of a starred item; the items of a generator become a list."""
    found = taken_apart(lowerer, node)
    return items_of(lowerer, lowerer.lower(node), node) if found is None else found


def _items_known(lowerer: Lowerer, operand: Operand, node: ast.AST) -> tuple[Operand, ...] | None:
    """The items of what is spread; None if only the run knows how many there are."""
    found = known_items(lowerer.context, operand)
    return asked_items(lowerer, operand, node) if found is None else found


def spread_to(lowerer: Lowerer, function: Operand, node: ast.Call) -> list[Operand] | None:
    """The arguments of `f(a, *x)`; None where the function does not say how many it takes, or all are known.

    A parameter that has a number as its default gets it where the items end before. `*args` gets what is left.
    """
    if not any(isinstance(each, ast.Starred) for each in node.args):
        return None
    taken = parameters_of(function)
    if taken is None or any(each.arg is None for each in node.keywords):
        return None
    operands = [
        opened(lowerer, each.value) if isinstance(each, ast.Starred) else lowerer.lower(each)
        for each in node.args
    ]
    parts_of = [
        _items_known(lowerer, operand, node) if isinstance(each, ast.Starred) else (operand,)
        for each, operand in zip(node.args, operands, strict=True)
    ]
    given = {each.arg for each in node.keywords}
    names = [name for name in taken.names if name not in given]
    if None not in parts_of:
        return [part for each in parts_of for part in each or ()]
    first = parts_of.index(None)
    before = [part for each in parts_of[:first] for part in each or ()]
    if taken.takes_more:
        named, left = before[: len(names)], before[len(names) :]
        parts = [lowerer.make_tuple(tuple(left), node)] if left else []
        parts += [
            operand if items is None else lowerer.make_tuple(items, node)
            for operand, items in zip(operands[first:], parts_of[first:], strict=True)
        ]
        return named + _with_more(lowerer, len(names) - len(named), parts, node)
    after = [part for each in parts_of[first + 1 :] for part in each or ()]
    free = names[len(before) :]
    if None in parts_of[first + 1 :] or len(after) > len(free):
        return None
    defaults = [] if after else [taken.defaults[name] for name in free if name in taken.defaults]
    required = len(free) - len(after) - len(defaults)
    numbers = list(itertools.takewhile(_is_number, defaults))  # what has None or a text may be given none
    return before + _items_of(lowerer, operands[first], required, numbers, node) + after


def _is_number(default: Operand) -> bool:
    value = default.value if isinstance(default, Const) else None
    return isinstance(value, int | float | complex | np.number) and not isinstance(value, bool)


def _items_of(
    lowerer: Lowerer, items: Operand, count: int, defaults: list[Operand], node: ast.Call
) -> list[Operand]:
    """So many items of an array or a list, and more for parameters with defaults."""
    most = count + len(defaults)
    number = f"{count} to {most}" if defaults else f"{count}"
    message = Const(f"it takes {number} positional arguments here")
    lowerer.inline(of_items.expect_between, (items, Const(count), Const(most), message), {}, node)
    made: list[Operand] = [lowerer.apply(operator.getitem, (items, Const(k)), node) for k in range(count)]
    return made + [
        lowerer.inline(of_items.argument_or, (items, Const(k), default), {}, node)
        for k, default in enumerate(defaults, count)
    ]


def _with_more(lowerer: Lowerer, count: int, parts: Sequence[Operand], node: ast.Call) -> list[Operand]:
    """So many items of the parts together, and the tuple of the others for `*args`."""
    whole = joined(lowerer, parts, node)
    rest: Operand = whole
    if count:
        message = Const(f"it takes {count} positional arguments or more here")
        lowerer.inline(of_items.expect_from, (whole, Const(count), message), {}, node)
        rest = lowerer.inline(of_items.items_from, (whole, Const(count)), {}, node)
    assert isinstance(rest, Value)
    lowerer.context.tuples.add(rest)
    return [
        *(lowerer.apply(operator.getitem, (whole, Const(k)), node) for k in range(count)),
        Const(More(rest)),
    ]


def spread_whole(lowerer: Lowerer, function: Operand, node: ast.Call) -> Operand | None:
    """Lower `max(*items)`, `min(*items)` and `math.hypot(*items)` where the run decides how many items there are; None for others."""
    called = function.value if isinstance(function, Const) else None
    if called not in (max, min, math.hypot) or len(node.args) != 1 or node.keywords:
        return None
    (arg,) = node.args
    if not isinstance(arg, ast.Starred):
        return None
    operand = opened(lowerer, arg.value)
    known = _items_known(lowerer, operand, node)
    if known is not None:
        return lowerer.call(function, tuple(known), {}, node)
    if called is math.hypot:
        return lowerer.inline(of_items.hypotenuse, (operand,), {}, node)
    return lowerer.inline(of_items.extreme, (function, operand), {}, node)


def parameters_of(function: Operand) -> Taken | None:
    """The positional parameters of a function, of a class those of its `__init__`; None for what does not say them."""
    thing: Any = function.value if isinstance(function, Const) else None
    if isinstance(thing, Bound) and isinstance(thing.function, Const):
        found = parameters_of(thing.function)
        if found is None:
            return None
        names = [each for each in found.names[len(thing.args) :] if each not in thing.keywords]
        return Taken(names, found.defaults, found.takes_more)
    if isinstance(thing, Inner):
        arguments = thing.node.args
        names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
        return Taken(names, thing.defaults, arguments.vararg is not None)
    thing = getattr(thing, "py_func", thing)
    if isinstance(thing, np.ufunc):
        return Taken([f"x{place}" for place in range(thing.nin)], {}, takes_more=False)
    owner = getattr(thing, "__self__", None)
    if owner is not None and (known := object_of(owner)) is not None:
        given = getattr(known[0](owner), "names", None)  # of a distribution of scipy.stats
        return None if given is None else Taken(["x", *given], OF_DISTRIBUTIONS, takes_more=False)
    thing = meaning_of(thing) or thing
    has_text = inspect.isfunction(thing) or inspect.ismethod(thing) or isinstance(thing, type)
    if thing is None or (not has_text and thing not in (math.atan2, math.pow)):
        return None
    try:
        parameters = [*inspect.signature(thing).parameters.values()]
    except ValueError:  # a class of C says nothing
        return None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    plain = [each for each in parameters if each.kind in kinds]
    defaults = {
        each.name: wrap(each.default) for each in plain if each.default is not inspect.Parameter.empty
    }
    more = any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters)
    if more and is_primitive(thing):
        return None
    return Taken([each.name for each in plain], defaults, more)
