"""Lower calls of library functions that have no rule, by the Python function with which Numba compiles such a call.

Which function that is depends on the types of the arguments. Therefore the call is first lowered as a node; when the
types are known, a later round of lowering inlines the implementation in its place.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from backsweep.dispatch.dispatchers import is_vectorised
from backsweep.frontend.arrays.from_lists import arrays_of_lists, parameters_of_numpys
from backsweep.frontend.calls.inlining import inline
from backsweep.frontend.calls.primitives import plain_operands, primitive, stored_in
from backsweep.frontend.constructs.kinds import asked_type, know_type, local_type
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.rounds import Implementation, Waiting
from backsweep.frontend.context.scope import known_elements, known_object
from backsweep.ir.nodes import Apply, Const, Operand, Value, is_none
from backsweep.ir.operations import Kind, Need, is_random, operation
from backsweep.ir.types import NONE, Array, Scalar, Tuple, Type, is_float
from backsweep.ir.walk import operands as operands_of
from backsweep.reading.names import has_rule, is_own
from backsweep.runtime.overloads.texts import ALONE
from backsweep.typing.implementations import implementation, literal
from backsweep.typing.infer import UNREACHED, from_numba, has_numbers, to_numba
from backsweep.typing.typing_cache import type_of_result


def library_call(
    lowerer: Lowerer, function: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.expr
) -> Operand:
    """Lower a call of a library function: to the text of its implementation if that is known, else to a node."""
    args, keywords = _as_called(function, args, keywords)
    if function is np.ravel:
        args, keywords = _in_rows(lowerer, args, keywords, node)
    is_known = isinstance(function, Hashable)
    if is_known:
        args, keywords = arrays_of_lists(lowerer, function, args, node), _without_defaults(function, keywords)
        args = _with_an_axis(lowerer, function, args, keywords, node)
    is_sure = is_known and function in ALONE
    if is_known and (found := _given_out(function, args, keywords)) is not None:
        out, args, keywords = found
        result = library_call(lowerer, function, args, keywords, node)
        return (
            result
            if is_none(out)
            else stored_in(lowerer, (known_elements(lowerer.context, out) or (out,))[0], result, node)
        )
    return expanded(lowerer, function, args, keywords, node, is_sure=is_sure) or primitive(
        lowerer, function, args, keywords, node
    )


def _with_an_axis(
    lowerer: Lowerer, function: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.expr
) -> tuple[Operand, ...]:
    """The arguments of a function of all entries with an array of one entry in place of one that is known to have no axes.

    Such a function takes an axis or None, and gets none here.
    """
    if len(args) + len(keywords) > 3 or not keywords.keys() <= {"ddof", "q"} or not _is_of_entries(function):
        return args
    needed = [each for each in parameters_of_numpys(function).values() if each.default is each.empty]
    type_ = local_type(lowerer.context, args[0]) if len(args) + ("q" in keywords) == len(needed) else None
    if not isinstance(type_, Array) or type_.ndim > 0:
        return args
    return (lowerer.apply(np.reshape, (args[0], Const((1,))), node), *args[1:])


@functools.cache
def _is_of_entries(function: Any) -> bool:
    """Whether a function of NumPy's goes through all entries of its first argument if no axis is named."""
    parameters = parameters_of_numpys(function)
    return (
        "out" in parameters
        and next(iter(parameters)) == "a"
        and "axis" in parameters
        and parameters["axis"].default is None
    )


def _in_rows(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.expr
) -> tuple[tuple[Operand, ...], Keywords]:
    """The arguments of `np.ravel`, with the transposed array in place of Fortran's order: it is a view where this is in rows."""
    given = dict(zip(("a", "order"), args, strict=False)) | dict(keywords)
    order = given.get("order")
    if set(given) != {"a", "order"} or not isinstance(order, Const) or order.value not in ("C", "F"):
        return args, keywords
    type_ = asked_type(lowerer, given["a"], node)
    is_turned = order.value == "F" and isinstance(type_, Array) and type_.ndim > 1
    return (lowerer.apply(np.transpose, (given["a"],), node) if is_turned else given["a"],), {}


def _given_out(
    function: Any, args: tuple[Operand, ...], keywords: Keywords
) -> tuple[Operand, tuple[Operand, ...], Keywords] | None:
    """The array that the result of a function of NumPy's goes to, and the call without it; None where there is none, and of ufuncs."""
    parameters = parameters_of_numpys(function)
    if "out" not in parameters:
        return None
    if "out" in keywords:
        return keywords["out"], args, {name: each for name, each in keywords.items() if name != "out"}
    names = [name for name, each in parameters.items() if each.kind is not each.KEYWORD_ONLY]
    if "out" not in names or len(args) <= (place := names.index("out")):
        return None
    behind = dict(zip(names[place + 1 :], args[place + 1 :], strict=False))
    return args[place], args[:place], behind | dict(keywords)


def _without_defaults(function: Any, keywords: Keywords) -> Keywords:
    """The keywords that say more than NumPy's defaults do."""
    parameters = parameters_of_numpys(function) if keywords else {}
    return {
        name: each
        for name, each in keywords.items()
        if not (
            name in parameters and isinstance(each, Const) and _is_same(each.value, parameters[name].default)
        )
    }


def _is_same(option: Any, default: Any) -> bool:
    return isinstance(option, bool | str | None) and type(default) is type(option) and default == option


def expanded(
    lowerer: Lowerer,
    function: Any,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.expr,
    *,
    is_sure: bool,
) -> Operand | None:
    """The operand for a call that is lowered by its implementation, or waits for it; None if it is lowered otherwise.

    With `is_sure`, the function has no other meaning in compiled code; else its calls stay calls where they can.
    """
    expansions, loc = lowerer.context.expansions, lowerer.loc(node)
    library = expansions.library
    if is_random(function) or (not is_sure and ("out" in keywords or is_own(function))):
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
    if known is None:
        known = _found(lowerer, function, args, keywords, node, is_sure=is_sure or loc in library.asked)
        if known is not None:
            expansions.known[place] = known
    if isinstance(known, Implementation):
        if known.function is None:
            return None
        found = _inlined(lowerer, known, args, keywords, node)
        if isinstance(found, Value) and found in lowerer.context.elements:
            lowerer.context.given_by[found] = function
        return found
    result = primitive(lowerer, function, args, keywords, node)
    if isinstance(result, Value):
        operands = dict(zip((f"{k}" for k in range(len(args))), args, strict=True)) | dict(keywords)
        given = tuple(operands_of(lowerer.builder.current.nodes[-1]))
        called = _name_of(lowerer, function, node)
        expansions.waiting[result] = Waiting(place, function, operands, given, {}, called, is_sure)
    return result


def _as_called(
    function: Any, args: tuple[Operand, ...], keywords: Keywords
) -> tuple[tuple[Operand, ...], Keywords]:
    """The arguments of a call of NumPy as rules have them: the array first, NumPy's dtypes in place of `float` and `int`."""
    owner = getattr(function, "__objclass__", None)
    module: str = getattr(function, "__module__", None) or getattr(owner, "__module__", None) or ""
    if module.partition(".")[0] != "numpy":
        return args, keywords
    if not args and "a" in keywords and not isinstance(function, np.ufunc):
        args, keywords = (keywords["a"],), {name: each for name, each in keywords.items() if name != "a"}
    named = {name: _as_dtype(each, is_dtype=name == "dtype") for name, each in keywords.items()}
    return tuple(_as_dtype(each, is_dtype=False) for each in args), named


def _as_dtype(operand: Operand, *, is_dtype: bool) -> Operand:
    if not isinstance(operand, Const):
        return operand
    value = operand.value
    if any(value is each for each in (float, int, complex, bool)):
        return Const(np.dtype(value).type)
    if is_dtype and isinstance(value, str):
        try:
            return Const(np.dtype(value).type)
        except TypeError:  # NumPy has no such dtype, as Numba says on the user's line
            return operand
    return operand


def _found(
    lowerer: Lowerer,
    function: Any,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.expr,
    *,
    is_sure: bool,
) -> Implementation | None:
    """The implementation of a call, if the types of its arguments are known from the operands that they are computed from."""
    context, named = lowerer.context, tuple(keywords.items())
    operands = (*args, *keywords.values())
    kinds = [local_type(context, operand) for operand in operands]
    given: list[Any] = []
    for operand, kind in zip(operands, kinds, strict=True):
        constant = known_object(context, operand)
        if constant is not None:
            given.append(literal(constant[0]))
        elif (isinstance(kind, Scalar | Array) and has_numbers(kind)) or (
            isinstance(kind, Tuple) and kind.cls is None
        ):
            given.append(to_numba(kind))
        else:
            return None
    if UNREACHED in given:
        return None
    call = Apply(lowerer.builder.value(loc=lowerer.loc(node)), function, args, lowerer.loc(node), named)
    result = type_of_result(call, lambda operand: local_type(context, operand))
    if result is None and (not is_sure or is_vectorised(function)):
        return None
    called = _name_of(lowerer, function, node)
    types = tuple(from_numba(type_) for type_ in given)
    return choose_implementation(
        function, called, operands, given, types, tuple(keywords), result, is_sure=is_sure
    )


def choose_implementation(
    function: Any,
    called: str,
    operands: Sequence[Operand],
    given: Sequence[Any],
    types: tuple[Type, ...],
    names: tuple[str, ...],
    result: Type | None,
    *,
    is_sure: bool,
) -> Implementation:
    """The implementation of a call for Numba's types of its operands, `given`; the last operands have `names`.

    `types` are the same in the IR. A call that is not `is_sure` stays a call unless its result may have a derivative.
    """
    varies = any(isinstance(o, Value) and is_float(kind) for o, kind in zip(operands, types, strict=True))
    if not is_sure and not (varies and (result is None or is_float(result) or result == NONE)):
        return Implementation(None, called, reason="nothing asks for its derivative")
    count = len(operands) - len(names)
    found = implementation(
        function, given[:count], dict(zip(names, given[count:], strict=True)), _as_numba(result)
    )
    return Implementation(found.dispatcher, called, types, found.reason)


def _as_numba(type_: Type | None) -> Any:
    """Numba's type of a result, or None if it is not that of a number or an array."""
    return to_numba(type_) if isinstance(type_, Scalar | Array) else None


def _name_of(lowerer: Lowerer, function: Any, node: ast.expr) -> str:
    """The function as the program spells it, if it does so with a name; in texts of ours as programs usually do."""
    spelled = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    if lowerer.frame.fixed is None and all(part.isidentifier() for part in spelled.split(".")):
        return spelled
    name: str = getattr(function, "__name__", "function")
    return f"np.{name}" if getattr(function, "__module__", None) == "numpy" else name


def _has_no_rule(function: Any, written: frozenset[Any] | None) -> bool:
    """Whether no pass knows the function, so that its calls have no derivative."""
    if written is None or has_rule(function) or function in written:
        return False
    facts = operation(function)
    return facts.kind is Kind.OTHER and facts.need is not Need.ASKED and not isinstance(function, type)


def _inlined(
    lowerer: Lowerer, known: Implementation, args: tuple[Operand, ...], keywords: Keywords, node: ast.expr
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
