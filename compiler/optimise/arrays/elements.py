"""Compute one element of an array statement: find the element of each operand, apply the function to scalars."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Const, If, Node, Operand, Value
from backsweep.ir.operations import COMPLEX_QUOTIENT, OPERATORS, Kind, operation
from backsweep.ir.typed import rank, type_of
from backsweep.ir.types import BOOL, INT, Array, Scalar, Type

DTYPES = frozenset({"float64", "float32", "int64", "bool", "complex128"})
"""Entries for which a scalar operation gives what the array operation gives (rounded to the array's dtype)."""


def is_array(operand: Operand) -> bool:
    """Whether the operand is an array of one to four dimensions whose entries we compute with."""
    type_ = type_of(operand)
    return isinstance(type_, Array) and type_.dtype in DTYPES and 1 <= type_.ndim <= 4


def is_number(operand: Operand) -> bool:
    """Whether the operand is a scalar whose type we compute with."""
    type_ = type_of(operand)
    return isinstance(type_, Scalar) and type_.dtype in DTYPES


def same_dtype(one: Operand, other: Operand) -> bool:
    """Whether two arrays have entries of one type."""
    types = [operand.type for operand in (one, other) if isinstance(operand, Value)]
    return len({type_.dtype for type_ in types if isinstance(type_, Array)}) == 1


def divides(number: Value, users: Mapping[Value, Sequence[Node]]) -> bool:
    """Whether something is divided by a number, or by what is computed of it; a negative power is a quotient, too."""
    waiting, seen = [number], {number}
    while waiting:
        value = waiting.pop()
        for user in users.get(value, ()):
            if not isinstance(user, Apply) or not is_number(user.result):
                continue
            match operation(user.function).kind, user.operands:
                case Kind.DIVISION, (_, divisor) if divisor is value:
                    return True
                case Kind.POWER, (base, Const(value=int() | float() as exponent)) if (
                    base is value and exponent < 0
                ):
                    return True
                case Kind.ARITHMETIC | Kind.DIVISION | Kind.POWER, _ if user.result not in seen:
                    seen.add(user.result)
                    waiting.append(user.result)
    return False


def works_by_element(node: Apply) -> bool:
    """Whether the array result can be computed element by element by the same function on scalars."""
    if node.keywords or not is_array(node.result):
        return False
    if not all(is_array(operand) or is_number(operand) for operand in node.operands):
        return False
    known = operation(node.function)
    family = known.kind
    if known.by_entry:
        return True
    if node.function in (np.where, np.clip):
        return len(node.operands) == 3
    dtype = node.result.type.dtype if isinstance(node.result.type, Array) else ""
    if (dtype == "bool" and family is Kind.ARITHMETIC) or (dtype == "int64" and family is Kind.POWER):
        return False
    if isinstance(node.function, np.ufunc):
        one = node.function.signature is None and node.function.nout == 1
        return one and len(node.operands) <= node.function.nin
    return family in OPERATORS and len(node.operands) <= 2


def is_rounding(node: Apply) -> bool:
    """Whether the node makes an array in single precision of one in double precision."""
    types = type_of(node.operands[0]) if node.operands else None, node.result.type
    if node.function is not np.ndarray.astype or not all(isinstance(type_, Array) for type_ in types):
        return False
    return [type_.dtype for type_ in types if isinstance(type_, Array)] == ["float64", "float32"]


def add_shift(builder: Builder, index: Operand, shift: Operand | int) -> Operand:
    """`index + shift`, written as simply as it can be."""
    if isinstance(shift, int):
        if isinstance(index, Const):
            return Const(index.value + shift)
        if shift == 0:
            return index
        function = operator.add if shift > 0 else operator.sub
        return builder.apply(function, index, Const(abs(shift)), type=INT)
    if isinstance(index, Const) and index.value == 0:
        return shift
    return builder.apply(operator.add, index, shift, type=INT)


def extent(builder: Builder, array: Operand, axis: int) -> Operand:
    """The extent of an array along an axis."""
    if rank(array) == 1:
        return builder.apply(np.size, array, type=INT)
    return builder.extent(array, axis)


def on_scalars(builder: Builder, node: Apply, operands: list[Operand]) -> Operand:
    """The node's function applied to one element of each operand."""
    assert isinstance(node.result.type, Array)
    type_ = Scalar(node.result.type.dtype)
    function = node.function
    if function is np.clip:
        entry, low, high = operands
        # `max(x, nan)` is x, `np.maximum(x, nan)` is nan
        larger, smaller = max if _is_literal(low) else np.maximum, min if _is_literal(high) else np.minimum
        lowest = builder.apply(larger, entry, low, type=type_)
        return _rounded(builder, type_, builder.apply(smaller, lowest, high, type=type_), operands)
    if function is operator.abs:
        function = abs
    if function in (operator.invert, np.invert) and type_ == BOOL:
        function = operator.not_  # `~True` is -2 where Python compares two numbers
    if all(type_of(operand) == Scalar("float64") for operand in operands):
        known = operation(function)
        function = known.of_number if known.is_total else function
    if function is operator.truediv and type_.dtype.startswith("complex"):
        function = COMPLEX_QUOTIENT
    result = builder.apply(function, *operands, type=type_)
    return result if type_ == BOOL else _rounded(builder, type_, result, operands)


def _is_literal(operand: Operand) -> bool:
    """Whether the operand is a literal number, not nan."""
    return isinstance(operand, Const) and bool(operand.value == operand.value)


def _rounded(builder: Builder, type_: Scalar, result: Operand, operands: list[Operand]) -> Operand:
    """The result in single precision where the array's entries are, and the scalar operation was not."""
    if type_.dtype != "float32" or all(type_of(operand) == type_ for operand in operands):
        return result
    return builder.apply(np.float32, result, type=type_)


def choice(builder: Builder, node: Apply, condition: Operand, then: Any, orelse: Any) -> Operand:
    """`then() if condition else orelse()`, one result."""
    assert isinstance(node.result.type, Array)
    type_: Type = Scalar(node.result.type.dtype)
    with builder.block() as first:
        first.yields = (then(),)
    with builder.block() as second:
        second.yields = (orelse(),)
    result = builder.value("", type_)
    builder.add(If(condition, first.finish(), second.finish(), (result,), node.loc))
    return result
