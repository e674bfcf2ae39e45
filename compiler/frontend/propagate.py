"""Types that follow from those of the operands, so that Numba need not be asked for them.

The passes that write adjoints know most types. What they leave open is mostly arithmetic of floats, and reading a
whole adjoint once more takes Numba a fifth of the time that compiling it takes.
"""

from __future__ import annotations

import math
import operator

from backsweep.ir.nodes import Apply, Function, Operand, Value
from backsweep.ir.typed import type_of, with_types
from backsweep.ir.types import FLOAT, INT, Tuple, Type
from backsweep.ir.walk import blocks, results, walk

ARITHMETIC = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, operator.pow))
"""Operators that make a float64 of float64 and of float64 and integers."""
_TO_NUMBERS = (
    math.ceil,
    math.floor,
    math.trunc,
    math.isnan,
    math.isinf,
    math.isfinite,
    math.frexp,
    math.modf,
)
UNARY = frozenset(
    [operator.neg, operator.pos, abs, float]
    + [
        function
        for name, function in vars(math).items()
        if callable(function) and not name.startswith("_") and function not in _TO_NUMBERS
    ]
)
"""Functions of one float64 that answer with a float64."""


def completed(function: Function) -> Function | None:
    """The program with a type on every value; None where a type does not follow from those of the operands."""
    types: dict[Value, Type] = {}
    for parameter in function.body.parameters:
        if parameter.type is None:
            return None
        types[parameter] = parameter.type
    for node in walk(function.body):
        for value in results(node):
            type_ = _result_type(node, types) if isinstance(node, Apply) else value.type
            if type_ is None:
                return None
            types[value] = type_
    for node in walk(function.body):
        for block in blocks(node):
            for parameter in block.parameters:
                if parameter.type is None:
                    return None
                types[parameter] = parameter.type
    return with_types(function, types)


def _result_type(node: Apply, types: dict[Value, Type]) -> Type | None:
    """The type of what a function returns."""
    operands = [_known(operand, types) for operand in node.operands]
    if isinstance(node.result.type, Tuple) and node.function is not operator.getitem:
        items = tuple(operand for operand in operands if operand is not None)
        whole = len(items) == len(operands) == len(node.result.type.items)
        return Tuple(items, node.result.type.names, node.result.type.cls) if whole else None
    if node.result.type is not None:
        return node.result.type
    if node.function in ARITHMETIC and FLOAT in operands and all(type_ in (FLOAT, INT) for type_ in operands):
        return FLOAT
    if node.function in UNARY and operands == [FLOAT]:
        return FLOAT
    return None


def _known(operand: Operand, types: dict[Value, Type]) -> Type | None:
    return types.get(operand, operand.type) if isinstance(operand, Value) else type_of(operand)
