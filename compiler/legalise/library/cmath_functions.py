"""Write functions of `cmath` as a conversion to complex numbers and NumPy's function of the same meaning.

`cmath` computes with complex numbers whatever it is given. The conversion is written out, so that NumPy's function does so
too, and its adjoint takes the real part, so that the adjoint of a real argument is real.
"""

from __future__ import annotations

import cmath
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Const, Operand, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, INT, Array, Scalar, Tuple
from backsweep.rules.complex_numbers import NUMPY_FOR
from backsweep.rules.matching import is_complex

FLOAT, COMPLEX = Scalar("float64"), Scalar("complex128")


def in_numpy(builder: Builder, node: Apply) -> Operand | None:
    """The value of a call of `cmath`, computed by NumPy's functions of complex numbers; None for any other call."""
    write = _WRITTEN.get(node.function)
    if write is not None and len(node.operands) in _COUNTS[node.function] and not node.keywords:
        return write(builder, node)
    if node.function not in NUMPY_FOR:
        return None
    operands = [made_complex(builder, operand) for operand in node.operands]
    type_ = node.result.type
    if operands != [*node.operands] and isinstance(type_, Scalar):
        # Numba has single precision for bools and short integers
        type_ = _WIDE.get(type_.dtype, type_)
    return builder.apply(NUMPY_FOR[node.function], *operands, type=type_)


def made_complex(builder: Builder, operand: Operand) -> Operand:
    """A number as a complex one."""
    if is_complex(operand):
        return operand
    if isinstance(operand, Const) and not operand.name:
        return Const(complex(operand.value))
    if isinstance(operand, Value) and isinstance(operand.type, Array):
        operand = builder.load(operand, (), type=Scalar(operand.type.dtype))  # an array without axes
    if type_of(operand) == BOOL:
        operand = builder.apply(int, operand, type=INT)  # Numba makes no float or complex number of a bool
    return builder.apply(complex, operand, type=COMPLEX)


def _log(builder: Builder, node: Apply) -> Operand:
    """The logarithm, to a base if one is given."""
    number, *base = (
        builder.apply(np.log, made_complex(builder, operand), type=COMPLEX) for operand in node.operands
    )
    return builder.apply(operator.truediv, number, *base, type=node.result.type) if base else number


def _polar(builder: Builder, node: Apply) -> Operand:
    """Absolute value and argument."""
    number = made_complex(builder, node.operands[0])
    parts = (builder.apply(function, number, type=FLOAT) for function in (abs, np.angle))
    return builder.apply(tuple, *parts, type=Tuple((FLOAT, FLOAT)))


def _rect(builder: Builder, node: Apply) -> Operand:
    """The complex number of an absolute value and an argument."""
    radius, angle = node.operands
    parts = (
        builder.apply(
            operator.mul,
            radius,
            builder.apply(function, angle, type=FLOAT),
            type=FLOAT,
        )
        for function in (np.cos, np.sin)
    )
    return builder.apply(complex, *parts, type=node.result.type)


_WRITTEN: Mapping[Any, Callable[[Builder, Apply], Operand]] = {
    cmath.log: _log,
    cmath.polar: _polar,
    cmath.rect: _rect,
}
_WIDE = {"complex64": COMPLEX, "float32": FLOAT}
_COUNTS = {cmath.log: (1, 2), cmath.polar: (1,), cmath.rect: (2,)}
"""How many arguments these functions take."""
