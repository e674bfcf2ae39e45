"""Take some items of generators, which may be endless: by `next`, `in`, `itertools.islice` and `itertools.takewhile`."""

from __future__ import annotations

import ast
import itertools

from backsweep.frontend.constructs.comprehensions import decided, generated, loops
from backsweep.frontend.constructs.iterators import next_item
from backsweep.frontend.context.inner_text import placed_at, run_and_assign, statements_of
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.ir.nodes import Const, Operand, is_none

ERROR, DEFAULT, SOUGHT = ".stop", ".default", ".sought"
"""Hidden variables: what is raised where a generator has no item, what `next` gives there, and what `in` looks for."""


def next_of(lowerer: Lowerer, node: ast.Call) -> Operand:
    """Lower `next(items)` and `next(items, default)`: of a generator, which nobody else has, the loop ends at the first item."""
    found = generated(lowerer, node.args[0]) if 1 <= len(node.args) <= 2 and not node.keywords else None
    if found is None:
        return next_item(lowerer, (), dict.fromkeys(map(str, node.args[1:])), node)
    items, hidden = found
    last: ast.stmt = ast.Raise(ast.Call(ast.Name(ERROR, ast.Load()), [], []), None)
    hidden = {**hidden, ERROR: Const(StopIteration)}
    if len(node.args) == 2:
        hidden[DEFAULT] = lowerer.lower(node.args[1])
        last = ast.Return(ast.Name(DEFAULT, ast.Load()))
    statements = [loops(items, ast.Return(items.elt)), placed_at(last, node)]
    return run_and_assign(lowerer, "next", statements, hidden, items)


def held_among(lowerer: Lowerer, item: Operand, node: ast.expr) -> Operand | None:
    """Lower `item in generator`: the loop ends at an item that is equal; None for what is no generator."""
    found = generated(lowerer, node)
    if found is None:
        return None
    items, hidden = found
    equal = ast.Compare(items.elt, [ast.Eq()], [ast.Name(SOUGHT, ast.Load())])
    asked = placed_at(ast.GeneratorExp(equal, items.generators), node)
    return decided(lowerer, asked, {**hidden, SOUGHT: item}, is_any=True)


BEGIN = """
if _start < 0 or _stop < 0 or _step < 1:
    raise _error("indices for islice() must not be negative, and its step must be positive")
_found = []
_count = 0
"""
SLICED = """
if True:
    _item = 0
    if _count >= _start and (_count - _start) % _step == 0:
        _found.append(_item)
    _count += 1
    if _count >= _stop:
        break
"""
WHILE = """
if True:
    _item = 0
    if not _predicate(_item):
        break
    _found.append(_item)
"""
"""The statements before the loop over a generator, and for each of its items, in place of the 0."""


def some_of(lowerer: Lowerer, function: object, node: ast.Call) -> Operand | None:
    """Lower `islice(generator, stop)` and `takewhile(predicate, generator)` to a loop that ends there; None for other calls."""
    is_slice, is_while = function is itertools.islice, function is itertools.takewhile
    if not (is_slice or is_while) or node.keywords or len(node.args) < 2:
        return None
    given = [each for each in node.args if not isinstance(each, ast.Starred)]
    found = generated(lowerer, given[0] if is_slice else given[1]) if len(given) == len(node.args) else None
    if found is None:
        return None
    items, hidden = found
    if len(items.generators) > 1:
        return None
    if is_slice:
        bounds = [lowerer.lower(each) for each in given[1:]]
        start, stop, step = (
            (*bounds, *[Const(None)] * (3 - len(bounds)))[:3]
            if len(bounds) > 1
            else (Const(0), *bounds, Const(1))
        )
        if is_none(stop):
            message = "`islice` has no end, and the generator may have none"
            raise lowerer.refuse("BS114", message, node, "give it an end, as in islice(items, 2, 10)")
        hidden = {
            **hidden,
            ".start": Const(0) if is_none(start) else start,
            ".stop": stop,
            ".step": Const(1) if is_none(step) else step,
            ".error": Const(ValueError),
        }
    else:
        hidden = {**hidden, ".predicate": lowerer.lower(given[0])}
    begin = statements_of(BEGIN if is_slice else "_found = []", node)
    (each,) = statements_of(SLICED if is_slice else WHILE, node)
    assert isinstance(each, ast.If)
    assert isinstance(each.body[0], ast.Assign)
    each.body[0].value = items.elt
    loop: ast.stmt = loops(items, each)
    if is_slice:
        (asked,) = statements_of("if _stop > 0:\n    pass", node)
        assert isinstance(asked, ast.If)
        asked.body, loop = [loop], asked
    statements = [*begin, loop, *statements_of("return _found", node)]
    return run_and_assign(lowerer, "items", statements, hidden, items)
