"""Recognise operands that change nothing (zeros that are added, ones that are multiplied), powers of two, and equal operands."""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable

from backsweep.analysis.alias import Aliases
from backsweep.ir.nodes import ZERO, Apply, Const, Function, Load, Operand, Store, Value
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar, Type
from backsweep.ir.walk import merges, operands, walk

SMOOTH = (
    Kind.ARITHMETIC,
    Kind.DIVISION,
    Kind.POWER,
    Kind.ROOT,
    Kind.ELEMENTARY,
    Kind.PRODUCT,
    Kind.EXTENT,
    Kind.ITEM,
    Kind.VIEW,
    Kind.COPY,
    Kind.ALIKE,
    Kind.NEW,
    Kind.REDUCTION,
    Kind.MARK,
    Kind.REARRANGEMENT,
)
"""What decides nothing: a little more or less of an operand is a little more or less of the result."""


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
    """A key that is equal for operands that are the same value."""
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


def swapped(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """The factors of a product, a constant before a value."""
    match operands:
        case (Value() as value, Const() as constant):
            return constant, value
        case _:
            return operands


def scale_of(node: Apply) -> tuple[float, Value] | None:
    """The power of two and the number in double precision of which a node is the product, or the quotient; else None."""
    factors = swapped(node.operands) if node.function is operator.mul else node.operands
    if node.function not in (operator.mul, operator.truediv):
        return None
    match factors:
        case (Const(value=float() as factor, name=""), Value(type=Scalar("float64")) as value) if math.frexp(
            factor
        )[0] in (0.5, -0.5):
            return factor, value
        case _:
            return None


def is_integer_typed(value: Value) -> bool:
    """Whether the value is an integer or a truth value, or an array of these."""
    return isinstance(value.type, Scalar | Array) and value.type.dtype.startswith(("int", "uint", "bool"))


def keeps_its_type(operand: Operand) -> bool:
    """Whether the product with a literal is surely of the operand's type: Numba widens single precision."""
    type_ = type_of(operand)
    return isinstance(type_, Scalar | Array) and type_.dtype in ("float64", "complex128")


def deciding(function: Function, aliases: Aliases) -> set[Value]:
    """The values on which a decision may depend: a comparison, what rounds to an integer, what is not known to be smooth.

    A reverse sweep that decides again must compute them as the forward sweep does, to the last bit.
    """
    sources: dict[object, list[Operand]] = {}
    waiting: list[Operand] = []
    for node in walk(function.body):
        if isinstance(node, Apply):
            sources.setdefault(node.result, []).extend(operands(node))
            counts = is_integer_typed(node.result) and kind(node.function) is not Kind.EXTENT
            if counts or kind(node.function) not in SMOOTH:
                waiting.extend(operands(node))
        elif isinstance(node, Load):
            sources.setdefault(node.result, []).append(node.buffer)
        elif isinstance(node, Store):
            sources.setdefault(aliases.of(node.buffer), []).append(node.value)
        for group in merges(node):
            for value in group:
                sources.setdefault(value, []).extend(group)
    found: set[Value] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, Value) and value not in found:
            found.add(value)
            waiting += sources.get(value, [])
            if isinstance(value.type, Array):
                waiting += sources.get(aliases.of(value), [])
    return found
