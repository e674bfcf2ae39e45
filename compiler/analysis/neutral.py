"""Operands that change nothing: zeros that are added, ones that are multiplied, and what is the same operand."""

from __future__ import annotations

import math
from collections.abc import Hashable

from backsweep.ir.nodes import ZERO, Const, Operand, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar, Type


def is_of_type(operand: Operand, type_: Type | None) -> bool:
    """Whether the operand can stand for a result of the type: it has the same dtype and as many axes, both surely."""
    own = type_of(operand)
    match own, type_:
        case Scalar(one), Scalar(other):
            return one == other
        case Array(one, axes), Array(other, ndim):
            return one == other and axes == ndim
        case _:
            return False


def is_zero(operand: Operand, type_: Type | None, *, taken_away: bool = False) -> bool:
    """Whether a value of the type stays what it is when the operand is added to it, or taken away from it.

    `-0.0 + 0.0` is 0.0: of the zeros in a user's program, only -0.0 leaves every float unchanged in a sum.
    """
    if operand is ZERO:
        return True
    if not isinstance(operand, Const) or operand.name or type(operand.value) not in (int, float):
        return False
    is_negative = math.copysign(1.0, operand.value) < 0
    exact = isinstance(type_, Scalar | Array) and type_.dtype.startswith(("int", "uint", "bool"))
    return operand.value == 0 and (exact or is_negative is not taken_away)


def is_one(operand: Operand, one: float = 1.0) -> bool:
    """Whether the operand is the literal one, or the number that is given instead."""
    return (
        isinstance(operand, Const)
        and isinstance(operand.value, float)
        and operand.value == one
        and not operand.name
    )


def is_literal_integer(operand: Operand) -> bool:
    """Whether the operand is a literal integer."""
    return isinstance(operand, Const) and type(operand.value) is int and not operand.name


def operand_key(operand: Operand) -> Hashable:
    """What operands have in common that are the same value."""
    if isinstance(operand, Value):
        return operand
    try:
        hash(operand.value)
    except TypeError:
        return id(operand)
    value = (
        repr(operand.value) if isinstance(operand.value, float | complex) else operand.value
    )  # -0.0 is not 0.0
    return (type(operand.value), value, operand.name)
