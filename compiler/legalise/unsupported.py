"""Refuse what differentiation cannot follow, before it starts: hidden writes, and results of unknown structure; find calls without a rule."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator, Mapping

from backsweep.analysis.activity import find_active
from backsweep.analysis.alias import Aliases, find_aliases, is_perhaps_view
from backsweep.diagnostics import Loc, Problem, Problems, UnsupportedError
from backsweep.frontend.context.dataclasses import dataclass_of
from backsweep.ir.effects import has_effect, writes_memory
from backsweep.ir.nodes import Apply, Callee, Const, Custom, For, Function, Node, Operand, Store, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import NONE, Array, List, Other, Tuple, is_float
from backsweep.ir.walk import walk
from backsweep.legalise.bit_patterns import refuse_bits_as_floats
from backsweep.rules.declare import Rule
from backsweep.rules.matching import is_constant, lacks_rule, matched
from backsweep.runtime.support.marks import stop_gradient


def perhaps_views(store: Store, aliases: Aliases, definitions: Mapping[Value, Node]) -> Iterator[Problem]:
    """Problems for writes through an array that may be a view or a copy."""
    value = store.buffer
    while value in aliases.bases:
        if is_perhaps_view(definitions.get(value)):
            message = "only the run decides whether this writes to a view or to a copy"
            remedy = "copy the array first with .copy(), or make it contiguous."
            yield Problem("BS207", message, store.loc, remedy)
        value = aliases.bases[value]


def refuse_uncountable(function: Function) -> None:
    """Raise UnsupportedError for loops over a range of floats: Python raises an error there, Numba rounds."""
    problems = Problems()
    for node in walk(function.body):
        if isinstance(node, For) and not all(map(_counts, (node.start, node.stop, node.step))):
            message = "`range` needs whole numbers and is given a float"
            remedy = "round it first, as in range(int(n)), or loop over range(len(x))."
            problems.add(UnsupportedError, Problem("BS113", message, node.loc, remedy))
    problems.report()


def refuse_unknown_writes(function: Function) -> None:
    """Raise UnsupportedError for calls that return nothing and are given arrays or lists, but for those that are known.

    They can only be there for what they write, and nothing says what that is: they would be dropped.
    """
    problems = Problems()
    for node in walk(function.body):
        if (
            isinstance(node, Apply)
            and node.result.type == NONE
            and not isinstance(node.function, Callee | Custom)
        ):
            operands = (*node.operands, *(operand for _, operand in node.keywords))
            if not has_effect(node) and any(isinstance(type_of(each), Array | List) for each in operands):
                message = (
                    f"`{_name(node)}` returns nothing, and what it writes into its arguments is not known"
                )
                remedy = "call a function that returns the array, and write a[...] = values."
                problems.add(UnsupportedError, Problem("BS109", message, node.loc, remedy))
    problems.report()


def _counts(operand: Operand) -> bool:
    """Whether a range accepts the operand: it is not a float."""
    return not is_float(type_of(operand))


def refuse_unsupported(function: Function, varied: frozenset[Value]) -> None:
    """Raise UnsupportedError for every call whose effect or result the reverse sweep could not account for."""
    problems = Problems()
    for node in walk(function.body):
        if not isinstance(node, Apply):
            continue
        if _is_stopped_memory(node, varied):
            message = (
                "this stops the gradient of an array that is written and has another name with a gradient"
            )
            remedy = "use a copy: bs.stop_gradient(a.copy())."
            problems.add(UnsupportedError, Problem("BS207", message, node.loc, remedy))
        message, remedy = (
            _hidden_write(node) or _opaque_result(node, varied) or _taken_tuple(node, varied) or ("", "")
        )
        if message:
            problems.add(UnsupportedError, Problem("BS208", message, node.loc, remedy))
    problems.report()
    refuse_bits_as_floats(function, varied)


def calls_without_rule(function: Function, wrt: Collection[str]) -> set[Loc]:
    """The places of calls for which no rule stands as they are, and of which a derivative by variables is asked; of parameters among these, else by all."""
    floats = [each for each in function.body.parameters if is_float(each.type)]
    asked = [each for each in floats if each.name in wrt] or floats
    active = find_active(function, asked, find_aliases(function), is_constant).active
    return {node.loc for node in walk(function.body) if lacks_rule(node, active)}


def _is_stopped_memory(node: Apply, varied: frozenset[Value]) -> bool:
    """Whether the result is stopped but may share memory that has a derivative."""
    return node.function is stop_gradient and isinstance(node.result.type, Array) and node.result in varied


def _name(node: Apply) -> str:
    return getattr(node.function, "__name__", str(node.function))


def _hidden_write(node: Apply) -> tuple[str, str] | None:
    if not writes_memory(node):
        return None
    return (
        f"`{_name(node)}` writes into its argument, which cannot be differentiated",
        "write `a[...] = values`.",
    )


def _opaque_result(node: Apply, varied: frozenset[Value]) -> tuple[str, str] | None:
    """A result that depends on what is differentiated and that is neither number, array nor known tuple."""
    operands = (*node.operands, *(operand for _, operand in node.keywords))
    if not any(operand in varied for operand in operands) or node.function is tuple:
        return None
    type_ = node.result.type
    is_opaque = isinstance(type_, Other) and type_.text not in ("none", "undefined")
    is_unknown_tuple = isinstance(type_, Tuple) and is_float(type_) and node.function is not type_.cls
    # a function with a derivative of its own stays a call in its forward function, and a `Custom` takes what it returns
    if not (is_opaque or is_unknown_tuple) or _is_understood(node) or hasattr(node.function, "defvjp"):
        return None
    return f"the result of `{_name(node)}` cannot be differentiated", "use functions from docs/rules.md."


def _taken_tuple(node: Apply, varied: frozenset[Value]) -> tuple[str, str] | None:
    """A tuple where a rule has an array: the rule's formula would find nothing in it, and the derivative would be zero."""
    rule = matched(node)
    if not isinstance(rule, Rule) or isinstance(node.function, Callee | Custom):
        return None
    for operand in (*node.operands, *(operand for _, operand in node.keywords)):
        if operand in varied and isinstance(type_of(operand), Tuple) and is_float(type_of(operand)):
            message = f"`{_name(node)}` is given a tuple of what is differentiated by, and has a derivative for arrays"
            return message, "make an array of it first: np.array(...)"
    return None


def _is_understood(node: Apply) -> bool:
    """Whether the call has a rule, or its result does not depend on the operands' entries (a dtype, a shape)."""
    if isinstance(node.function, Callee | Custom):
        return True
    return node.function in (getattr, operator.getitem) or matched(node) is not None


def refuse_result(primal: Function) -> None:
    """Raise UnsupportedError if the result is or holds what compiled code cannot hand out: a dataclass, a function, a class."""
    _refuse_dataclass(primal)
    _refuse_callable(primal)


def _refuse_dataclass(primal: Function) -> None:
    """Raise UnsupportedError if the result holds a dataclass, which compiled code would hand out as a namedtuple."""
    waiting = [type_of(operand) for operand in primal.body.yields]
    while waiting:
        type_ = waiting.pop()
        if not isinstance(type_, Tuple):
            continue
        waiting.extend(type_.items)
        made = dataclass_of(type_.cls)
        if made is not None:
            message = f"`{primal.name}` returns an object of the dataclass `{made.__name__}`"
            remedy = "return its fields as a tuple or a namedtuple."
            raise UnsupportedError(Problem("BS106", message, primal.loc, remedy))


def _refuse_callable(primal: Function) -> None:
    """Raise UnsupportedError if the result is or holds a function or a class, which compiled code cannot hand out."""
    made = {node.result: node for node in primal.body.nodes if isinstance(node, Apply)}
    waiting = list(primal.body.yields)
    while waiting:
        operand = waiting.pop()
        if isinstance(operand, Const) and callable(operand.value):
            name = getattr(operand.value, "__name__", type(operand.value).__name__)
            message = (
                f"`{primal.name}` returns `{name}`, a function or a class, which only exists while compiling"
            )
            remedy = "return numbers, arrays and tuples of them."
            raise UnsupportedError(Problem("BS106", message, primal.loc, remedy))
        if isinstance(operand, Value) and isinstance(operand.type, Tuple) and operand in made:
            waiting.extend(made[operand].operands)
