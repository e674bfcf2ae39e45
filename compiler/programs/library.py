"""Find the implementations of library calls that wait for types, between two rounds of lowering."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backsweep.frontend.context.rounds import Expansions, Implementation, Waiting
from backsweep.ir.nodes import Apply, Const, Node, Operand, Value
from backsweep.ir.types import NONE, is_float
from backsweep.legalise.library.expand import REWRITES
from backsweep.typing.implementations import implementation, literal
from backsweep.typing.infer import UNREACHED, from_numba

WRITTEN = frozenset(REWRITES)
"""The functions whose calls a pass writes in the core language."""


def settle_library_calls(
    waiting: Mapping[Value, Waiting],
    made: Mapping[Value, Node],
    types: Mapping[Any, Any],
    expansions: Expansions,
) -> None:
    """Note the implementation of each library call whose types are known; if none is known, that no call has one."""
    calls = {value: call for value, call in waiting.items() if call.called}
    found = {value: _found(value, call, made[value], types, expansions) for value, call in calls.items()}
    if not any(found.values()):
        unknown = "the types of its arguments are not known"
        found = {
            value: each or Implementation(None, calls[value].called, reason=unknown)
            for value, each in found.items()
        }
    for value, each in found.items():
        if each is not None:
            expansions.known[calls[value].place] = each


def _found(
    value: Value, call: Waiting, node: Node, types: Mapping[Any, Any], expansions: Expansions
) -> Implementation | None:
    """The implementation of a call; None if the types of its operands are not known yet."""
    assert isinstance(node, Apply)
    operands = (*node.operands, *(operand for _, operand in node.keywords))
    given = [_type(operand, types) for operand in operands]
    if UNREACHED in given:
        return None
    is_asked = call.is_sure or call.place[0] in expansions.library.asked
    kinds = tuple(map(from_numba, given))
    varies = any(isinstance(o, Value) and is_float(kind) for o, kind in zip(operands, kinds, strict=True))
    result = types.get(value, UNREACHED)
    if not is_asked and not (varies and _differentiable(result)):
        return Implementation(None, call.called, reason="nothing asks for its derivative")
    count = len(node.operands)
    names = [name for name, _ in node.keywords]
    found = implementation(call.function, given[:count], dict(zip(names, given[count:], strict=True)))
    return Implementation(found.dispatcher, call.called, kinds, found.reason)


def _type(operand: Operand, types: Mapping[Any, Any]) -> Any:
    """Numba's type of an operand, with the value of a literal."""
    return literal(operand.value) if isinstance(operand, Const) else types.get(operand, UNREACHED)


def _differentiable(result: Any) -> bool:
    """Whether a result of the type has a derivative, or the call is made for what it writes."""
    kind = from_numba(result)
    return result is UNREACHED or is_float(kind) or kind == NONE
