"""The shapes of what library functions return, told by the shapes of what they are given."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from backsweep.analysis.affine import ONE, Shape
from backsweep.ir.nodes import Apply, Const, Custom, Operand, Tap
from backsweep.ir.types import Array
from backsweep.runtime.broadcasting import sum_to

SHAPED_LIKE: dict[Any, int] = {
    np.copy: 0,
    np.zeros_like: 0,
    np.ones_like: 0,
    np.empty_like: 0,
    np.full_like: 0,
    np.ascontiguousarray: 0,
    np.asfortranarray: 0,
    np.asarray: 0,
    np.real: 0,
    np.imag: 0,
    np.sort: 0,
    np.flip: 0,
    np.fliplr: 0,
    np.flipud: 0,
    np.roll: 0,
    np.linalg.inv: 0,
    np.linalg.cholesky: 0,
    np.linalg.solve: 1,
    sum_to: 1,
}
"""Functions, and which of their operands has the shape of their result; kernels tell it themselves."""
FLAT = {np.ravel, np.cumsum, np.cumprod}
"""Functions that keep the shape of what has one dimension."""
REDUCTIONS = {np.sum, np.mean, np.prod, np.max, np.min, np.any, np.all, np.var, np.std, np.argmax, np.argmin}

Known = Callable[[Operand | None], Shape | None]


def shape_returned(node: Apply, known: Known) -> Shape | None:
    """The shape of the array that a library function returns; None if it is not told by its operands' shapes."""
    assert isinstance(node.result.type, Array)
    operands, shapes = node.operands, [known(operand) for operand in node.operands]
    first = shapes[0] if shapes else None
    position = _position(node)
    if position is not None:
        told = position < len(shapes) and (not node.keywords or node.function is np.copy)
        found = shapes[position] if told else None
    elif node.function in FLAT:
        found = first if len(operands) == 1 and not node.keywords and first and len(first) == 1 else None
    elif node.function in (operator.matmul, np.dot):
        found = _of_product(shapes) if len(shapes) > 1 else None
    elif node.function is np.outer:
        vectors = [shape for shape in shapes[:2] if shape and len(shape) == 1]
        found = (*vectors[0], *vectors[1]) if len(vectors) == len(operands) == 2 else None
    elif node.function is np.transpose:
        found = first[::-1] if first and len(operands) == 1 else None
    elif node.function is operator.getitem:
        found = (*shapes[1], *first[1:]) if first and shapes[1] else None
    elif node.function in REDUCTIONS:
        found = _without_axis(node, first) if first else None
    elif node.function is np.expand_dims:
        found = _with_axis(first, operands[1]) if first and len(operands) > 1 else None
    else:
        found = None
    return found if found and len(found) == node.result.type.ndim else None


def _position(node: Apply) -> int | None:
    """The position of the operand that the result has its shape from, if it simply is that."""
    if isinstance(node.function, Tap | Custom):
        return 0
    position: int | None = getattr(node.function, "shaped_like", SHAPED_LIKE.get(node.function))
    return position


def _of_product(shapes: list[Shape | None]) -> Shape | None:
    left, right = shapes[:2]
    return None if left is None or right is None else (*left[:-1], *(right[1:] if len(right) > 1 else ()))


def _without_axis(node: Apply, shape: Shape) -> Shape | None:
    """Of a reduction along an axis that is written as a literal."""
    axis = dict(node.keywords).get("axis", node.operands[1] if len(node.operands) > 1 else None)
    if not isinstance(axis, Const) or type(axis.value) is not int:
        return None
    place = axis.value % len(shape)
    return (*shape[:place], *shape[place + 1 :])


def _with_axis(shape: Shape, axis: Operand) -> Shape | None:
    """Of an axis more, written as a literal."""
    if not isinstance(axis, Const) or not isinstance(axis.value, int):
        return None
    place = axis.value if axis.value >= 0 else len(shape) + 1 + axis.value
    return (*shape[:place], ONE, *shape[place:])
