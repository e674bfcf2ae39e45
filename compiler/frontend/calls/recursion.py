"""Lower calls of recursive functions: they stay calls of a pure function, which has a program of its own.

If the user's function writes to its arguments, the pure function returns their new contents, and the caller stores them.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Mapping

from backsweep.frontend.constructs.namedtuples import make_namedtuple
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.rounds import Recursion, Waiting
from backsweep.frontend.context.scope import Inner, is_static, known_elements
from backsweep.ir.build import christen
from backsweep.ir.nodes import Const, Dots, Operand, Value
from backsweep.ir.types import NONE, Fixed, Tuple, Type
from backsweep.reading.functions import Source
from backsweep.typing.stubs import typing_stub


def recursive_call(
    lowerer: Lowerer,
    source: Source,
    bound: Mapping[str, Operand],
    node: ast.AST,
) -> Operand:
    """Lower a call of a recursive function: to a call of its program if that is known, else to a node that Numba can type."""
    definition, expansions = source.node, lowerer.context.expansions
    place = expansions.place(lowerer.loc(node))
    known = expansions.known.get(place)
    if isinstance(known, Recursion):
        return _expanded(lowerer, known, bound, node)
    operands: dict[str, Operand | tuple[Operand, ...]] = {}
    fixed: dict[str, object] = {}
    given: list[Operand] = []
    keywords: dict[str, Operand] = {}
    extra = definition.args.vararg
    for name in source.parameters:
        operand = bound[name]
        if extra is not None and name == extra.arg:
            items = known_elements(lowerer.context, operand) or ()
            operands[name] = items
            given += items
            continue
        if _is_object(operand):
            assert isinstance(operand, Const)
            fixed[name] = operand.value
            operand = _object(lowerer, operand, name, node)
        else:
            operands[name] = operand
        if extra is not None and name in [argument.arg for argument in definition.args.kwonlyargs]:
            keywords[name] = operand
        else:
            given.append(operand)
    result = lowerer.apply(
        typing_stub(source.function, expansions.typing_stubs), tuple(given), node, keywords
    )
    expansions.waiting[result] = Waiting(
        place, source.function, operands, (*given, *keywords.values()), fixed, jitted=source.jitted
    )
    return result


def _is_object(operand: Operand) -> bool:
    """Whether an argument is a compile-time object that is built into the callee's code instead of being passed to it."""
    if isinstance(operand, Value):
        return False
    return operand.value is None or isinstance(operand.value, str) or is_static(operand)


def _object(lowerer: Lowerer, operand: Operand, name: str, node: ast.AST) -> Operand:
    """Give an object the form that Numba accepts; refuse objects that Numba does not know, such as inner functions."""
    assert isinstance(operand, Const)
    thing = operand.value
    if thing is None or isinstance(thing, str) or hasattr(thing, "py_func"):
        return operand
    if hasattr(thing, "__code__"):
        return Const(typing_stub(thing, lowerer.context.expansions.typing_stubs))
    what = "an inner function" if isinstance(thing, Inner) else "an object that exists only while compiling"
    message = f"the parameter `{name}` of a recursive function is given {what}"
    remedy = "pass a function that is defined at module level, and pass what it reads as arguments"
    raise lowerer.refuse("BS116", message, node, remedy)


def _expanded(lowerer: Lowerer, known: Recursion, bound: Mapping[str, Operand], node: ast.AST) -> Operand:
    """Call the pure function, store the new contents of arrays that it changes, and rebuild the structure of its result."""
    given: list[Operand] = []
    for name, type_ in known.types.items():
        given += leaves(lowerer, bound[name], type_, node)
    callee = known.callee
    if callee.changed and lowerer.context.stopped:
        message = f"`{callee.name}` calls itself and writes into an array, within `no_grad`"
        remedy = (
            "return the values instead of writing them, or call it outside `no_grad` and use bs.stop_gradient"
        )
        raise lowerer.refuse("BS116", message, node, remedy)
    whole = lowerer.apply(callee, tuple(given), node)
    count = len(callee.result.items) if isinstance(callee.result, Tuple) else 0
    parts: Iterator[Operand] = iter(
        [lowerer.apply(operator.getitem, (whole, Const(k)), node) for k in range(count)] or [whole]
    )
    result = _rebuilt(lowerer, known.result, parts, node)
    for position in callee.changed:
        array = given[position]
        part = next(parts)
        assert isinstance(array, Value)  # Numba takes no writing to a global array
        assert isinstance(part, Value)
        christen(part, array.name)
        lowerer.builder.store(array, (Dots(),), part, loc=lowerer.loc(node))
    return result


def leaves(lowerer: Lowerer, operand: Operand, type_: Type, node: ast.AST) -> Iterator[Operand]:
    """The numbers and arrays of an argument; nested tuples are flattened."""
    if not isinstance(type_, Tuple):
        if type_ != NONE and not isinstance(type_, Fixed):
            yield operand
        return
    parts = known_elements(lowerer.context, operand)
    if parts is None:
        count = range(len(type_.items))
        parts = tuple(lowerer.apply(operator.getitem, (operand, Const(k)), node) for k in count)
    for part, item in zip(parts, type_.items, strict=True):
        yield from leaves(lowerer, part, item, node)


def _rebuilt(lowerer: Lowerer, type_: Type, parts: Iterator[Operand], node: ast.AST) -> Operand:
    """Rebuild a result of the type from its flat parts, in their order."""
    if type_ == NONE:
        return Const(None)
    if not isinstance(type_, Tuple):
        return next(parts)
    items = tuple(_rebuilt(lowerer, item, parts, node) for item in type_.items)
    if type_.cls is None:
        return lowerer.make_tuple(items, node)
    return make_namedtuple(lowerer, type_.cls, items, {}, node)
