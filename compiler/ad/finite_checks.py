"""Write checks into derivatives: the first contribution or tangent that is not finite raises an error with its place."""

from __future__ import annotations

import operator
from collections.abc import Mapping

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, If, Node, Operand, Raise, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, INT, Array, Scalar, is_float
from backsweep.runtime.support.marks import entry, first_not_finite


def check_finite(
    builder: Builder,
    node: Apply,
    operand: Value,
    contribution: Operand,
    involved: Mapping[str, Operand],
    kind: tuple[str, str] = ("adjoint", "bar"),
) -> None:
    """Raise FloatingPointError, when it runs, for a contribution to an operand's adjoint that is nan or infinite.

    The error's arguments are the text, then names and values: of the contribution and of what it was computed from.
    Of arrays it is the entry at the first such place.
    """
    if isinstance(contribution, Const):
        return
    loc = node.loc
    place = f"{loc.file}:{loc.line}: `{loc.statement}`" if loc.statement else f"{loc.file}:{loc.line}"
    what, mark = kind
    whose = f"the {what} of `{operand.name}`" if operand.name else f"{'an' if what[0] == 'a' else 'a'} {what}"
    bar = f"{operand.name}_{mark}" if operand.name else "it"
    if isinstance(operand.type, Array) or isinstance(node.result.type, Array):
        at = builder.apply(first_not_finite, contribution, type=INT)
        wrong = builder.apply(operator.ge, at, Const(0), type=BOOL)
    else:
        at = None
        finite = builder.apply(np.isfinite, contribution, type=BOOL)
        wrong = builder.apply(operator.not_, finite, type=BOOL)
    with builder.block() as stop:
        message: list[Operand] = [Const(f"{place}: {whose} is not finite")]
        for label, value in {bar: contribution, **involved}.items():
            shown = _entry(builder, value, at)
            if shown is not None:
                message += [Const(label), shown]
        stopping: Node = Raise(Const(FloatingPointError), tuple(message), loc)
        builder.add(stopping)
    builder.add(If(wrong, stop.finish(), Block((), (), ()), (), loc))


def check_tangent(builder: Builder, node: Apply, dot: Operand, dots: Mapping[Value, Operand]) -> None:
    """Write a check that raises FloatingPointError if the tangent of a function's result is nan or infinite."""
    involved: dict[str, Operand] = {}
    for number, operand in enumerate(node.operands, start=1):
        if isinstance(operand, Value):
            name = operand.name or f"operand {number}"
            involved[name] = operand
            if operand in dots:
                involved[f"{name}_dot" if operand.name else f"tangent {number}"] = dots[operand]
    check_finite(builder, node, node.result, dot, involved, ("tangent", "dot"))


def _entry(builder: Builder, value: Operand, at: Operand | None) -> Operand | None:
    """The operand if it is a number, its entry at the place if it is an array; None for anything else."""
    type_ = type_of(value)
    if isinstance(type_, Scalar) or (type_ is None and at is None):
        return value
    if at is not None and (type_ is None or (isinstance(type_, Array) and is_float(type_))):
        return builder.apply(entry, value, at)
    return None
