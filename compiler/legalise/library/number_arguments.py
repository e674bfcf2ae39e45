"""Evaluate array functions of one number: the sum, the mean and the maximum of a number are the number.

NumPy takes a number for an array without axes, and Numba compiles such calls. The rules of these functions are those of
arrays, whose adjoints are arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Const, Operand
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT, Array, Scalar, Tuple, Type

EXTREMES = {np.max, np.min, np.amax, np.amin, np.nanmax, np.nanmin}
ITSELF = {np.sum, np.mean, np.average, np.prod, np.ravel, np.nanmean, *EXTREMES}
"""Functions that return a number that they are given."""
AXES = (None, 0, -1)


def of_number(builder: Builder, node: Apply) -> Operand | None:
    """The value of an array function's call with a number; None for any other call."""
    write = _WRITTEN.get(node.function)
    if write is None or not node.operands or not isinstance(type_of(node.operands[0]), Scalar):
        return None
    return write(builder, node)


def _itself(builder: Builder, node: Apply) -> Operand | None:
    """The number, converted to the type that Numba infers for the result; if that is an array, it has one entry."""
    if isinstance(node.result.type, Array):
        return _of_one_entry(builder, node)
    number, *rest = node.operands
    named = [operand for key, operand in node.keywords if key == "axis"]
    if len(named) != len(node.keywords) or not all(_is_axis(operand) for operand in (*rest, *named)):
        return None
    return converted(builder, number, node.result.type)


def _is_axis(operand: Operand) -> bool:
    """Whether the operand names an axis that NumPy lets a number have."""
    return isinstance(operand, Const) and operand.value in AXES


def converted(builder: Builder, number: Operand, type_: Type | None) -> Operand | None:
    """The number as one of another type: a whole number or a bool as a float or as a whole number."""
    own_type = type_of(number)
    if own_type == type_ or not isinstance(type_, Scalar):
        return number
    if own_type == Scalar("bool"):
        number = builder.apply(int, number, type=INT)
    if type_.dtype == "float64":
        return builder.apply(float, number, type=type_)
    return number if type_.dtype.startswith(("int", "uint")) else None


def _spread(builder: Builder, node: Apply) -> Operand | None:
    """`np.ptp`, `np.var` or `np.std` of one number: zero, or nan if the number is not finite."""
    if len(node.operands) != 1 or node.keywords:
        return None
    number = converted(builder, node.operands[0], node.result.type)
    return None if number is None else builder.apply(operator.sub, number, number, type=node.result.type)


def _one(_builder: Builder, _node: Apply) -> Operand:
    """The number of entries of a number: one."""
    return Const(1)


def _no_axes(builder: Builder, _node: Apply) -> Operand:
    """The shape of a number: a tuple without items."""
    return builder.apply(tuple, type=Tuple(()))


def _filled(builder: Builder, node: Apply) -> Operand | None:
    """An array of that number: `np.repeat(x, n)` and `np.broadcast_to(x, shape)`, which nothing writes."""
    if len(node.operands) != 2 or node.keywords or not isinstance(node.result.type, Array):
        return None
    number, shape = node.operands
    type_ = Array(node.result.type.dtype, node.result.type.ndim)
    return builder.apply(np.full, shape, number, type=type_)


def _of_one_entry(builder: Builder, node: Apply) -> Operand | None:
    """The vector of one entry that `np.ascontiguousarray(x)`, `np.ravel(x)` and `np.expand_dims(x, 0)` make of a number."""
    named = [operand for key, operand in node.keywords if key == "axis"]
    has_others = len(named) != len(node.keywords) or not all(map(_is_axis, (*node.operands[1:], *named)))
    if has_others or not isinstance(node.result.type, Array) or node.result.type.ndim != 1:
        return None
    type_ = Array(node.result.type.dtype, node.result.type.ndim)
    return builder.apply(np.full, Const(1), node.operands[0], type=type_)


def _of_vector(builder: Builder, node: Apply) -> Operand | None:
    """The call with a vector of one entry, for functions of which a vector has a rule."""
    number, *rest = node.operands
    type_ = type_of(number)
    if node.keywords or not isinstance(type_, Scalar):
        return None
    vector = builder.apply(np.full, Const(1), number, type=Array(type_.dtype, 1))
    return builder.apply(node.function, vector, *rest, type=node.result.type)


_WRITTEN: Mapping[Any, Callable[[Builder, Apply], Operand | None]] = {
    **dict.fromkeys(ITSELF, _itself),
    np.std: _spread,
    np.var: _spread,
    **dict.fromkeys((np.cumsum, np.cumprod, np.median, np.percentile, np.quantile), _of_vector),
    **dict.fromkeys((np.nansum, np.nanprod, np.nanmean, np.nanmax, np.nanmin, np.nanvar), _of_vector),
    np.size: _one,
    np.shape: _no_axes,
    np.ascontiguousarray: _of_one_entry,
    np.asfortranarray: _of_one_entry,
    np.expand_dims: _of_one_entry,
    np.repeat: _filled,
    np.broadcast_to: _filled,
}
