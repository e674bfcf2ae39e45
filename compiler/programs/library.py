"""Find the types that lowering waits for, and the implementations of library calls, between two of its rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backsweep.diagnostics import Problem, Problems, UnsupportedError
from backsweep.frontend.calls.library import choose_implementation
from backsweep.frontend.constructs.kinds import UNKNOWN
from backsweep.frontend.context.rounds import Expansions, Implementation, Place, Waiting
from backsweep.ir.nodes import Apply, Const, Function, Node, Operand, Value
from backsweep.ir.types import Type
from backsweep.ir.walk import programs, walk
from backsweep.legalise.library.expand import REWRITES
from backsweep.typing.implementations import intrinsic_name, literal
from backsweep.typing.infer import UNREACHED, from_numba

WRITTEN = frozenset(REWRITES)
"""The functions whose calls a pass writes in the core language."""
NO_TYPES = "the types of its arguments are not known"


def settle_types(
    waiting: Mapping[Value, Waiting],
    made: Mapping[Value, Node],
    types: Mapping[Any, Any],
    expansions: Expansions,
) -> None:
    """Note the types that are asked for, and the implementation of each library call whose types are known.

    If none is known, nothing that waits will ever be known.
    """
    found: dict[Place, Implementation | Type] = {}
    unknown: dict[Place, Implementation | Type] = {}
    for value, call in waiting.items():
        if not call.waits_for_types:
            continue
        each: Implementation | Type | None
        if call.called:
            each = _found(value, call, made, types, expansions)
            otherwise: Implementation | Type = Implementation(None, call.called, reason=NO_TYPES)
        else:
            each, otherwise = _asked_type(made[value], made, types), UNKNOWN
        (unknown if each is None else found)[call.place] = otherwise if each is None else each
    expansions.known.update(found or unknown)


def refuse_intrinsics(function: Function) -> None:
    """Raise UnsupportedError for a call of an `@intrinsic`, which plain Python cannot run."""
    problems = Problems()
    for program in programs(function):
        for node in walk(program.body):
            if isinstance(node, Apply) and intrinsic_name(node.function):
                message = f"`{node.function.__name__}` is an `@intrinsic`, which plain Python cannot run"
                remedy = "leave `jit=False` out."
                problems.add(UnsupportedError, Problem("BS202", message, node.loc, remedy))
    problems.report()


def _asked_type(node: Node, made: Mapping[Value, Node], types: Mapping[Any, Any]) -> Type | None:
    """The type of the operand of a question; None if it is not known yet."""
    assert isinstance(node, Apply)
    given = _type(node.operands[0], made, types)
    return None if given is UNREACHED else from_numba(given)


def _found(
    value: Value,
    call: Waiting,
    made: Mapping[Value, Node],
    types: Mapping[Any, Any],
    expansions: Expansions,
) -> Implementation | None:
    """The implementation of a call; None if the types of its operands are not known yet."""
    node = made[value]
    assert isinstance(node, Apply)
    operands = (*node.operands, *(operand for _, operand in node.keywords))
    given = [_type(operand, made, types) for operand in operands]
    if UNREACHED in given:
        return None
    result = types.get(value, UNREACHED)
    return choose_implementation(
        call.function,
        call.called,
        operands,
        given,
        tuple(map(from_numba, given)),
        tuple(name for name, _ in node.keywords),
        None if result is UNREACHED else from_numba(result),
        is_sure=call.is_sure or call.place[0] in expansions.library.asked,
    )


def _type(operand: Operand, made: Mapping[Value, Node], types: Mapping[Any, Any]) -> Any:
    """Numba's type of an operand, with the value of a literal or of a tuple of literals."""
    known = _constant(operand, made)
    return types.get(operand, UNREACHED) if known is None else literal(known[0])


def _constant(operand: Operand, made: Mapping[Value, Node]) -> tuple[object] | None:
    """What a constant is, or a tuple of constants, in a 1-tuple; None for what only the run knows."""
    if isinstance(operand, Const):
        return (operand.value,)
    node = made.get(operand)
    if not isinstance(node, Apply) or node.function is not tuple:
        return None
    items = [_constant(item, made) for item in node.operands]
    return None if None in items else (tuple(item[0] for item in items if item is not None),)
