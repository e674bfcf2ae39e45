"""Which extents are 1 by the way in which an array is made: `x[:, None]`, `x.reshape(-1, 1)`, `np.sum(x, 1, keepdims=True)`."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from backsweep.frontend.constructs.kinds import DEEPEST, ELEMENTWISE, local_type
from backsweep.frontend.context.scope import Context, known_elements
from backsweep.ir.nodes import Apply, Const, Dots, Load, NewAxis, Operand, Slice, Value
from backsweep.ir.types import Array, Scalar

Extents = list[bool | None]
"""For each axis whether its extent is certainly 1, certainly another number, or unknown."""
MADE: frozenset[Any] = frozenset([np.zeros, np.ones, np.empty, np.full])
SAME: frozenset[Any] = frozenset(
    [np.copy, np.ndarray.copy, np.ndarray.astype, np.asarray, np.ascontiguousarray]
)


def unit_extents(context: Context, operand: Operand, ndim: int, depth: int = 0) -> Extents:
    """What is known of the extents of an array with so many axes."""
    unknown: Extents = [None] * ndim
    if isinstance(operand, Const):
        value = operand.value
        return [extent == 1 for extent in value.shape] if isinstance(value, np.ndarray) else unknown
    node = context.builder.made.get(operand)
    if node is None or depth > DEEPEST:
        return unknown
    found = _of_load(context, node, depth) if isinstance(node, Load) else None
    if isinstance(node, Apply):
        found = _of_call(context, node, ndim, depth)
    return found if found is not None and len(found) == ndim else unknown


def _of_call(context: Context, node: Apply, ndim: int, depth: int) -> Extents | None:
    """What is known of the extents of a call's result."""
    function, of = node.function, node.operands
    keywords = dict(node.keywords)
    if is_true(keywords.get("keepdims")):
        return _kept(context, of[1] if len(of) > 1 else keywords.get("axis"), ndim)
    if function is np.reshape and len(of) == 2:
        return _of_shape(context, of[1])
    if function in MADE and of:
        return _of_shape(context, of[0])
    if function is np.expand_dims and len(of) == 2 and isinstance(of[1], Const) and type(of[1].value) is int:
        found = _inner(context, of[0], ndim - 1, depth)
        found.insert(range(ndim)[of[1].value], True)
        return found
    if function is np.transpose and len(of) == 1:
        return list(reversed(_inner(context, of[0], ndim, depth)))
    if function in SAME and of:
        return _inner(context, of[0], ndim, depth)
    if function is operator.matmul and len(of) == 2 and ndim == 2:
        return [_inner(context, of[0], 2, depth)[0], _inner(context, of[1], 2, depth)[1]]
    if function in ELEMENTWISE or isinstance(function, np.ufunc):
        return _joined(context, of, ndim, depth)
    return None


def is_true(operand: Operand | None) -> bool:
    """Whether an argument is the constant True."""
    return isinstance(operand, Const) and operand.value is True


def _kept(context: Context, axis: Operand | None, ndim: int) -> Extents | None:
    """The extents of a reduction that keeps its axes."""
    if axis is None or (isinstance(axis, Const) and axis.value is None):
        return [True] * ndim
    parts = known_elements(context, axis)
    numbers = [part.value for part in ((axis,) if parts is None else parts) if isinstance(part, Const)]
    if len(numbers) != (1 if parts is None else len(parts)) or not all(type(each) is int for each in numbers):
        return None
    return [axis in numbers or axis - ndim in numbers or None for axis in range(ndim)]


def _inner(context: Context, operand: Operand, ndim: int, depth: int) -> Extents:
    return unit_extents(context, operand, ndim, depth + 1)


def _joined(context: Context, operands: tuple[Operand, ...], ndim: int, depth: int) -> Extents | None:
    """The extents of operands that are combined entry by entry."""
    found: Extents = [True] * ndim
    for each in operands:
        type_ = local_type(context, each)
        if isinstance(type_, Scalar):
            continue
        if not isinstance(type_, Array):
            return None
        own: Extents = [True] * (ndim - type_.ndim)
        own += _inner(context, each, type_.ndim, depth)
        pairs = list(zip(found, own, strict=True))
        found = [False if False in pair else True if pair == (True, True) else None for pair in pairs]
    return found


def _of_shape(context: Context, shape: Operand) -> Extents | None:
    """The extents that a shape says."""
    parts = known_elements(context, shape)
    parts = (shape,) if parts is None else parts
    return [_is_one(part) for part in parts]


def _is_one(part: Operand) -> bool | None:
    value: Any = part.value if isinstance(part, Const) else None
    return value == 1 if type(value) is int and value >= 0 else None


def _of_load(context: Context, node: Load, depth: int) -> Extents | None:
    """The extents of a part of an array."""
    base = local_type(context, node.buffer)
    if not isinstance(base, Array):
        return None
    of = _inner(context, node.buffer, base.ndim, depth)
    taken = sum(not isinstance(item, NewAxis | Dots) for item in node.index)
    found: Extents = []
    axis = 0
    for item in node.index:
        if isinstance(item, NewAxis):
            found.append(True)
        elif isinstance(item, Dots):
            found += of[axis : axis + base.ndim - taken]
            axis += base.ndim - taken
        elif isinstance(item, Slice):
            found.append(of[axis] if item.is_whole else True if _takes_one(context, item) else None)
            axis += 1
        elif isinstance(local_type(context, item), Scalar):
            axis += 1
        else:
            return None
    return found + of[axis:]


def _takes_one(context: Context, item: Slice) -> bool:
    """Whether a slice is written so that it takes one entry, as `:1`, `k : k + 1` and `-1:` are; there may be none."""
    if item.step is not None:
        return False
    start = Const(0) if item.start is None else item.start
    if item.stop is None:
        return isinstance(start, Const) and start.value == -1
    if isinstance(start, Const) and isinstance(item.stop, Const):
        return (
            type(start.value) is int
            and type(item.stop.value) is int
            and item.stop.value - start.value == 1
            and item.stop.value != 0
        )
    made = context.builder.made.get(item.stop) if isinstance(item.stop, Value) else None
    if not isinstance(made, Apply) or made.function is not operator.add:
        return False
    one, other = made.operands
    return one is start and isinstance(other, Const) and other.value == 1
