"""Refuse floats that are computed from the bits of floats: they vary with these, and no derivative says how.

`x.view(np.int64)` has no derivative, as whole numbers have none, and a comparison or a sign bit that is read from it is right
without. But bits that become a float again, as in the fast inverse square root, are a function of `x` whose slope would be lost.
"""

from __future__ import annotations

from collections.abc import Iterable

from backsweep.analysis.activity import flows
from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.diagnostics import Problem, Problems, UnsupportedError
from backsweep.ir.nodes import Apply, Function, Operand, Value
from backsweep.ir.operations import Kind, operation
from backsweep.ir.types import Array, Scalar, Type, is_float, names_memory
from backsweep.ir.walk import operands, walk
from backsweep.rules.declare import Constant
from backsweep.rules.matching import is_constant, matched
from backsweep.runtime.memory import number_seen_as, seen_as
from backsweep.runtime.support.marks import seen_as_view, stop_gradient

FORGET = frozenset({Kind.COMPARISON, Kind.EXTENT})
"""What functions are told of bits without computing with them."""


def refuse_bits_as_floats(function: Function, varied: frozenset[Value]) -> None:
    """Raise UnsupportedError where a float is computed from the bits of a float that varies."""
    nodes = list(walk(function.body))
    seen = [node for node in nodes if isinstance(node, Apply) and node.function in (seen_as, number_seen_as)]
    if not seen:
        return
    aliases = find_aliases(function)
    back = [(target, source) for node in nodes for source, target in flows(node, is_constant)]
    seen = [node for node in seen if not varied.isdisjoint(_reached(node.operands[:1], back, aliases))]
    edges = [(source, target) for node in nodes for source, target in flows(node, _forgets)]
    reached = _reached([node.result for node in seen], edges, aliases)
    problems = Problems()
    for node in nodes:
        if not isinstance(node, Apply) or not is_float(node.result.type) or _forgets(node):
            continue
        if node in seen or any(each in reached and not is_float(_type(each)) for each in operands(node)):
            message = "a float is computed from the bits of a float, which have no derivative"
            remedy = "compute it by arithmetic (np.frexp, np.log2), or keep the bits constant: bs.stop_gradient(x).view(np.int64)"
            problems.add(UnsupportedError, Problem("BS208", message, node.loc, remedy))
    problems.report()


def _forgets(node: Apply) -> bool:
    """Whether the result says of the operands' bits at most how they compare."""
    if node.function in (seen_as, number_seen_as, seen_as_view):
        return False
    if operation(node.function).kind in FORGET or node.function is stop_gradient:
        return True
    rule = matched(node)
    return isinstance(rule, Constant) and node.result.type in (Scalar("bool"), None)


def _type(operand: Operand) -> Type | None:
    return operand.type if isinstance(operand, Value) else None


def _reached(
    start: Iterable[Operand], edges: list[tuple[Operand, Operand]], aliases: Aliases
) -> frozenset[Value]:
    """The values to which the edges lead, with all arrays that may share memory with one of these."""
    members: dict[Value, list[Value]] = {}
    for each in filter(aliases.in_memory, aliases.leader):
        members.setdefault(aliases.of(each), []).append(each)
    follow: dict[Operand, list[Operand]] = {}
    for source, target in edges:
        follow.setdefault(source, []).append(target)
    found: set[Value] = set()
    waiting: list[Operand] = list(start)
    while waiting:
        value = waiting.pop()
        if not isinstance(value, Value) or value in found:
            continue
        found.add(value)
        waiting += follow.get(value, ())
        if names_memory(value.type) and isinstance(value.type, Array):
            waiting += members.get(aliases.of(value), ())
    return frozenset(found)
