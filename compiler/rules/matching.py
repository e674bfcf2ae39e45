"""Which declared rule stands for a call in typed IR."""

from __future__ import annotations

import ast
import operator
from collections.abc import Container
from typing import TypeGuard

from backsweep import rules as _families  # noqa: F401  importing the families registers their rules
from backsweep.diagnostics import Problem
from backsweep.ir.nodes import Apply, Const, Node, Operand, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar, Tuple
from backsweep.rules.declare import Constant, Rule, match
from backsweep.runtime.support.python_calls import is_opaque


def matched(node: Apply) -> Rule | Constant | None:
    """The rule or constant declared for the node's function and operands; None if there is none."""
    every = (*node.operands, *(operand for _, operand in node.keywords))
    keywords = tuple(key for key, _ in node.keywords)
    return match(
        node.function,
        tuple(map(_ndim, every)),
        keywords,
        tuple(map(_literal, every)),
        of_complex=any(map(is_complex, every)),
    )


def is_complex(operand: Operand) -> bool:
    """Whether the operand is a complex number or an array of them."""
    type_ = type_of(operand)
    return isinstance(type_, Scalar | Array) and type_.dtype.startswith("complex")


def is_constant(node: Apply) -> bool:
    """Whether the node's result carries no derivative whatever its operands."""
    if node.function in (tuple, operator.getitem) or isinstance(node.result.type, Tuple):
        return False
    return isinstance(matched(node), Constant)


def read_by_adjoint(node: Apply) -> list[Value]:
    """Of a call's operands and its result those whose values its adjoint reads; all where no rule says so."""
    found = matched(node)
    given = (*node.operands, *(operand for _, operand in node.keywords))
    values = [each for each in (*given, node.result) if isinstance(each, Value)]
    if isinstance(found, Constant):
        return []
    places = None if found is None else found.bind(len(node.operands), [key for key, _ in node.keywords])
    if found is None or places is None or found.variadic:
        return values
    meant = dict(zip((found.parameters[place] for place in places), given, strict=True))
    read = {
        each.id
        for parameter, adjoint in zip(found.differentiated, found.adjoints, strict=True)
        if adjoint is not None and isinstance(meant.get(parameter), Value)
        for each in ast.walk(adjoint)
        if isinstance(each, ast.Name)
    }
    for name in found.results:
        meant[name] = node.result
    return [each for name, each in meant.items() if name in read and isinstance(each, Value)]


def lacks_rule(node: Node, active: Container[Value]) -> TypeGuard[Apply]:
    """Whether the node is a call of which a derivative is asked, and no rule stands for it, as it is."""
    return (
        isinstance(node, Apply)
        and node.result in active
        and isinstance(node.result.type, Array | Scalar)
        and matched(node) is None
    )


def no_rule(node: Apply) -> Problem:
    """What to tell of a call for which no rule stands."""
    name = getattr(node.function, "__name__", str(node.function))
    module = getattr(node.function, "__module__", None)
    full = f"{module}.{name}" if module else name
    kind = "complex numbers" if any(map(is_complex, node.operands)) else "these arguments"
    remedy = "write it with functions from docs/rules.md, or wrap it in bs.stop_gradient if it is a constant."
    if is_opaque(node.function):
        remedy = "give it a derivative with bs.rule, or call it in a bs.custom_vjp; bs.stop_gradient if it is a constant."
    if any(key == "axis" and isinstance(operand, Value) for key, operand in node.keywords):
        remedy = f"write the number of the axis, as in np.{name}(x, axis=0), or loop over it: for axis in range(2)."
    if "random" in f"{type(getattr(node.function, '__self__', None)).__name__} {module}".lower():
        remedy = "draw with constant parameters; those that shift and scale what is drawn may vary, as in np.random.normal(m, s)."
        if module == "random":
            remedy = "draw with constant parameters, then shift and scale: m + s * random.gauss(0.0, 1.0)."
    if type(node.function).__name__ == "_Intrinsic":
        message = f"`{name}` is an `@intrinsic`: Numba writes machine instructions for it, which have no text"
        return Problem("BS202", message, node.loc, "call a function that is written in Python instead.")
    return Problem(
        "BS202",
        f"`{full}` has no derivative rule for {kind}",
        node.loc,
        remedy,
    )


def refused(node: Apply, rule: Rule, varying: Container[Value]) -> Problem | None:
    """The problem of a call with a varying operand for which the derivative is not known; None if there is none."""
    if not rule.refused:
        return None
    operands = (*node.operands, *(operand for _, operand in node.keywords))
    places = rule.bind(len(node.operands), [key for key, _ in node.keywords]) or ()
    for place, operand in zip(places, operands, strict=True):
        parameter = rule.parameters[place]
        if parameter in rule.refused and isinstance(operand, Value) and operand in varying:
            given = f" (`{operand.name}`)" if operand.name else ""
            message = (
                f"`{getattr(node.function, '__name__', rule.name)}` has no derivative with respect to"
                f" its argument `{parameter}`{given}: {rule.refused[parameter]}"
            )
            remedy = f"keep it constant, as in bs.stop_gradient({operand.name or parameter}), or give the call a derivative of your own with bs.custom_vjp."
            return Problem("BS215", message, node.loc, remedy)
    return None


def _ndim(operand: Operand) -> int | None:
    match type_of(operand):
        case Scalar():
            return 0
        case Array(ndim=ndim):
            return ndim
        case _:
            return None


def _literal(operand: Operand) -> object | None:
    return operand.value if isinstance(operand, Const) else None
