"""Lower calls of library functions that have no rule, by the Python function with which Numba compiles such a call.

Which function that is depends on the types of the arguments. Therefore the call is first lowered as a node; when the
types are known, a later round of lowering inlines the implementation in its place.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from backsweep.frontend.calls.inlining import inline
from backsweep.frontend.calls.primitives import plain_operands, primitive
from backsweep.frontend.constructs.kinds import know_type
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.rounds import Implementation, Waiting
from backsweep.ir.nodes import Operand, Value
from backsweep.ir.operations import Kind, Need, is_random, operation
from backsweep.ir.walk import operands as operands_of
from backsweep.reading.names import has_rule

Unexpanded = Callable[[], Operand]
"""Lowers a call without the help of an implementation, or refuses it."""


def library_call(
    lowerer: Lowerer, function: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower a call of a library function: to the text of its implementation if that is known, else to a node."""
    return expanded(lowerer, function, args, keywords, node, is_sure=False) or primitive(
        lowerer, function, args, keywords, node
    )


def expanded(
    lowerer: Lowerer,
    function: Any,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.Call,
    *,
    is_sure: bool,
) -> Operand | None:
    """The operand for a call that is lowered by its implementation, or waits for it; None if it is lowered otherwise.

    With `is_sure`, the function has no other meaning in compiled code; else its calls stay calls where they can.
    """
    expansions, loc = lowerer.context.expansions, lowerer.loc(node)
    library = expansions.library
    if is_random(function) or "out" in keywords:
        return None
    library.calls.add(loc)
    if loc in library.refused:
        return None
    if not is_sure and loc not in library.asked and not _has_no_rule(function, library.written):
        return None
    args = plain_operands(lowerer, args, node)
    keywords = dict(zip(keywords, plain_operands(lowerer, tuple(keywords.values()), node), strict=True))
    place = expansions.place(loc)
    known = expansions.known.get(place)
    if isinstance(known, Implementation):
        return None if known.function is None else _inlined(lowerer, known, args, keywords, node)
    result = primitive(lowerer, function, args, keywords, node)
    if isinstance(result, Value):
        operands = dict(zip((f"{k}" for k in range(len(args))), args, strict=True)) | dict(keywords)
        given = tuple(operands_of(lowerer.builder.current.nodes[-1]))
        called = _name_of(function, node)
        expansions.waiting[result] = Waiting(place, function, operands, given, {}, called, is_sure)
    return result


def _name_of(function: Any, node: ast.Call) -> str:
    """The function as the program spells it, if it does so with a name."""
    spelled = ast.unparse(node.func)
    is_name = all(part.isidentifier() for part in spelled.split("."))
    return spelled if is_name else getattr(function, "__name__", "function")


def _has_no_rule(function: Any, written: frozenset[Any]) -> bool:
    """Whether no pass knows the function, so that its calls have no derivative."""
    if has_rule(function) or function in written:
        return False
    facts = operation(function)
    return facts.kind is Kind.OTHER and facts.need is not Need.ASKED and not isinstance(function, type)


def _inlined(
    lowerer: Lowerer, known: Implementation, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower the implementation in place of the call; the types of its arguments decide branches."""
    lowerer.context.expansions.library.looked_at[lowerer.loc(node)] = known
    operands = (*args, *keywords.values())
    typed = tuple(
        know_type(lowerer, operand, type_, node)
        if isinstance(operand, Value) and operand not in lowerer.context.types
        else operand
        for operand, type_ in zip(operands, known.types, strict=True)
    )
    named = dict(zip(keywords, typed[len(args) :], strict=True))
    return inline(lowerer, known.function, typed[: len(args)], named, node, called=known.called)
